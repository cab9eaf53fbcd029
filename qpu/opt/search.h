/* SPDX-License-Identifier: MIT */
/*
 * search: many passes of the list scheduler, each with other priorities, and other
 * registers.
 *
 * The first pass goes by the longest ways.  Then some priorities are changed, or a
 * register, and a pass is kept if it costs no more, or, at first, a little more
 * (simulated annealing).  Random numbers begin anew with each search: the same block
 * and number of passes always give the same result.
 */
#ifndef QPU_OPT_SEARCH_H
#define QPU_OPT_SEARCH_H

#include "qpu/opt/list.h"

struct renamer;

/* In long blocks there are fewer passes, as each takes longer. */
enum {
	SEARCH_PASSES = 300,
	SEARCH_WORK = 100000, /* passes times operations */
	SEARCH_LEAST = 30,
	SEARCH_SEED = 4242
};

/* How far a search has come. */
struct search_limit {
	unsigned passes;      /* or 0 where the time counts */
	double begin, finish; /* seconds of the clock */
	unsigned done;
};

double
search_clock(void);

/* Return a random number below a bound. */
unsigned
search_random(uint32_t *state, unsigned bound);

/*
 * Find the best schedule within the limit of its length: the first n priorities of the
 * problem, and, with a renamer, the registers of its operations.  Return its length, or
 * -1: there is none.
 */
int
search_run(struct problem *problem, struct search_limit *limit, int longest,
	   struct renamer *renamer);

#endif
