/* SPDX-License-Identifier: MIT */
/*
 * stream: a lane of a device that takes several messages one after the other
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
 *     empty --stream_fill--> filled --stream_begin--> in a launch
 *       ^                      ^                         | stream_advance
 *       |                      +--- blocks are left -----+
 *       +--- stream_collect, when all is hashed ---------+
 *
 * collected <= passed <= nends of a buffer: ends that were collected, that were hashed,
 * and all; done <= filled likewise in blocks.  The front buffer is
 * the one with the older blocks, and the only one in a launch.  An engine may
 * hash less than it was given: then the front buffer stays in front.
 *
 * A message is in one hand: the stream's while it is open (`message`), its end's
 * from its last block on, or where it is cut for a worker, until its state is
 * collected.  When its last block is in a buffer it has no descriptor any more.
 * An end without a message is that of one that failed or went elsewhere when some of
 * its blocks were in the buffer: they are hashed for nothing.
 */
#ifndef SRC_FEED_STREAM_H
#define SRC_FEED_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/feed/dispatch.h"
#include "src/lanes/message.h"

struct stream_buffer {
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

/* Common to all streams. */
struct stream_context {
	struct dispatch *dispatch;
	uint32_t blocks; /* of a buffer, at most */
	uint32_t ends;	 /* of a buffer, at most */
};

struct stream {
	const struct stream_context *context;
	struct engine_lane *work; /* for the device */
	struct stream_buffer buffers[2];
	unsigned front;		 /* the one that is hashed first */
	struct message *message; /* that is open, or NULL */
	bool begins;		 /* nothing of it was read in this stream */
	bool is_running;	 /* in a launch */
	uint64_t bytes;		 /* of messages, read so far */
};

/* Return the blocks of the open message that are still in its file. */
uint64_t
stream_unread(const struct stream *);

/* Return the blocks that are not hashed yet, including blocks in the file. */
uint64_t
stream_left(const struct stream *);

/* If neither a message nor a block is in the next buffer to fill, continue a message
 * that a worker has started.  Return false if none waits for a lane. */
bool
stream_take_started(struct stream *);

/*
 * Fill a buffer that is not in a launch: the message that is open to the
 * buffer's end, and after it others as long as the stream has fewer than
 * `target` blocks.
 */
void
stream_fill(struct stream *, uint64_t target);

/* Fill it from the open message, which leaves the stream at the buffer's end.  Return
 * it, or NULL if it has ended or left before. */
struct message *
stream_cut(struct stream *);

/* Hand the front buffer to the device.  Return its number of blocks. */
uint32_t
stream_begin(struct stream *);

/* Advance past the blocks that were hashed, after a launch that succeeded. */
void
stream_advance(struct stream *);

/* Give all jobs that have not ended back to the dispatch, after the device
 * failed.  They begin again. */
void
stream_restart_jobs(struct stream *);

/* Return the next message whose state is known, which is in it now, or NULL.  It is
 * PADDED, or goes on elsewhere from there. */
struct message *
stream_collect(struct stream *);

/*
 * The buffers of all streams, in pieces of the device's memory.  They are laid out
 * as buffer_layout says; first comes one buffer of each stream, then the other, so
 * that a launch needs half of the pieces.
 */

/* A buffer, at most: longer launches would gain little (512 blocks reach 98.8 %
 * of full speed, 1024 reach 99.3 %). */
enum { STREAM_MEMORY_BUFFER_BYTES = 32 << 10 };

struct stream_memory {
	const struct engine *engine;
	void *device; /* the engine, open */
	void **pieces;
	unsigned npieces;
	size_t piece_bytes;
};

/*
 * Place the buffers of *n streams.  With little memory halve the buffers, then
 * the streams (*n).  Set *blocks to the capacity of a buffer.  Return false if
 * memory is short even for one stream.
 */
bool
stream_memory_allocate(struct stream_memory *, const struct engine_limits *,
		       struct stream *streams, unsigned *n, uint32_t *blocks);

void
stream_memory_free(struct stream_memory *);

#endif
