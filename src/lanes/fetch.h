/* SPDX-License-Identifier: MIT */
/*
 * fetch: has threads of the pool read inputs whose storage makes us wait, so that
 * as many requests are in flight as a drive or a file server can answer at a time,
 * while no more threads hash than are allowed.
 *
 *     worker --fetch_give--> pool --> a thread opens and reads
 *        ^                                     |
 *        +----handover_take---- handover <-----+
 *
 * A worker gives a message when the kernel says that its next bytes are not in
 * the page cache.  Where several did not wait, or where the kernel cannot tell
 * and reading has taken long several times (fetch_begin_timing), workers give
 * new jobs before they open them (fetch_expects_waiting), until most of them are
 * found in the cache.  A thread opens the input, if that is to be done, and reads a
 * piece, or several of a long file (ahead.h); then the message waits for a lane of a
 * worker, which hashes that and, where the file goes on, may give the message
 * again.  So an input that never answers holds up a thread and itself.
 *
 * What must be the oldest input is opened without waiting, as a worker does it, and
 * not read.  From a rotating disk nothing is read here: the message comes back as it
 * is (disk.h).
 *
 * Lock: `lock` guards all fields that are not atomic, inside of each function.
 */
#ifndef SRC_LANES_FETCH_H
#define SRC_LANES_FETCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/lock.h"
#include "src/base/pool.h"
#include "src/lanes/input.h"

struct message;
struct run;
struct spare_buffer;

enum {
	/* Messages that are read at a time, at most.  Half as many more may wait
	 * for that, or for a lane. */
	FETCHERS = POOL_THREADS,
	/* Opening and reading an input in the cache takes less. */
	FETCH_SLOW_NS = 100000
};

/* The number of waits of inputs for their storage, their sum, and the most reads
 * that were in flight; for --stats. */
struct storage_waits {
	uint64_t n, ns;
	unsigned most;
};

/* Count a read that took that long.  Return whether it had to wait. */
static inline bool
storage_waits_count(struct storage_waits *waits, uint64_t took_ns)
{
	if (took_ns < FETCH_SLOW_NS)
		return false;
	waits->n++;
	waits->ns += took_ns;
	return true;
}

struct fetch {
	struct run *run;
	struct lock lock;
	unsigned max_jobs;     /* new ones read at a time; 0 without fetchers */
	struct message *spare; /* without a job, each with a ring */
	/* Pieces of all messages (ahead.h). */
	unsigned pieces;  /* filled, or to be read */
	unsigned reading; /* right now, from storage; atomic */
	unsigned readers; /* tasks of the pool */
	unsigned threads; /* of the pool, at most */
	size_t buffer_bytes;
	struct spare_buffer *spare_buffers;
	bool is_off; /* no new jobs: a disk rotates */
	/* Atomic, as `max_jobs` is: */
	unsigned score; /* of waiting; see fetch.c */
	bool expects;	/* the next job to wait */
	struct storage_waits waits;
};

/* With as many messages as config->fetchers says. */
void
fetch_init(struct fetch *, struct run *);

/* Note how many bytes a worker's engine needs after the capacity of a buffer. */
void
fetch_set_space(struct fetch *, size_t space);

/* Destroy it.  No message may be left. */
void
fetch_destroy(struct fetch *);

/* Return whether the next jobs should be given unopened. */
static inline bool
fetch_expects_waiting(const struct fetch *fetch)
{
	return __atomic_load_n(&fetch->expects, __ATOMIC_RELAXED);
}

/* Return whether new jobs can be given; else lanes wait for storage. */
static inline bool
fetch_is_possible(const struct fetch *fetch)
{
	return __atomic_load_n(&fetch->max_jobs, __ATOMIC_RELAXED) > 0;
}

/* Return how many jobs may be given now that are in no lane yet. */
unsigned
fetch_room(struct fetch *);

/* Give a message.  Return false if threads or memory are short. */
bool
fetch_give(struct fetch *, struct message *);

/* Return a message without a job, or NULL; drop one that is not needed any
 * more.  Messages with a ring are kept. */
struct message *
fetch_new_message(struct fetch *);

void
fetch_drop_message(struct fetch *, struct message *);

/* Give no new jobs from now on. */
void
fetch_turn_off(struct fetch *);

/* Note that something had to wait. */
void
fetch_note_wait(struct fetch *);

/* Take an unused buffer, or return NULL; drop one that is not used any more.
 * For ahead, with the lock held. */
uint8_t *
fetch_take_buffer(struct fetch *);

void
fetch_drop_buffer(struct fetch *, uint8_t *buffer);

/* Note that reading a piece from storage took this time.  For ahead, with the
 * lock held. */
void
fetch_note_read(struct fetch *, uint64_t took_ns);

/* Make the message ready for a lane, after its last read.  For ahead, with the lock
 * held. */
void
fetch_make_ready(struct fetch *, struct message *, enum input_answer);

/* Note that n inputs did not have to wait. */
void
fetch_note_cached(struct fetch *, unsigned n);

/*
 * What a worker opens and reads itself is timed: one input of each pass, and
 * all after a slow one.  It has waited if its thread slept meanwhile; a thread
 * that merely lost its processor has not.
 */
struct fetch_timing {
	uint64_t slow_ns; /* what takes less is not slow; 0: FETCH_SLOW_NS */
	uint64_t begun_ns, took_ns;
	long sleeps;
	unsigned slow; /* in a row */
};

void
fetch_begin_timing(struct fetch_timing *);

/* Return whether it has waited. */
bool
fetch_end_timing(struct fetch_timing *);

#endif
