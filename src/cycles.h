/* SPDX-License-Identifier: MIT */
/*
 * cycles: core clock cycles spent by this thread.
 *
 * From the hardware counter where the system lets us.  Else from the time and
 * a frequency measured by a chain of dependent additions just before and after
 * the work; the time-stamp counter would not do, since it runs at a rate of
 * its own.
 */
#ifndef SRC_CYCLES_H
#define SRC_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

struct cycles {
	int counter_fd;		/* -1: none, calibrate */
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

#endif
