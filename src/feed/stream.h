/* SPDX-License-Identifier: MIT */
/*
 * stream: a lane of a device that takes several messages one behind the other
 * (batch.h).
 *
 * It has two buffers.  While the device hashes the front one, the feeder fills
 * the back one with the blocks that follow: the rest of the message that is
 * open, then whole messages, the last of which may be cut.  A buffer may also
 * begin with the rest of a message that somebody else has begun.  What ends in
 * a buffer is listed with it until the launch that hashed it has ended well.
 *
 *     buffer   | rest of a | b | c ........ | d, cut        | slack |
 *     ends                 ^   ^            ^
 *     items                a   b            c
 */
#ifndef SRC_FEED_STREAM_H
#define SRC_FEED_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/feed/dispatch.h"
#include "src/lanes/reader.h"
#include "src/lanes/verify.h"

/* What an end in a buffer is the end of. */
struct stream_item {
	/* Both NULL: of a message that is not wanted any more. */
	struct job *job;	    /* waits for its digest, or */
	struct lane_transfer *rest; /* for the state to go on from */
};

struct stream_buffer {
	uint8_t *data;
	uint32_t filled; /* blocks */
	uint32_t done;	 /* blocks hashed */
	/* With blocks that do not follow on the lane's: from which state. */
	bool begins;
	uint32_t start[SHA256_STATE_WORDS];
	/* From data + done on; the state is the device's. */
	struct batch_end *ends;
	struct stream_item *items;
	uint32_t nends;
	uint32_t passed;    /* ends that have been hashed, */
	uint32_t collected; /* and whose items have been used */
};

/* What all streams of a feeder have in common. */
struct stream_room {
	struct dispatch *dispatch;
	const struct libcrypto *crypto; /* for --verify; NULL = off */
	uint32_t blocks;		/* of a buffer, at most */
	uint32_t ends;			/* of a buffer, at most */
	/* Blocks that a lane gets ready beyond the launch under way, at most;
	 * what this leaves in its front buffer counts. */
	uint32_t ready;
	/* With --verify messages are read here, as many bytes as a buffer,
	 * and hashed by others before the device can touch them. */
	uint8_t *staging;
	bool starved; /* no descriptor is left for one more message */
	/* Jobs that ended without a digest go to `ended`. */
	void (*ended)(void *feeder, struct job *);
	void *feeder;
	uint64_t bytes; /* of messages, read so far */
};

struct stream {
	struct batch *batch;
	unsigned column;
	struct stream_buffer buffers[2];
	unsigned front;	 /* the one that is hashed first */
	struct job *job; /* the message that is open, or NULL */
	/* It goes on elsewhere behind this buffer: the blocks promised. */
	uint64_t leaves;
	bool resumes; /* it begins from `start`; nothing has been read yet */
	uint32_t start[SHA256_STATE_WORDS];
	bool is_running;       /* in a launch */
	uint64_t handed_bytes; /* of it, so far */
	struct reader *reader;
	struct verify verify;
};

/* Lane `column` of the batch.  False when memory is short; stream_free is due
 * in either case. */
bool
stream_init(struct stream *, const struct stream_room *, struct batch *,
	    unsigned column);

void
stream_free(struct stream *);

/* Has it blocks, or a message that is open? */
bool
stream_is_busy(const struct stream *);

/* Blocks that are not hashed yet, by what is known of its message. */
uint64_t
stream_left(const struct stream *);

/* Of these, what is still in the file. */
uint64_t
stream_unread(const struct stream *);

/* Has it no message, nor a block in the buffer that will be filled next? */
bool
stream_is_idle(struct stream *);

/* Go on with a message that a worker has begun.  The stream is idle. */
void
stream_resume(struct stream *, struct lane_transfer *);

/* Blocks that the launch under way leaves in the front buffer, as far as the
 * engine tells. */
uint32_t
stream_rest(const struct stream *);

/*
 * Fill a buffer that is not in a launch: the message that is open to the
 * buffer's end, and behind it others as long as the stream has fewer than
 * `target` blocks and the plan has a share left, from which they are taken.
 */
void
stream_fill(struct stream *, struct stream_room *, uint64_t target,
	    struct work_plan *);

/* Put its front buffer into the batch: how many blocks are there? */
uint32_t
stream_begin(struct stream *);

/* The launch has ended well: go past what was hashed. */
void
stream_advance(struct stream *);

/* The next end whose state is known and that was not collected yet. */
bool
stream_collect(struct stream *, struct stream_item *,
	       uint32_t state[SHA256_STATE_WORDS]);

#endif
