/* SPDX-License-Identifier: MIT */
/*
 * source: where jobs come from and return to.
 *
 * `next` and `emit` may run on different threads at the same time, so they
 * share no mutable state but what travels inside the job.  `next` is never
 * called by two threads at once, nor is `emit`.
 */
#ifndef SRC_LANES_SOURCE_H
#define SRC_LANES_SOURCE_H

#include <errno.h>

#include "src/lanes/job.h"

enum source_result {
	SOURCE_JOB,   /* *job is filled */
	SOURCE_LATER, /* would have to wait; see wait_fd */
	SOURCE_END    /* no job will ever come again */
};

/* Return true if an error may pass when jobs under way end, which have files
 * open and hold memory.  For the oldest job the error is final. */
static inline bool
source_error_may_pass(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

struct source {
	/*
	 * Fill *job, which comes zeroed, never waiting.  `is_oldest`: every
	 * earlier job has been emitted.  Only then may something be opened
	 * whose opening or reading others would notice (standard input, FIFOs,
	 * devices).  On SOURCE_LATER wait_fd is the descriptor to wait for, or
	 * -1: ask again when the job is the oldest.  On other answers it is -1.
	 */
	enum source_result (*next)(struct source *, struct job *job,
				   bool is_oldest);
	/* Take a finished job back, in the order of next. */
	void (*emit)(struct source *, struct job *job);
	/* All that is ready has been emitted: write it out. */
	void (*flush)(struct source *);
	int wait_fd;
};

#endif
