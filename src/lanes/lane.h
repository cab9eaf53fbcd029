/* SPDX-License-Identifier: MIT */
/*
 * lane: a lane of a worker's engine, and the message in it.  Only the worker's thread
 * uses it.
 *
 * A lane becomes free when its job has ended (INPUT_ENDED), or by lane_take_out
 * between two refills.  run.h describes what happens to a message.
 */
#ifndef SRC_LANES_LANE_H
#define SRC_LANES_LANE_H

#include <stdbool.h>

#include "src/base/engine.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/mapping.h"
#include "src/lanes/message.h"
#include "src/lanes/run.h"

struct lane {
	/* Fixed when the worker begins. */
	struct run *run;
	struct engine_lane *work; /* the engine's view of it */
	uint8_t *buffer;
	const struct buffer_layout *layout; /* of the buffer */
	unsigned index;			    /* among the lanes of its worker */
	struct mapping *mapping;	    /* shared by them, or NULL */

	struct message *message; /* NULL while the lane is free */
	bool ahead_tried;	 /* reading this message ahead was tried */
	/* About the blocks that are not hashed yet: */
	bool has_ended;	      /* they are the message's last */
	size_t message_bytes; /* without padding */
	bool is_mapped;	      /* they lie in the page cache */
	/* The state before a mapped piece, to roll back to. */
	uint32_t before[SHA256_STATE_WORDS];
};

/* Put a message into a free lane. */
void
lane_put(struct lane *, struct message *);

/* Take the message out of the lane, which becomes free. */
struct message *
lane_take_out(struct lane *);

/*
 * Get blocks for the engine, unless it has some left.  `head` is the number of the
 * oldest job not emitted: an input that must be the oldest is read only if it has that
 * number.  may_help: a thread may read on, once the input has proved long; for the only
 * message of a worker.  On INPUT_BLOCKED its storage would make us wait: with
 * INPUT_FOR_ALL the next call does so, else the message is for the pool.
 */
enum input_result
lane_refill(struct lane *, uint64_t head, bool may_wait, bool may_help);

/* Drop what was read and hashed of the file, and begin with it again. */
void
lane_restart(struct lane *);

/* Advance past the blocks that the engine has hashed.  Return INPUT_BLOCKS if it has
 * some left, INPUT_LATER if the lane must be refilled, and INPUT_ENDED if the message
 * has ended, and the lane is free. */
enum input_result
lane_advance(struct lane *);

/* Return how many bytes of the file are left, by its size when it was opened, or 0 if
 * the message cannot leave the lane now. */
uint64_t
lane_bytes_to_share(const struct lane *);

/* An open CPU engine, all its lanes and their buffers. */
struct lane_set {
	const struct engine *engine;
	void *self; /* the engine, open */
	struct engine_limits limits;
	struct buffer_layout layout;
	void *arena; /* all buffers, allocated by the engine */
	size_t arena_bytes;
	struct engine_lane *work; /* of all lanes */
	struct lane *lanes;
	struct mapping mapping; /* of the lanes */
	unsigned n;		/* lanes with a buffer */
};

/*
 * Open the engine of a run's workers; the set must be all zeros.  If memory is
 * short, use smaller buffers, then fewer lanes.  Return false and the reason if the
 * engine is not available or memory does not suffice for one lane.
 */
bool
lane_set_open(struct lane_set *, struct run *, struct diag *why_not);

/* Close the set, which lane_set_open may have failed to open. */
void
lane_set_close(struct lane_set *);

#endif
