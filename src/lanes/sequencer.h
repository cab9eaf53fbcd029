/* SPDX-License-Identifier: MIT */
/*
 * sequencer: takes jobs from the source for the workers, and emits them in
 * the order in which they came.
 *
 * Workers finish jobs in any order and publish them.  How many jobs may be under
 * way is bound, and thereby memory.  Without a device a job goes to the worker that
 * asks first.  Started messages change hands in the handover, which is part of it.
 *
 * Lock: `lock` guards all fields and the handover.  It is released while the
 * source emits (`emitting`: one worker at a time) and while a worker waits for the
 * source (`polling`: no worker asks the source meanwhile).  The worker that emits
 * reads jobs without the lock: those that are under way neither move nor go away.
 *
 * There is one place to sleep, sequencer_wait.  `version` counts all that a
 * sleeper may want to know: who looks for work first notes it, and sleeps only
 * while it stays.
 */
#ifndef SRC_LANES_SEQUENCER_H
#define SRC_LANES_SEQUENCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/lock.h"
#include "src/base/pool.h"
#include "src/lanes/handover.h"
#include "src/lanes/message.h"
#include "src/lanes/source.h"

enum {
	SEQUENCER_WORKERS = 256, /* at most, the feeder included */
	/* Of jobs under way, with the names and the like that these hold: 65,536
	 * jobs with short names, so that they fill a launch of one-block messages. */
	SEQUENCER_BYTES = 48 << 20
};

/* The state that a worker saw when it last took jobs. */
struct sequencer_view {
	uint64_t version;  /* sequencer_wait waits for another one */
	uint64_t head;	   /* number of the oldest job not emitted yet */
	bool ended;	   /* no job will come any more */
	bool source_waits; /* the source has to wait for its wait_fd */
	bool is_full;	   /* no new jobs: the pool has enough messages */
	bool idle_workers; /* some worker would take over messages */
	unsigned working;  /* workers that are not idle */
	/* For the worker that took them: */
	bool wants_workers; /* there is work that it cannot take */
	/* It takes messages that others share while it has fewer blocks left. */
	uint64_t shares_below;
	/* A message with at most this many blocks left should go to a lane of a
	 * device. */
	uint64_t lane_wants;
};

struct sequencer {
	struct lock lock;
	pthread_cond_t changed; /* the version */
	uint64_t version;
	struct source *source;
	uint64_t head, next; /* jobs [head, next) are under way */
	size_t held_bytes;
	struct handover handover;
	unsigned nworkers, max_workers;
	unsigned sleepers; /* in sequencer_wait */
	unsigned idle;	   /* of these, workers with free lanes */
	/* States. */
	bool ended;	 /* the source has no more jobs */
	bool emitting;	 /* a worker is emitting right now */
	bool polling;	 /* it waits for its wait_fd */
	bool stalled;	 /* no job could be taken before others end */
	bool has_device; /* workers and the feeder leave work to each other */
	/* The pool whose task waits for the source. */
	struct pool *pool;
	struct task source_task;
	/* Jobs under way in their order, linked by `later`, and those that were
	 * emitted: memory grows with the jobs that are under way at a time. */
	struct message *oldest, *newest, *spare;
	/* The first job that was looked at and not taken, or NULL. */
	struct message *looked_at;
	struct message first; /* for the oldest, whatever memory there is */
};

void
sequencer_init(struct sequencer *, struct source *, struct pool *,
	       unsigned max_workers);

void
sequencer_destroy(struct sequencer *);

/* Count a new worker, unless there are enough: its index, or -1. */
int
sequencer_add_worker(struct sequencer *);

/* Look at the next job before there are workers, which take it later.  Return
 * NULL if the source has none, or none now. */
struct job *
sequencer_look_ahead(struct sequencer *, struct sequencer_view *);

/* Return true if all jobs before this one have been emitted. */
bool
sequencer_is_oldest(struct sequencer *, const struct job *);

/* Take up to `most` jobs in their order; if they begin, each with a token.  Never
 * waits.  Return how many, and what it saw. */
unsigned
sequencer_take(struct sequencer *, struct job **jobs, unsigned most,
	       bool begins, struct sequencer_view *view);

/* Return n finished jobs; emits whatever has become ready. */
void
sequencer_publish(struct sequencer *, struct job *const *jobs, unsigned n);

/* Who waits. */
enum sequencer_sleeper {
	SEQUENCER_IDLE,	  /* a worker without any message */
	SEQUENCER_BUSY,	  /* a worker with messages that wait for others */
	SEQUENCER_FEEDER, /* a feeder without any job */
};

/* Wait until something has changed since `view`, or for the source.  Return false
 * if all is done. */
bool
sequencer_wait(struct sequencer *, const struct sequencer_view *view,
	       enum sequencer_sleeper);

/* Wake the sleepers: something has changed that they may be waiting for. */
void
sequencer_wake(struct sequencer *);

/* The same, with the lock held. */
void
sequencer_wake_locked(struct sequencer *);

/* Progress ------------------------------------------------------------------ */

/* All that a worker has done so far; called by this worker only, which counts in
 * a cache line of its own. */
void
progress_note(unsigned worker, uint64_t bytes, uint64_t files);

/* Sum up the KiB and files of all workers.  Async-signal-safe. */
void
progress_sum(uint64_t *kib, uint64_t *files);

#endif
