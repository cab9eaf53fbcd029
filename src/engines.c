/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/engines.h"

#include "cpu/engine_reference.h"

const struct engine *const engines[] = {
	&engine_reference,
	NULL
};
