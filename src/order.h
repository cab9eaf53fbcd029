/* SPDX-License-Identifier: MIT */
/*
 * order: the jobs between a source and the workers, kept in sequence.
 *
 * Workers take jobs, finish them in any order and publish them; order emits
 * them in the sequence in which they came.  A window bounds how far the
 * workers may run ahead of the oldest unfinished job, and thereby memory.
 * All functions may be called by any worker.
 */
#ifndef SRC_ORDER_H
#define SRC_ORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/job.h"
#include "src/source.h"

enum {
	ORDER_CHUNK = 64,		/* jobs allocated at a time */
	ORDER_CHUNKS = 1024,
	ORDER_WINDOW = ORDER_CHUNK * ORDER_CHUNKS,
	ORDER_HELD_BYTES = 16 << 20,	/* names and such in flight */
	ORDER_MAX_WORKERS = 256,
	ORDER_FIFOS = 64,
	ORDER_GIFTS = 64
};

struct ticket {
	struct job *job;
	uint64_t seq;		/* place in the order of the inputs */
};

/* What a worker saw when it last asked; order_wait waits for a change. */
struct order_view {
	uint64_t moves;
	uint64_t head;		/* seq of the oldest job not emitted yet */
	bool ended;		/* no job will come any more */
	bool source_waits;	/* the source has to wait for its wait_fd */
	bool idle_workers;	/* some worker would take over lanes */
};

/* A FIFO that some lane has open. */
struct order_fifo {
	dev_t device;
	ino_t inode;
	unsigned uses;		/* 0 = free slot */
};

struct order {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct source *source;
	uint64_t next;		/* seq of the next job to be taken */
	uint64_t head;
	uint64_t moves;		/* counts everything worth waking up for */
	bool ended;
	bool emitting;		/* a worker is emitting right now */
	bool polling;		/* a worker waits for the source */
	bool starved;		/* a worker lacks descriptors */
	size_t held_bytes;
	unsigned workers;	/* running */
	unsigned max_workers;
	unsigned busy[ORDER_MAX_WORKERS];	/* lanes with a job */
	unsigned idle;		/* workers waiting for lanes to take over */
	unsigned ngifts;
	void *gifts[ORDER_GIFTS];	/* lanes given away, not yet accepted */
	struct order_fifo fifos[ORDER_FIFOS];
	struct job *chunks[ORDER_CHUNKS];
	struct job first_chunk[ORDER_CHUNK];
};

void
order_init(struct order *, struct source *, unsigned max_workers);

void
order_destroy(struct order *);

/* Count a new worker, unless there are enough: its index, or -1. */
int
order_add_worker(struct order *);

/* The worker just counted could not be started: expect no more of them. */
void
order_drop_worker(struct order *);

/*
 * Take up to max jobs; the worker has `busy` lanes with a job already.  Never
 * waits.  Returns how many, and what it saw.
 */
unsigned
order_take(struct order *, unsigned worker, unsigned busy,
	   struct ticket *tickets, unsigned max, struct order_view *view);

/* Hand n finished jobs back; emits whatever has become ready. */
void
order_publish(struct order *, const struct ticket *tickets, unsigned n);

/*
 * Wait until something has changed since `view`.  For a worker with jobs: it
 * does not wait for the source, since the turn of its jobs may come before
 * the source has more.
 */
void
order_wait(struct order *, const struct order_view *view);

/* What some worker may be waiting for has changed. */
void
order_wake(struct order *);

/*
 * For a worker without any job: wait for a change, for the source, or for
 * lanes that a busier worker gives away.  False: there will be no more work
 * for it.
 */
bool
order_wait_idle(struct order *, unsigned worker,
		const struct order_view *view);

/* Lanes for idle workers.  False: nobody wants them any more. */
bool
order_give(struct order *, unsigned worker, void **gifts, unsigned n);

/*
 * A lane given away, or NULL.  Only for a worker with nothing to hash: the
 * giver itself would always be faster than a worker that has to wake up.
 */
void *
order_accept(struct order *, unsigned worker);

/*
 * The worker cannot open its oldest input for want of descriptors.  True:
 * others hold some and will wake this one when they finish a job.
 */
bool
order_starve(struct order *, unsigned worker);

/*
 * A FIFO named twice must be read twice in turn, as by one reader after the
 * other.  True: the caller is the first to have it open and keeps it; false:
 * it must be opened again when its turn comes.  Release either.
 */
bool
order_claim_fifo(struct order *, dev_t device, ino_t inode);

void
order_release_fifo(struct order *, dev_t device, ino_t inode);

#endif
