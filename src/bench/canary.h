/* SPDX-License-Identifier: MIT */
/*
 * canary: does something else use this core?
 *
 * A kernel that keeps the execution units busy loses up to a third of its
 * speed to another thread of the same core, which no clock of this thread
 * shows: not its CPU time either.  So it is run for some microseconds around
 * each sample of a measurement, and samples count if it was as fast then as it
 * was in its best moments.  Were there none, nothing can be told.
 */
#ifndef SRC_BENCH_CANARY_H
#define SRC_BENCH_CANARY_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/kernels.h"

struct canary {
	const struct cpu_kernel *kernel;
	double best; /* cycles a block, in the best moments so far */
};

/* One run of what is measured. */
struct sample {
	double seconds; /* a byte */
	double cycles;	/* a byte */
	double canary;	/* the slower of the readings before and after it */
};

/* The fastest kernel of this CPU, and how fast it is at first. */
void
canary_open(struct canary *);

/* Now; cycles a block. */
double
canary_read(const struct canary *);

/*
 * Move the undisturbed samples to the front and return their number, 0 if
 * there are too few of them.  All of the canary's readings add to what is
 * known of its best moments.
 */
size_t
canary_sift(struct canary *, struct sample *, size_t count);

#endif
