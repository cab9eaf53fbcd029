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
 *
 * An operation is ready when all that depend on it have their slots.  All edges lead
 * from operations to later ones of the array, so that there is always a ready one, and
 * a pass ends: when all have a slot, or at the limit of its length, which an operation
 * that fits nowhere, or a branch that is not ready in time, leads to.
 */
#ifndef QPU_OPT_LIST_H
#define QPU_OPT_LIST_H

#include "qpu/opt/flow.h"
#include "qpu/opt/slot.h"

struct edge {
	unsigned from;
	uint8_t latency; /* at least */
};

/* An operation as the scheduler sees it. */
struct node {
	unsigned first; /* edge to it; the next node has the end */
	unsigned successors;
	/* Instructions between it and the edges of the block. */
	uint8_t to_end, to_begin;
	int lookup;   /* of a fetch: the request before it, or -1 */
	int priority; /* longest path, in sixteenths */
	/* Of the pass: */
	int slot; /* from the end */
	unsigned waiting, earliest;
};

struct problem {
	const struct flow *flow;
	const struct block *block;
	struct op *ops;
	struct node *nodes; /* one more than operations */
	unsigned n;
	bool keeps_hazards; /* distances that are too short may stay so */
	struct edge *edges;
	size_t nedges, edge_capacity;
	unsigned *ready; /* of the pass */
	int *priority;	 /* room for three for each operation */
	struct slot *slots;
	bool no_memory;
};

/* PRIORITY is of an instruction of distance.  Between a request and the fetch of what
 * was looked up better are LOOKUP than fewer, and more still cost less. */
enum { PRIORITY = 16, LOOKUP = 12, LONG_LOOKUP = 24 };

/* Return the longest limit that a schedule of a block is worth. */
int
problem_limit(const struct problem *problem);

/* Make room for blocks of up to this many words. */
bool
problem_allocate(struct problem *problem, const struct flow *flow,
		 size_t longest);
void
problem_free(struct problem *problem);

/* Find the order of the operations, and the base priorities.  Return false when
 * memory is short. */
bool
problem_order(struct problem *problem);

/*
 * Schedule into `slots`, the last instruction first, by these priorities.  Return the
 * length, or -1 if it would be above the limit.
 */
int
list_schedule(struct problem *problem, const int *priority, int limit);

/* Cost of a schedule: a thousand for each instruction, and a little for each that is
 * missing between a request and its fetch. */
enum { COST_LENGTH = 1000, COST_LOOKUP = 30 };
int
list_cost(const struct problem *problem, int length);

#endif
