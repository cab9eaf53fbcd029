/* SPDX-License-Identifier: MIT */
/*
 * job_supply: where the lanes of the CPU's workers get their messages from.
 *
 * Two supplies exist.  The sequencer hands out the jobs of the source in their
 * order.  Beside a device it is the dispatch (src/feed/dispatch.h), which shares
 * the files between the workers and the lanes of the device.  A worker asks its
 * supply and does not know which of the two it is.
 */
#ifndef SRC_LANES_JOB_SUPPLY_H
#define SRC_LANES_JOB_SUPPLY_H

#include <stdint.h>

struct job;
struct sequencer_view;

/* The work of one worker. */
struct job_load {
	unsigned worker;
	uint64_t jobs_seen; /* taken so far */
	uint64_t blocks;    /* left in its lanes, about; 0 if none can go on */
	uint64_t hashed_blocks; /* since it last took jobs, */
	uint64_t hashed_ns;	/* and the time that they took */
};

struct job_supply {
	/* Take up to `most` jobs for free lanes, and set *view.  Never waits for
	 * an input or for another thread's work.  Any worker may call. */
	unsigned (*take)(struct job_supply *, const struct job_load *,
			 struct job **jobs, unsigned most,
			 struct sequencer_view *view);
};

#endif
