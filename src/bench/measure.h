/* SPDX-License-Identifier: MIT */
/*
 * measure: how fast something runs that can be run again and again, in memory,
 * in this thread.
 *
 * Core cycles are computed from the time and from the frequency of the core,
 * which a chain of dependent additions measures before and after each sample.
 * (The time-stamp counter runs at a fixed rate of its own.)
 *
 * Another thread of the same core takes up to a third of the speed away, and
 * no clock of this thread shows that, nor does its CPU time.  So a kernel that
 * keeps the execution units busy, the probe, is run for some microseconds
 * around each sample, and a sample counts if the probe was as fast then as in
 * its best moments.
 */
#ifndef SRC_BENCH_MEASURE_H
#define SRC_BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/kernels.h"

struct core {
	const struct cpu_kernel *probe;
	double best; /* cycles a block of the probe; 0: not known yet */
};

/* What the core is like at this moment. */
struct core_state {
	double hz;
	double probe_cycles; /* a block */
};

/* Takes some 0.1 ms. */
struct core_state
core_look(const struct core *core);

/* Something to be measured; run() returns the blocks of 64 bytes that it has
 * hashed, 0 if it failed. */
struct work {
	uint64_t (*run)(void *what);
	void *what;
};

struct speed {
	double bytes_per_second;
	double cycles_per_byte;
	bool disturbed; /* by others on this core, whenever it was measured */
};

/* Work that takes longer than this is run once. */
#define MEASURE_SLOW_SECONDS 0.05

/* Takes 20 ms, or one slow run.  False: the work failed. */
bool
measure_speed(struct core *core, const struct work *work, struct speed *speed);

#endif
