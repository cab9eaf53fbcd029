/* SPDX-License-Identifier: MIT */
/*
 * job_supply: where the lanes of the CPU's workers get their messages from.
 *
 * Two supplies exist.  The sequencer hands out the jobs of the source in their
 * order.  Beside a device it is the dispatch (src/feed/dispatch.h), which
 * shares the files between the workers and the lanes of the device, and may
 * move a message that has been begun from one to the other.  A worker asks its
 * supply and does not know which of the two it is.
 *
 * No call waits for an input or for another thread's work.  Any worker may
 * call at any time.
 */
#ifndef SRC_LANES_JOB_SUPPLY_H
#define SRC_LANES_JOB_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct message;
struct sequencer_view;

/* Why a worker asks for a message that has been begun elsewhere. */
enum job_supply_need {
	SUPPLY_LANE_FREE,     /* it has a free lane */
	SUPPLY_WORKER_IDLE,   /* it has nothing to hash, and would wait */
	SUPPLY_NO_DESCRIPTOR, /* it cannot open the oldest input: a message
			       * that has been begun holds a descriptor */
};

struct job_supply {
	/*
	 * Up to `most` jobs for free lanes; `busy` lanes have one already.
	 * *view tells what the sequencer showed meanwhile.
	 */
	unsigned (*take)(struct job_supply *, unsigned worker, unsigned busy,
			 struct job **jobs, unsigned most,
			 struct sequencer_view *view);
	/* A message that another holder has begun, or NULL.  From then on it
	 * counts as a busy lane of the worker's.  `head` is the number of the
	 * oldest job, as in the view. */
	struct message *(*accept)(struct job_supply *, unsigned worker,
				  enum job_supply_need, uint64_t head);
	/*
	 * The worker has hashed n blocks since it last took jobs.  Returns how
	 * many blocks a message may have left that the worker should offer; 0:
	 * none is wanted.
	 */
	uint64_t (*note_hashed)(struct job_supply *, unsigned worker,
				uint64_t nblocks);
	/* The worker has nothing to hash in what it holds.  True: it may be
	 * given more because of that, and should ask again before it waits. */
	bool (*note_idle)(struct job_supply *, unsigned worker);
	/* Is there work that no free worker could take?  jobs_seen: how many
	 * jobs the asking worker has taken so far. */
	bool (*wants_workers)(struct job_supply *, uint64_t jobs_seen,
			      const struct sequencer_view *view);
	/*
	 * NULL: what a lane has taken stays there until it is hashed, and the
	 * other function below is not called, either.  Else a message that must
	 * be the oldest before it can be read on goes back, so that its lane is
	 * free if an earlier job wants one.  A job of which nothing was read,
	 * closed:
	 */
	void (*put_back)(struct job_supply *, struct job *);
	/* A message that has been begun becomes the supply's. */
	void (*offer)(struct job_supply *, unsigned worker, struct message *);
};

#endif
