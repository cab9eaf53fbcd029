/* SPDX-License-Identifier: MIT */
/*
 * device_lane: a lane of a device, which takes several messages one after the other
 * (engine.h).
 *
 * It has two buffers.  While the device hashes the front one, the feeder fills
 * the back one with the blocks that follow: those of the message that is open,
 * then whole messages, the last of which may be cut.  A buffer may begin with
 * the rest of a message that a worker has begun.  What ends in a buffer is
 * listed with it until the launch that hashed it has ended well.
 *
 *     buffer   | rest of a | b | c ........ | d, cut        | slack |
 *     ends                 ^   ^            ^               ^
 *     messages             a   b            c               d
 *
 *     empty -- _fill --> filled -- _begin --> in a launch
 *       ^                  ^                       | _advance
 *       |                  +---- blocks are left --+
 *       +---- _collect, when all is hashed --------+
 *
 * collected <= passed <= nends of a buffer: ends that were collected, that were hashed,
 * and all; done <= filled likewise in blocks.  The front buffer is the one with the
 * older blocks, and the only one in a launch.  An engine may hash less than it was
 * given: then the front buffer stays in front.
 *
 * A message is in one hand: the lane's while it is open (`message`), its end's
 * from its last block on, or where it is cut for a worker, until its state is
 * collected.  When its last block is in a buffer it has no descriptor any more.
 * An end without a message is that of one that failed or went elsewhere when some of
 * its blocks were in the buffer: they are hashed for nothing.
 */
#ifndef SRC_FEED_DEVICE_LANE_H
#define SRC_FEED_DEVICE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/feed/dispatch.h"
#include "src/lanes/message.h"

struct device_buffer {
	uint8_t *data;
	uint32_t filled; /* blocks */
	uint32_t done;	 /* blocks hashed */
	/* Its first block does not follow on the one before: it has `start` as
	 * its state. */
	bool begins;
	uint32_t start[SHA256_STATE_WORDS];
	struct engine_end *ends;   /* from data + done on */
	struct message **messages; /* that wait for the state there, or NULL */
	uint32_t nends;
	uint32_t passed;    /* ends that have been hashed, */
	uint32_t collected; /* and of these, collected */
};

/* Common to all lanes. */
struct device_lane_context {
	struct dispatch *dispatch;
	uint32_t blocks; /* of a buffer, at most */
	uint32_t ends;	 /* of a buffer, at most */
};

struct device_lane {
	const struct device_lane_context *context;
	struct engine_lane *work; /* for the device */
	struct device_buffer buffers[2];
	unsigned front;		 /* the one that is hashed first */
	struct message *message; /* that is open, or NULL */
	bool begins;		 /* nothing of it was read in this lane */
	bool is_running;	 /* in a launch */
	uint64_t bytes;		 /* of messages, read so far */
};

/* Return the blocks of the open message that are still in its file. */
uint64_t
device_lane_unread(const struct device_lane *);

/* Return the blocks that are not hashed yet, including blocks in the file. */
uint64_t
device_lane_left(const struct device_lane *);

/* If neither a message nor a block is in the next buffer to fill, continue a message
 * that a worker has started.  Return false if none waits for a lane. */
bool
device_lane_take_started(struct device_lane *);

/*
 * Fill a buffer that is not in a launch: the message that is open to the
 * buffer's end, and after it others as long as the lane has fewer than
 * `target` blocks.
 */
void
device_lane_fill(struct device_lane *, uint64_t target);

/* Fill it from the open message, which leaves the lane at the buffer's end.  Return
 * it, or NULL if it has ended or left before. */
struct message *
device_lane_cut(struct device_lane *);

/* Hand the front buffer to the device.  Return its number of blocks. */
uint32_t
device_lane_begin(struct device_lane *);

/* Advance past the blocks that were hashed, after a launch that succeeded. */
void
device_lane_advance(struct device_lane *);

/* Give all jobs that have not ended back to the dispatch, after the device
 * failed.  They begin again. */
void
device_lane_restart_jobs(struct device_lane *);

/* Return the next message whose state is known, which is in it now, or NULL.  It is
 * PADDED, or goes on elsewhere from there. */
struct message *
device_lane_collect(struct device_lane *);

/*
 * The buffers of all lanes, in pieces of the device's memory.  They are laid out
 * as buffer_layout says; first comes one buffer of each lane, then the other, so
 * that a launch needs half of the pieces.
 */

/* A buffer, at most: longer launches would gain little (512 blocks reach 98.8 %
 * of full speed, 1024 reach 99.3 %). */
enum { DEVICE_BUFFER_BYTES = 32 << 10 };

struct device_memory {
	const struct engine *engine;
	void *device; /* the engine, open */
	void **pieces;
	unsigned npieces;
	size_t piece_bytes;
};

/*
 * Place the buffers of *n lanes.  With little memory halve the buffers, then
 * the lanes (*n).  Set *blocks to the capacity of a buffer.  Return false if
 * memory is short even for one lane.
 */
bool
device_memory_allocate(struct device_memory *, const struct engine_limits *,
		       struct device_lane *lanes, unsigned *n,
		       uint32_t *blocks);

void
device_memory_free(struct device_memory *);

#endif
