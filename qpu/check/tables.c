/* SPDX-License-Identifier: MIT */
/* All experiments, and all timings. */
#include "config.h"

#include "qpu/check/experiment.h"
#include "qpu/check/timing.h"

const struct experiment experiments_float[] = {
#include "qpu/check/experiments_float.def"
};

const struct experiment experiments_pack[] = {
#include "qpu/check/experiments_pack.def"
};

const struct experiment experiments_flags[] = {
#include "qpu/check/experiments_flags.def"
};

const struct experiment experiments_registers[] = {
#include "qpu/check/experiments_registers.def"
};

const struct experiment experiments_hazards[] = {
#include "qpu/check/experiments_hazards.def"
};

const struct experiment experiments_memory[] = {
#include "qpu/check/experiments_memory.def"
};

const struct experiment experiments_dma[] = {
#include "qpu/check/experiments_dma.def"
};

const struct experiment experiments_shared[] = {
#include "qpu/check/experiments_shared.def"
};

/* Experiments that compute come before those that move data, and those that wait
 * come last. */
const struct experiment *const experiment_tables[] = {
	experiments_float,     experiments_pack,    experiments_flags,
	experiments_registers, experiments_hazards, experiments_memory,
	experiments_dma,       experiments_shared,  NULL
};

const struct timing timing_rows[] = {
#include "qpu/check/timing_rows.def"
};
