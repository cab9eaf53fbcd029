/* SPDX-License-Identifier: MIT */
/* All experiments: what computes before what moves data, then what waits. */
#include "config.h"

#include "qpu/check/experiment.h"

const struct experiment *const experiment_tables[] = {
	experiments_float,     experiments_pack,    experiments_flags,
	experiments_registers, experiments_hazards, experiments_memory,
	experiments_dma,       experiments_shared,  NULL
};
