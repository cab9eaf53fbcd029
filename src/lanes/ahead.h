/* SPDX-License-Identifier: MIT */
/*
 * ahead: what threads of the pool read of messages before lanes ask for it, so that as
 * many requests are in flight as a drive or a file server can answer at a time, while
 * no more threads hash than are allowed.
 *
 *     worker --ahead_give--> pool: a thread, a *reader*, opens and reads
 *        ^                                     |
 *        +----handover_take---- handover <-----+
 *
 * Of a message they read a ring of pieces.  Many small files, one long file and a pipe
 * are the same here:
 *
 *     pieces   | taken by a lane | filled | filled | being read | being read |
 *              first                                         first + count
 *
 *	AHEAD_ONCE    one reader opens the input, if need be, and reads one piece.  Then
 *	              the message waits for a lane of any worker.
 *	AHEAD_WHOLE   The next bytes of a long file are not there either: readers go on
 *	              with whole pieces, each at its place; two of them, and twice as
 *	              many whenever the message has to wait again for a read that took
 *	              long.
 *	AHEAD_STREAM  The bytes of a pipe come one after the other, so there is one
 *	              reader.
 *
 * A reader ends when the ring is full, and is called again when half of it is free:
 * each wake-up costs as much as reading many kilobytes.  Readers end before the message
 * does.  An error, the end of a file, and what comes after them are left to the lane.
 *
 * A worker gives a message when the kernel says that its next bytes are not in the page
 * cache.  Where reading has taken long several times workers give new jobs before they
 * open them (ahead_expects_waiting), until most of them are found in the cache.  So an
 * input that never answers holds up a thread and itself.  What must be the oldest input
 * is opened without waiting, as a worker does it, and not read.  From a rotating disk
 * nothing is read here: the message comes back as it is (disk.h).
 *
 * Lock: `lock` guards all fields that are not atomic and all rings, inside of each
 * function.
 */
#ifndef SRC_LANES_AHEAD_H
#define SRC_LANES_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/lock.h"
#include "src/base/pool.h"
#include "src/lanes/input.h"

struct message;
struct ring;
struct run;
struct spare_buffer;

enum {
	AHEAD_READERS = 32, /* of a message, at most */
	/* Opening and reading an input in the cache takes less. */
	AHEAD_SLOW_NS = 100000
};

/* The number of waits of inputs for their storage, their sum, and the most reads
 * that were in flight; for --stats. */
struct storage_waits {
	uint64_t n, ns;
	unsigned max;
};

struct ahead {
	struct run *run;
	struct lock lock;
	struct ring *spare_rings;
	struct spare_buffer *spare_buffers;
	size_t buffer_bytes;
	unsigned pieces; /* of all messages: filled, or to be read */
	unsigned readers, max_readers; /* of all rings */
	bool is_off;		       /* no new jobs: a disk rotates */
	struct storage_waits waits;
	/* Atomic: */
	bool is_possible; /* workers give; else lanes wait for storage */
	bool expects;	  /* the next job to wait */
	unsigned score;	  /* of waiting; see set_score */
	unsigned reading; /* from storage, right now */
};

/* Workers give messages if config->reads_ahead. */
void
ahead_init(struct ahead *, struct run *);

/* Note how many bytes a worker's engine needs after the capacity of a buffer. */
void
ahead_set_space(struct ahead *, size_t space);

/* Destroy it.  No message may be left. */
void
ahead_destroy(struct ahead *);

/* Expected waits -------------------------------------------------------------- */

/* Return whether the next jobs should be given unopened. */
static inline bool
ahead_expects_waiting(const struct ahead *ahead)
{
	return __atomic_load_n(&ahead->expects, __ATOMIC_RELAXED);
}

static inline bool
ahead_is_possible(const struct ahead *ahead)
{
	return __atomic_load_n(&ahead->is_possible, __ATOMIC_RELAXED);
}

/* Give no new jobs from now on. */
void
ahead_turn_off(struct ahead *);

/* Note that something had to wait, or that n inputs had not. */
void
ahead_note_wait(struct ahead *);

void
ahead_note_cached(struct ahead *, unsigned n);

/*
 * What a thread opens and reads is timed.  It has waited if it took long and its thread
 * slept meanwhile, for the second time in a row; a thread that merely lost its
 * processor has not.
 */
struct ahead_timing {
	uint64_t begun_ns, took_ns;
	long sleeps;
	unsigned slow; /* in a row */
};

void
ahead_begin_timing(struct ahead_timing *);

/* Return whether it has waited. */
bool
ahead_end_timing(struct ahead_timing *);

/* Messages ---------------------------------------------------------------------- */

/* Have a thread read a message that is in no lane, which then is READY for one.  If
 * threads or memory are short, that lane has to wait for its storage. */
void
ahead_give(struct ahead *, struct message *);

/* Read on from now on while the message is in a lane.  Return false if threads or
 * memory are short. */
bool
ahead_begin(struct ahead *, struct message *);

/*
 * Take the next piece; the one before has been hashed.  Return false if the lane has
 * to read.  Else *result is INPUT_BLOCKS, with *blocks until the next call,
 * INPUT_ENDED, or INPUT_BLOCKED: give the message until there is a piece.
 */
bool
ahead_take(struct ahead *, struct message *, enum input_result *result,
	   struct input_blocks *blocks);

/* Give back the piece that was taken, if any: it has been hashed. */
void
ahead_give_back(struct ahead *, struct message *);

/* Return whether a piece of the message is being read, or was and is not taken. */
bool
ahead_has_pieces(struct ahead *, const struct message *);

/* Forget all pieces; may wait until they have been read. */
void
ahead_stop(struct ahead *, struct message *);

#endif
