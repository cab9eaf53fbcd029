/* SPDX-License-Identifier: MIT */
/*
 * job_supply: where the CPU's workers get their jobs beside a device: from the dispatch
 * (src/feed/dispatch.h), which shares the files between them and the lanes of the
 * device.  Without a device there is none, and they take jobs from the sequencer.
 */
#ifndef SRC_LANES_JOB_SUPPLY_H
#define SRC_LANES_JOB_SUPPLY_H

#include <stdint.h>

struct job;
struct sequencer_view;

/* The work of one worker. */
struct job_load {
	unsigned worker;
	uint64_t blocks; /* left in its lanes, about; 0 if none can go on */
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
