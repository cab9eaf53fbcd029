/* SPDX-License-Identifier: MIT */
/*
 * anneal: looks for a valid schedule in ever fewer slots.
 *
 * Simulated annealing: random changes of time, ALU and place; a change for
 * the worse is kept with a probability that falls as the temperature does.
 * When nothing is violated any more, the emptiest slot goes.  The same seed
 * and the same steps give the same schedule; another libm may differ.
 */
#ifndef QPU_TOOLS_ANNEAL_H
#define QPU_TOOLS_ANNEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/tools/schedule.h"

struct anneal {
	uint64_t seed;
	uint64_t steps;		/* in all */
	uint64_t cycle;		/* of one cooling */
	double hot, cold;	/* temperatures it starts and ends with */
};

/* Called with each valid schedule; false ends the search. */
typedef bool anneal_found(void *context, const struct schedule *schedule);

/* The schedule is counted; it is left as the search left it. */
void anneal_run(const struct anneal *anneal, struct schedule *schedule,
		anneal_found *found, void *context);

#endif
