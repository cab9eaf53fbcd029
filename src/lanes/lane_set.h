/* SPDX-License-Identifier: MIT */
/*
 * lane_set: the lanes of one engine of a CPU, with its batches and their buffers.
 */
#ifndef SRC_LANES_LANE_SET_H
#define SRC_LANES_LANE_SET_H

#include "src/lanes/lane.h"

struct lane_set {
	const struct engine *engine;
	void *self; /* the engine, open */
	struct engine_limits limits;
	struct buffer_layout layout;
	void *arena; /* all buffers, from the engine */
	size_t arena_bytes;
	struct batch *batches; /* limits.batches of them */
	struct lane *lanes;
	struct mapping mapping; /* of the lanes */
	unsigned nallocated;	/* lanes that have a message */
	unsigned n;		/* lanes that have a buffer, too */
};

/* Open the engine of a run's workers; the set is all zeros.  With little memory
 * the lanes have smaller buffers, then there are fewer.  False and a reason: the
 * engine is not available, or there is no memory for one lane. */
bool
lane_set_open(struct lane_set *, struct run *, struct diag *why_not);

/* Also one that could not be opened. */
void
lane_set_close(struct lane_set *);

#endif
