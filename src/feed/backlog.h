/* SPDX-License-Identifier: MIT */
/*
 * backlog: the jobs that wait for a lane of a device or for a worker.
 *
 * Files whose sizes differ by less than a quarter are in one class, a queue in
 * the order of their numbers; the longest one is the first of the highest class.
 * So nothing is allocated, and nothing compares thousands of jobs.
 */
#ifndef SRC_FEED_BACKLOG_H
#define SRC_FEED_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/message.h"

/* The kind of a job's input, known before it is read. */
enum job_class {
	JOB_CLASS_SIZED, /* a regular file with bytes: job->blocks is set */
	/* Empty, or in /proc; a directory; cannot be looked up. */
	JOB_CLASS_PLAIN,
	/* Standard input, FIFO, device: reading it may wait, or take what
	 * belongs to an earlier input. */
	JOB_CLASS_SPECIAL
};

/* By the name of its input, or by the input itself, which stays open.  A job
 * whose blocks are known is not looked up again. */
enum job_class
classify_job(struct job *, bool opens);

/* Jobs in the order of their numbers, linked by `next`. */
struct job_queue {
	struct job *first, *last;
};

/* Four classes for each power of two; the last one has all that is longer. */
enum { BACKLOG_CLASSES = 128 };

/* The sum of some messages. */
struct amount {
	uint64_t messages, blocks;
	uint64_t longest; /* blocks of one of them */
};

void
amount_add(struct amount *, uint64_t blocks);

struct backlog {
	struct job_queue classes[BACKLOG_CLASSES];
	uint64_t messages, blocks; /* in these */
	struct job_queue plain;	   /* all others, which are for workers */
	unsigned nopen;		   /* files of all jobs that are open */
};

void
backlog_add(struct backlog *, struct job *);

/* Return the oldest waiting file, or one of the longest; NULL if none waits. */
struct job *
backlog_first(const struct backlog *);
struct job *
backlog_longest(const struct backlog *);

/* Take one of these out, or the first of the plain ones. */
void
backlog_take(struct backlog *, const struct job *);

#endif
