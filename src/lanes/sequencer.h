/* SPDX-License-Identifier: MIT */
/*
 * sequencer: takes jobs from the source for the workers, and emits them in
 * the order in which they came.
 *
 * Workers finish jobs in any order and publish them.  The ring of jobs bounds
 * how far they may run ahead of the oldest unfinished job, and thereby memory.
 *
 * Lock: `lock` guards all fields, the ring and the exchange.  Each function
 * takes it; callers hold no lock.  It is released while the source emits
 * (`emitting`: one worker at a time) and while a worker waits for the source
 * (`polling`: no worker asks the source meanwhile).  `changes` counts what a
 * waiting worker may want to know; it is raised whenever one is woken.  Workers
 * with jobs, and a feeder, wait for `changed`, and all of them are woken; they
 * are few.  The idle wait for `work`: only as many are woken as there is work
 * for, and one that finds more jobs than it can take wakes the next.
 */
#ifndef SRC_LANES_SEQUENCER_H
#define SRC_LANES_SEQUENCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/exchange.h"
#include "src/lanes/job_ring.h"
#include "src/lanes/source.h"

/* Names and the like that jobs under way may hold. */
enum { SEQUENCER_HELD_BYTES = 16 << 20 };

struct ticket {
	struct job *job;
	uint64_t seq; /* sequence number */
};

/* What a worker saw when it last took jobs. */
struct sequencer_view {
	uint64_t changes;  /* sequencer_wait waits for another value */
	uint64_t closings; /* of descriptors, for sequencer_starve */
	uint64_t head;	   /* seq of the oldest job not emitted yet */
	bool ended;	   /* no job will come any more */
	bool source_waits; /* the source has to wait for its wait_fd */
	bool idle_workers; /* some worker would take over lanes */
};

struct sequencer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_cond_t work;
	uint64_t changes;
	struct source *source;
	struct job_ring ring;
	struct exchange exchange;
	size_t held_bytes;
	bool ended;    /* the source has no more jobs */
	bool emitting; /* a worker is emitting right now */
	bool polling;  /* a worker waits for the source */
	bool stalled;  /* no job could be taken before others are emitted */
	bool feeding;  /* a feeder may still leave jobs to the workers */
	bool has_feeder;
};

void
sequencer_init(struct sequencer *, struct source *, unsigned max_workers);

void
sequencer_destroy(struct sequencer *);

/* Count a new worker, unless there are enough: its index, or -1. */
int
sequencer_add_worker(struct sequencer *);

/*
 * A feeder begins, or ends.  Meanwhile idle workers stay, whatever the source
 * says, and it is the feeder that waits for the source.
 */
void
sequencer_set_feeding(struct sequencer *, bool feeding);

/* The worker has so many lanes with a job. */
void
sequencer_set_busy(struct sequencer *, unsigned worker, unsigned busy);

/*
 * Take up to max jobs; the worker has `busy` lanes with a job already.  Never
 * waits.  Returns how many, and what it saw.
 */
unsigned
sequencer_take(struct sequencer *, unsigned worker, unsigned busy,
	       struct ticket *tickets, unsigned max,
	       struct sequencer_view *view);

/* Return n finished jobs; emits whatever has become ready. */
void
sequencer_publish(struct sequencer *, const struct ticket *tickets, unsigned n);

/*
 * Wait until something has changed since `view`.  For a worker with jobs: it
 * does not wait for the source, since the turn of its jobs may come before
 * the source has more.
 */
void
sequencer_wait(struct sequencer *, const struct sequencer_view *view);

/* For a feeder without any job: wait for a change or for the source. */
void
sequencer_wait_source(struct sequencer *, unsigned worker,
		      const struct sequencer_view *view);

/* Something has changed for which workers may be waiting. */
void
sequencer_wake(struct sequencer *);

/*
 * For a worker without any job: wait for a change, for the source, or for
 * lanes on offer.  False: there will be no more work for it.
 */
bool
sequencer_wait_idle(struct sequencer *, unsigned worker,
		    const struct sequencer_view *view);

/* Offer lanes to idle workers.  False: no worker wants them any more. */
bool
sequencer_offer(struct sequencer *, unsigned worker, void **lanes, unsigned n);

/*
 * A lane on offer, or NULL.  Only for a worker with nothing to hash: the one
 * that offers would always be faster than a worker that has to wake up.
 */
void *
sequencer_accept(struct sequencer *, unsigned worker);

/*
 * The worker, since `view`, could not open its oldest input for want of
 * descriptors.  True: others hold some, or have just closed some; try again
 * after sequencer_wait.
 */
bool
sequencer_starve(struct sequencer *, unsigned worker,
		 const struct sequencer_view *view);

#endif
