/* SPDX-License-Identifier: MIT */
/*
 * job_queue: jobs in a row, linked by `next`.
 *
 * Lock: none of its own.  The dispatch's lock is held in each call.
 */
#ifndef SRC_FEED_JOB_QUEUE_H
#define SRC_FEED_JOB_QUEUE_H

#include "src/lanes/job.h"

struct job_queue {
	struct job *first;
	struct job **end;
	unsigned n;
};

void
job_queue_init(struct job_queue *);

void
job_queue_push(struct job_queue *, struct job *);

/* The one that was pushed first, or NULL. */
struct job *
job_queue_pop(struct job_queue *);

/* Into a row of jobs by their numbers, the oldest first. */
void
job_queue_insert(struct job **row, struct job *);

#endif
