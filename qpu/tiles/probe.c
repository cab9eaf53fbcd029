/* SPDX-License-Identifier: MIT */
/* probe: the assembled program. */
#include "config.h"

#include "qpu/tiles/probe.h"

const uint64_t probe_code[] = {
#include "qpu/tiles/probe.words"
};

const size_t probe_nwords = sizeof(probe_code) / sizeof(*probe_code);
