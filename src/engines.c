/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/engines.h"

#include "cpu/engine_cpu.h"
#include "cpu/engine_reference.h"

const struct engine *const engines[] = {
	&engine_cpu,
	&engine_reference,
	NULL
};
