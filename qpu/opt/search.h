/* SPDX-License-Identifier: MIT */
/*
 * search: many passes of the list scheduler, each with other priorities.
 *
 * The first pass goes by the longest ways.  Then some priorities are changed, and a
 * pass is kept if it costs no more, or, at first, a little more (simulated
 * annealing).  Random numbers begin anew with each block: the same block and number
 * of passes always give the same result.
 */
#ifndef QPU_OPT_SEARCH_H
#define QPU_OPT_SEARCH_H

#include "qpu/opt/list.h"

struct flow;
struct block;
struct opt_options;

/* In long blocks there are fewer passes, as each takes longer. */
enum {
	SEARCH_PASSES = 300,
	SEARCH_WORK = 100000, /* passes times operations */
	SEARCH_LEAST = 30,
	SEARCH_SEED = 4242
};

/* How far a search has come; what is left is in 1/1024. */
struct search_limit {
	unsigned passes;      /* or 0 where the time counts */
	double begin, finish; /* seconds of the clock */
	unsigned done;
};

double
search_clock(void);

/* Count a pass; return what is left of the search, from 1024 down to 0. */
unsigned
search_left(struct search_limit *limit);

/* Return a random number below a bound. */
unsigned
search_random(uint32_t *state, unsigned bound);

/* Return whether to keep a pass that costs this much more than the last one. */
bool
search_keeps(uint32_t *state, int more, unsigned left);

/* Change some priorities. */
void
search_change(uint32_t *state, const struct problem *problem, unsigned pass,
	      int *priority);

/*
 * Find the priorities of the best schedule within the limit of its length.
 * `priority` has room for three times the operations; the first n are the result.
 * Return its length, or -1: there is none.
 */
int
search_run(struct problem *problem, struct search_limit *limit, int longest,
	   int *priority);

#endif
