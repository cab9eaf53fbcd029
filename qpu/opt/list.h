/* SPDX-License-Identifier: MIT */
/*
 * list: the operations of one block, what orders them, and a list scheduler.
 *
 * The scheduler fills instructions from the last one to the first, so that the
 * delay slots of a branch and the two instructions after thrend come first: the
 * branch stands in slot 3 of the reversed block, thrend in slot 2, and what may
 * follow them is placed before them.  The ready operation of the highest
 * priority is tried first; its priority is the longest path to it from the
 * beginning.
 */
#ifndef QPU_OPT_LIST_H
#define QPU_OPT_LIST_H

#include "qpu/opt/op.h"
#include "qpu/opt/slot.h"

struct edge {
	unsigned from;
	uint8_t latency; /* at least */
	uint8_t wish;	 /* better */
};

struct problem {
	struct op *ops;
	unsigned n, capacity;
	unsigned length;    /* of the block as it was */
	int branch, end;    /* operations, or -1 */
	bool keeps_hazards; /* distances that are too short may stay so */
	struct edge *edges; /* those to operation i are first[i].. */
	unsigned *first;
	size_t nedges, edge_capacity;
	/* Instructions between an operation and the edges of the block. */
	uint8_t *to_end, *to_begin;
	/* The section, from 1, in which the source holds the mutex, or 0. */
	uint8_t *section;
	unsigned nsections;
	bool *after_branch; /* has to be in a delay slot */
	/* Of a result that is fetched: the request for it; or LOOKUP_ALONE. */
	int *lookup;
	int *priority; /* base, in sixteenths */
	/* Of the pass: */
	int *slot_of; /* from the end */
	unsigned *waiting, *earliest, *ready, *successors;
};

enum { NO_LOOKUP = -1, LOOKUP_ALONE = -2 };

/* Distances of a lookup to its result: a hit's, for the priorities, and a miss's, up
 * to which more is better. */
enum { PRIORITY = 16, WISHED_LOOKUP = 12, LONG_LOOKUP = 48 };

bool
problem_reserve(struct problem *problem, unsigned n);
void
problem_free(struct problem *problem);

/* Find the order of the operations, and the base priorities.  Return false when
 * memory is short. */
bool
problem_order(struct problem *problem);

/*
 * Schedule by these priorities: return the length, or -1 if it would be above
 * limit.  slots, if not null, gets the instructions, the last one first.
 */
int
list_schedule(struct problem *problem, const int *priority, int limit,
	      struct slot *slots);

/* Cost of a schedule: a thousand for each instruction, and a little for waits
 * for lookups, and for the time the mutex is held. */
enum { COST_LENGTH = 1000, COST_HELD = 400, COST_LOOKUP = 60 };
int
list_cost(const struct problem *problem, int length);

#endif
