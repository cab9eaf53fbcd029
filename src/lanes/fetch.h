/* SPDX-License-Identifier: MIT */
/*
 * fetch: reads inputs whose storage makes us wait, each on a thread of the pool,
 * a fetcher, so that as many requests are in flight as a drive or a file server
 * can answer at a time, while no more threads hash than are allowed.
 *
 *     worker --fetch_give--> pool --> a fetcher opens and reads
 *        ^                                     |
 *        +------fetch_take------ ready <-------+
 *
 * A worker gives a message when the kernel says that its next bytes are not in
 * the page cache.  Where several did not wait, or where the kernel cannot tell
 * and reading has taken long several times (fetch_begin_timing), workers give
 * new jobs before they open them (fetch_expects_waiting), until fetchers find
 * most of them in the cache.  A fetcher opens the input, if that is to be done,
 * and reads one piece into a buffer; then the message waits for a lane of a
 * worker, which hashes the piece and, where the file goes on, may give the
 * message again.  So an input that never answers holds up a fetcher and itself.
 *
 * What must be the oldest input is opened without waiting, as a worker does it,
 * not read, and taken only when it is the oldest.  From a rotating disk fetchers
 * read nothing: they give the message back (disk.h).
 *
 * Lock: `lock` guards all fields that are not atomic, inside of each function.
 */
#ifndef SRC_LANES_FETCH_H
#define SRC_LANES_FETCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/pool.h"

struct message;
struct run;

enum {
	/* Messages that are read at a time, at most.  Half as many more may wait
	 * for that, or for a lane; with 128 KiB each, all have 24 MiB. */
	FETCHERS = POOL_THREADS,
	/* Opening and reading an input in the cache takes less. */
	FETCH_SLOW_NS = 100000
};

/* How often an input had to wait for its storage, for how long in all, and how
 * many reads were under way at most; for --stats. */
struct storage_waits {
	uint64_t n, ns;
	unsigned most;
};

/* Count what took that long, if it had to wait.  False: it had not. */
static inline bool
storage_waits_count(struct storage_waits *waits, uint64_t took_ns)
{
	if (took_ns < FETCH_SLOW_NS)
		return false;
	waits->n++;
	waits->ns += took_ns;
	return true;
}

struct message_queue {
	struct message *first, **end;
};

struct fetch {
	struct run *run;
	pthread_mutex_t lock;
	unsigned most; /* fetchers; 0: there is no thread */
	int index;     /* its own among the sequencer's workers */
	struct message_queue ready;
	unsigned messages;     /* given and not taken, of which there are: */
	unsigned reading;      /* in fetchers */
	unsigned early;	       /* ready, but to be read as the oldest */
	unsigned lacking;      /* ready, but there was no descriptor */
	bool is_stuck;	       /* all that there are lack one, or are early */
	size_t buffer_bytes;   /* of a message's buffer */
	struct message *spare; /* without a job, each with a buffer */
	bool is_off; /* no new jobs: a disk rotates, or descriptors ran out */
	/* Atomic, as `most` is: */
	unsigned score; /* of waiting; see fetch.c */
	bool expects;	/* the next job to wait */
	struct storage_waits waits;
};

/* With `most` fetchers at most, by the pool of the run; the sequencer has no worker
 * yet. */
void
fetch_init(struct fetch *, struct run *, unsigned most);

/* When no message is left. */
void
fetch_destroy(struct fetch *);

/* Should the next jobs be given unopened? */
static inline bool
fetch_expects_waiting(const struct fetch *fetch)
{
	return __atomic_load_n(&fetch->expects, __ATOMIC_RELAXED);
}

/* Can anything be given?  Else lanes wait for storage as they always did. */
static inline bool
fetch_is_possible(const struct fetch *fetch)
{
	return __atomic_load_n(&fetch->most, __ATOMIC_RELAXED) > 0;
}

/* How many jobs may be given now that are in no lane yet. */
unsigned
fetch_room(struct fetch *);

/* A worker gives a message, which counts as one of its busy lanes; after the
 * capacity of buffers there are `space` bytes.  False: there is no thread. */
bool
fetch_give(struct fetch *, unsigned worker, struct message *, size_t space);

/* Which messages a worker takes. */
enum fetch_wanted {
	FETCH_ANY,
	FETCH_CAN_GO_ON /* none that lacks a descriptor, but the oldest */
};

/* Return one that can go into a lane of the worker, where it counts from then on,
 * or NULL; `head` is the number of the oldest job. */
struct message *
fetch_take(struct fetch *, unsigned worker, uint64_t head, enum fetch_wanted);

/* Put a message of a worker among those that are ready, since its lane is needed
 * for another one. */
void
fetch_return(struct fetch *, unsigned worker, struct message *);

/*
 * A message without a job, or NULL; and one that is not needed any more.  Those with
 * a buffer are kept: to free and to allocate it for each input costs its pages.
 */
struct message *
fetch_new_message(struct fetch *);

void
fetch_drop_message(struct fetch *, struct message *);

/* Give no new jobs from now on. */
void
fetch_turn_off(struct fetch *);

/* Something had to wait. */
void
fetch_note_wait(struct fetch *);

/* Others have waited, too. */
void
fetch_add_waits(struct fetch *, const struct storage_waits *);

/* n inputs did not have to wait. */
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

/* True: it has waited. */
bool
fetch_end_timing(struct fetch_timing *);

#endif
