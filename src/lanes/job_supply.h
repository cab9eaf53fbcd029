/* SPDX-License-Identifier: MIT */
/*
 * job_supply: where the lanes of the CPU's workers get their messages from.
 *
 * Two supplies exist.  The sequencer hands out the jobs of the source in their
 * order.  Beside a device it is the dispatch (src/feed/dispatch.h), which
 * shares the files between the workers and the lanes of the device, and may
 * move a started message from one to the other.  A worker asks its
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

struct job_supply {
	/* Take up to `most` jobs for free lanes while `busy` lanes have one.
	 * Set *view to what the sequencer showed meanwhile. */
	unsigned (*take)(struct job_supply *, unsigned worker, unsigned busy,
			 struct job **jobs, unsigned most,
			 struct sequencer_view *view);
	/* Return a message that a lane of a device has begun, for a free lane, or
	 * NULL. */
	struct message *(*accept)(struct job_supply *, unsigned worker);
	/*
	 * Note that the worker has hashed n blocks since it last took jobs.
	 * Return the largest remainder, in blocks, of a message worth handing
	 * over, or 0 if none is wanted.
	 */
	uint64_t (*note_hashed)(struct job_supply *, unsigned worker,
				uint64_t nblocks);
	/* Note that the worker has nothing to hash in its messages.  Return
	 * true if it may get more now: then it asks again before it waits. */
	bool (*note_idle)(struct job_supply *, unsigned worker);
	/* Return true if there is work that no free worker could take.  The
	 * asking worker has taken jobs_seen jobs so far. */
	bool (*wants_workers)(struct job_supply *, uint64_t jobs_seen,
			      const struct sequencer_view *view);
	/* A message of the worker is for a lane of the device.  Only after
	 * note_hashed has asked for one. */
	void (*offer)(struct job_supply *, unsigned worker, struct message *);
};

#endif
