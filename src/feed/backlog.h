/* SPDX-License-Identifier: MIT */
/*
 * backlog: the jobs that wait for a lane of a device or a worker: files by their
 * sizes and in their order, and what only a worker may take.
 *
 * Files whose sizes differ by less than a quarter are in one class, a queue in
 * order of arrival; the longest one is the first of the highest class.  So
 * nothing is allocated, and nothing compares thousands of jobs.
 */
#ifndef SRC_FEED_BACKLOG_H
#define SRC_FEED_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/job_supply.h"
#include "src/lanes/message.h"

/* The kind of a job's input, known before it is read. */
enum job_class {
	JOB_CLASS_SIZED, /* a regular file with bytes: job->blocks is set */
	/* Empty, or in /proc; a directory; cannot be looked up. */
	JOB_CLASS_PLAIN,
	/* Standard input, FIFO, device: reading it may wait, or take what
	 * belongs to an earlier input. */
	JOB_CLASS_MUST_BE_OLDEST
};

/* By the name of its input, or by the input itself, which stays open.  A job
 * whose blocks are known is not looked up again. */
enum job_class
classify_job(struct job *, bool opens);

/* Jobs in the order of their arrival, linked by `next`. */
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
	uint64_t messages, blocks;  /* in these */
	struct job_queue plain;	    /* for workers, at any time */
	struct job *must_be_oldest; /* for workers; by number */
	unsigned nopen;		    /* files of all jobs that are open */
};

void
backlog_add(struct backlog *, struct job *, enum job_class);

/* The next job that only a worker may take, or NULL; `head` is the number of the
 * oldest one.  It stays, or is taken out. */
struct job *
backlog_for_worker(const struct backlog *, uint64_t head);
struct job *
backlog_take_for_worker(struct backlog *, uint64_t head);

/* Return the first waiting file, or one of the longest; NULL if none waits. */
struct job *
backlog_first(const struct backlog *);
struct job *
backlog_longest(const struct backlog *);

/* Take one of these out.  NULL is allowed.  Returns the job. */
struct job *
backlog_take(struct backlog *, struct job *);

/*
 * Started messages that change hands, between the lanes of a
 * device and the workers.  A lane offers its message to the workers.  Messages of
 * workers are for idle lanes, as long as a lane could finish them in time, and then
 * for workers again.
 */
struct offers {
	struct message *first;
	/* Blocks that an idle lane could finish in time; 0 once there are no
	 * lanes. */
	uint64_t lane_capacity;
};

void
offers_add(struct offers *, struct message *, bool for_lane);

/* Add all of them. */
void
offers_sum(const struct offers *, struct amount *);

/*
 * Return true if a message is for an idle lane (`lane`), or only for workers.
 */
bool
offers_want(struct offers *, bool lane);

/* Return the longest one that is not for a lane, or NULL. */
struct message *
offers_take_for_worker(struct offers *);

/* Return a message for an idle lane, or NULL. */
struct message *
offers_take_for_lane(struct offers *);

#endif
