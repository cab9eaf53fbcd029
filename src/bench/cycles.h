/* SPDX-License-Identifier: MIT */
/*
 * cycles: core clock cycles spent by this thread.
 *
 * They come from the hardware counter if the system permits.  Otherwise they
 * are computed from the time and the core frequency, which a chain of dependent
 * additions measures just before and after the work.  (The time-stamp counter
 * runs at a fixed rate of its own.)
 */
#ifndef SRC_BENCH_CYCLES_H
#define SRC_BENCH_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cycles {
	int counter_fd; /* -1: none, calibrate */
	uint64_t start_count;
	double start_hz;
	double start_seconds;
};

struct cycles_span {
	double seconds;
	double cycles;
};

void
cycles_open(struct cycles *cycles);

bool
cycles_has_counter(const struct cycles *cycles);

void
cycles_start(struct cycles *cycles);

struct cycles_span
cycles_stop(struct cycles *cycles);

void
cycles_close(struct cycles *cycles);

/* Core clock cycles a second at this moment, from the chain of additions;
 * takes some 0.1 ms. */
double
cycles_hz(void);

/* The value that so much of them (0..1) lie below.  Sorts them. */
double
cycles_quantile(double *values, size_t count, double part);

#endif
