/* SPDX-License-Identifier: MIT */
/*
 * sequencer: takes jobs from the source for the workers, and emits them in
 * the order in which they came.
 *
 * Workers finish jobs in any order and publish them.  How many jobs may be under
 * way is bound, and thereby memory.
 * Without a device the sequencer is also the supply of the workers
 * (job_supply.h): a job goes to the worker that asks first, and a long message
 * may move from a busy worker to an idle one.
 *
 * A worker that finds no descriptor for the oldest job starves: it waits as
 * long as some other worker has jobs and is not stuck, since these end and close
 * theirs.  A worker is stuck that had to wait for others with all of its jobs,
 * and no descriptor has been closed since it tried.
 *
 * Lock: `lock` guards all fields.  Each function takes it; callers hold no
 * lock.  It is released while the source emits (`emitting`: one worker at a
 * time) and while a worker, or a task of the pool, waits for the source
 * (`polling`: no worker asks the source meanwhile).  The worker that emits reads jobs without the lock: those
 * that are under way neither move nor go away.
 *
 * `changes` counts what a waiting worker may want to know; it is raised
 * whenever one is woken.  Workers with jobs, and a feeder, wait for `changed`,
 * and all of them are woken; they are few.  Idle workers wait for `work`: only
 * as many are woken as there is work for, and one that finds more jobs than it
 * can take wakes the next.
 */
#ifndef SRC_LANES_SEQUENCER_H
#define SRC_LANES_SEQUENCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/pool.h"
#include "src/lanes/job_supply.h"
#include "src/lanes/source.h"

enum {
	SEQUENCER_WORKERS = 256, /* at most, the feeder included */
	/* Messages that busy workers may have on offer for idle ones. */
	SEQUENCER_OFFERS = 64,
	SEQUENCER_JOBS = 1 << 16, /* under way */
	SEQUENCER_CHUNK = 64,	  /* of these, in one allocation */
	/* Names and the like that jobs under way may hold. */
	SEQUENCER_HELD_BYTES = 16 << 20
};

/* The worker is stuck whatever is closed. */
#define SEQUENCER_STUCK UINT64_MAX

struct message;

/* What a worker saw when it last took jobs. */
struct sequencer_view {
	uint64_t changes;  /* sequencer_wait waits for another value */
	uint64_t closings; /* of descriptors, for sequencer_starve */
	uint64_t head;	   /* number of the oldest job not emitted yet */
	bool ended;	   /* no job will come any more */
	bool source_waits; /* the source has to wait for its wait_fd */
	bool idle_workers; /* some worker would take over messages */
	unsigned working;  /* workers with a job */
};

struct sequencer {
	struct job_supply supply;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_cond_t work;
	uint64_t changes;
	struct source *source;
	uint64_t head, next; /* jobs [head, next) are under way */
	size_t held_bytes;
	/* Workers, and what they want from each other. */
	unsigned nworkers, max_workers;
	unsigned busy[SEQUENCER_WORKERS]; /* lanes with a job, by worker */
	unsigned working;		  /* workers of which that is not 0 */
	unsigned idle; /* workers that wait for messages to take over */
	bool starving; /* a worker lacks descriptors */
	/* By worker: `closings` + 1 when it tried its jobs and could go on with
	 * none; 0 once it could, or is to try again; or SEQUENCER_STUCK. */
	uint64_t stuck[SEQUENCER_WORKERS];
	uint64_t closings; /* how often descriptors may have been closed */
	unsigned noffers;
	struct message *offers[SEQUENCER_OFFERS]; /* not accepted yet */
	/* States. */
	bool ended;	 /* the source has no more jobs */
	bool emitting;	 /* a worker is emitting right now */
	bool polling;	 /* it waits for its wait_fd */
	bool stalled;	 /* no job could be taken before others are emitted */
	bool feeding;	 /* a feeder may still leave jobs to the workers */
	int fetch_index; /* where fetchers count as a worker; -1: not */
	bool wakes_idle; /* any change may be work for an idle worker */
	/* That waits for the source. */
	struct pool *pool;
	struct task source_task;
	/* Jobs under way in their order, linked by `later`, and those that were
	 * emitted: memory grows with the jobs that are under way at a time. */
	struct job *oldest, *newest, *spare;
	/* From this one on they were looked at and not taken, or NULL. */
	struct job *looked_at;
	struct job_chunk *chunks;
	struct job first_jobs[SEQUENCER_CHUNK];
};

void
sequencer_init(struct sequencer *, struct source *, struct pool *,
	       unsigned max_workers);

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

/* Before there are workers: look at the next job, which they take later.  NULL:
 * the source has none, or not now. */
struct job *
sequencer_look_ahead(struct sequencer *, struct sequencer_view *);

/* The worker has `busy` lanes with a job. */
void
sequencer_set_busy(struct sequencer *, unsigned worker, unsigned busy);

/*
 * Take up to `most` jobs in their order; the worker has `busy` lanes with a
 * job already.  Never waits.  Returns how many, and what it saw.
 */
unsigned
sequencer_take(struct sequencer *, unsigned worker, unsigned busy,
	       struct job **jobs, unsigned most, struct sequencer_view *view);

/* Return n finished jobs; emits whatever has become ready. */
void
sequencer_publish(struct sequencer *, struct job *const *jobs, unsigned n);

/*
 * Wait until something has changed since `view`.  For a worker with jobs: it
 * does not wait for the source, since its jobs may become the oldest before
 * the source has more.
 */
void
sequencer_wait(struct sequencer *, unsigned worker,
	       const struct sequencer_view *view);

/* Note that a worker can go on with none of its jobs, whatever is closed; or that
 * it can. */
void
sequencer_set_stuck(struct sequencer *, unsigned worker, bool stuck);

/* For a feeder without any job: wait for a change or for the source. */
void
sequencer_wait_source(struct sequencer *, unsigned worker,
		      const struct sequencer_view *view);

/*
 * For a worker without any job: wait for a change, for the source, or for a
 * message on offer.  False: there will be no more work for it.
 */
bool
sequencer_wait_idle(struct sequencer *, unsigned worker,
		    const struct sequencer_view *view);

/* Something has changed for which workers may be waiting. */
void
sequencer_wake(struct sequencer *);

/* The worker has accepted a message elsewhere: one lane more has a job. */
void
sequencer_add_busy(struct sequencer *, unsigned worker);

/* A busy lane of one worker is another one's. */
void
sequencer_move_busy(struct sequencer *, unsigned from, unsigned to);

/* There is a message for any worker; `early`: but only when it is the oldest. */
void
sequencer_note_ready(struct sequencer *, bool early);

/* Offer a message to idle workers.  False: no worker wants it any more. */
bool
sequencer_offer(struct sequencer *, unsigned worker, struct message *);

/*
 * A message on offer, or NULL.  Only for a worker with nothing to hash: the one
 * that offers would always be faster than a worker that has to wake up.
 */
struct message *
sequencer_accept(struct sequencer *, unsigned worker);

/*
 * The worker, since `view`, could not open its oldest input for want of
 * descriptors.  True: others hold some, or have just closed some; try again
 * after sequencer_wait.
 */
bool
sequencer_starve(struct sequencer *, unsigned worker,
		 const struct sequencer_view *view);

/* Progress ------------------------------------------------------------------ */

/* All that a worker has done so far; called by this worker only, which counts in
 * a cache line of its own. */
void
progress_note(unsigned worker, uint64_t bytes, uint64_t files);

/* What all workers have done, in KiB and files.  Async-signal-safe. */
void
progress_sum(uint64_t *kib, uint64_t *files);

#endif
