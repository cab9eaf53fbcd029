/* SPDX-License-Identifier: MIT */
/*
 * measure: how fast something runs that can be run again and again, in memory,
 * in this thread.
 *
 * Core cycles are computed from the time and from the frequency of the core,
 * which a chain of dependent additions measures before and after all samples.
 * (The time-stamp counter runs at a fixed rate of its own.)
 * Other programs can only make a sample slower, so the best of many short ones
 * counts.  A busy thread on the same core makes all of them slower, by up to a
 * third, and nothing here notices that.
 */
#ifndef SRC_BENCH_MEASURE_H
#define SRC_BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/* The frequency of the core at this moment; takes some 0.15 ms. */
double
measure_hz(void);

/* Something to be measured; run() returns the blocks of 64 bytes that it has
 * hashed, 0 if it failed. */
struct work {
	uint64_t (*run)(void *what);
	void *what;
};

struct speed {
	double bytes_per_second;
	double cycles_per_byte;
};

/* Takes 20 ms, or one run of work that is slow.  False: the work failed. */
bool
measure_speed(const struct work *work, struct speed *speed);

#endif
