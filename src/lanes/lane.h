/* SPDX-License-Identifier: MIT */
/*
 * lane: a lane of a worker's engine and the message in it, from the block
 * with which it comes to its last one; README.md draws its states.  It is used
 * by its worker's thread only.
 *
 * A lane becomes free when its job has ended (INPUT_ENDED), with lane_clear
 * or lane_export (between two refills).
 */
#ifndef SRC_LANES_LANE_H
#define SRC_LANES_LANE_H

#include <stdbool.h>

#include "src/base/engine.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/mapping.h"
#include "src/lanes/message.h"
#include "src/lanes/run.h"

/* Which inputs a thread may read ahead, once they have proved long. */
enum lane_ahead {
	LANE_AHEAD_NEVER,
	LANE_AHEAD_STREAMS, /* their writers would wait while we hash */
	LANE_AHEAD_ALL,	    /* regular files as well */
	LANE_AHEAD_IF_IDLE  /* all, if there is more than one processor */
};

struct lane {
	/* Fixed when the worker begins. */
	struct run *run;
	struct engine_lane *work; /* for the engine */
	uint8_t *buffer;
	const struct buffer_layout *layout; /* of the buffer */
	unsigned index;			    /* among the lanes of its worker */
	struct mapping *mapping; /* theirs; NULL to read everything */

	struct message *message; /* an empty one while the lane is free */
	bool ahead_tried;	 /* to read ahead, for this message */
	unsigned unasked;	 /* files about which the kernel is not asked */
	bool has_ended;		 /* with the blocks that are not hashed yet */
	size_t message_bytes;	 /* in the blocks not hashed yet */
	enum mapping_way way;	 /* in which these came */
	/* If they are mapped: the state before all of them. */
	uint32_t before[SHA256_STATE_WORDS];
};

static inline bool
lane_is_free(const struct lane *lane)
{
	return !lane->message->job;
}

/* Begin with a job, unopened. */
void
lane_start(struct lane *, struct job *);

/*
 * Get blocks for the engine, if there are none.  `head` is the number of the oldest
 * job not emitted: an input that must be the oldest is read only if it has that
 * number.  `ahead` is not NEVER only where no other lane of this worker has a
 * message.  On INPUT_BLOCKED fetch is to have the message.
 */
enum input_answer
lane_refill(struct lane *, uint64_t head, bool may_wait, enum lane_ahead ahead);

/* Close the input of the job and forget it, wherever it goes: the lane is free. */
void
lane_clear(struct lane *);

/*
 * Forget the blocks that were read and hashed of the file, and read it again.
 */
void
lane_begin_again(struct lane *);

/* Advance past the blocks that the engine has hashed.  Return INPUT_LATER when all
 * are. */
enum input_answer
lane_advance(struct lane *);

/* End the job, with its digest if its input has ended. */
void
lane_finish(struct lane *);

/* Return the bytes left to read, by the size of the file when it was opened,
 * or 0 if the message cannot leave the lane now. */
uint64_t
lane_export_bytes(const struct lane *);

/* Take the message out of the lane.  Return NULL if memory is short: then it
 * stays. */
struct message *
lane_export(struct lane *);

/* Put a started or prefetched message into a free lane. */
void
lane_import(struct lane *, struct message *);

/* All lanes of an engine of a CPU, with their buffers. */
struct lane_set {
	const struct engine *engine;
	void *self; /* the engine, open */
	struct engine_limits limits;
	struct buffer_layout layout;
	void *arena; /* all buffers, from the engine */
	size_t arena_bytes;
	struct engine_lane *work; /* of all lanes */
	struct lane *lanes;
	struct mapping mapping; /* of the lanes */
	unsigned nallocated;	/* lanes that have a message */
	unsigned n;		/* lanes that have a message and a buffer */
};

/*
 * Open the engine of a run's workers; the set must be all zeros.  With little
 * memory the buffers are smaller, then the lanes fewer.  On failure return
 * false with the reason: the engine is not available, or memory is short even
 * for one lane.
 */
bool
lane_set_open(struct lane_set *, struct run *, struct diag *why_not);

/* Close the set, even if it could not be opened. */
void
lane_set_close(struct lane_set *);

#endif
