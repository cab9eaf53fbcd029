/* SPDX-License-Identifier: MIT */
/*
 * look_ahead: takes jobs from the sequencer ahead of need, looks up the sizes of
 * their files by name, and puts them where the dispatch has them.
 */
#ifndef SRC_FEED_LOOK_AHEAD_H
#define SRC_FEED_LOOK_AHEAD_H

#include "src/feed/dispatch.h"

/* What the name of a job's input says of it, before it is opened. */
enum job_class {
	JOB_CLASS_SIZED, /* a regular file with bytes: job->blocks is set */
	/* Empty, or in /proc; a directory; cannot be looked up. */
	JOB_CLASS_PLAIN,
	/* Standard input, FIFO, device: reading it may wait, or take what
	 * belongs to an earlier input. */
	JOB_CLASS_MUST_BE_OLDEST
};

/* A job whose blocks are known is not looked up again. */
enum job_class
classify_job(struct job *);

/*
 * Look up sizes, for some milliseconds, until `most` files wait for lanes.
 * *view is what the sequencer showed last.  `busy` as in sequencer_take.
 */
void
dispatch_look_ahead(struct dispatch *, unsigned worker, unsigned busy,
		    unsigned most, struct sequencer_view *view);

#endif
