/* SPDX-License-Identifier: MIT */
/*
 * backlog: the jobs that wait for a lane of a device or for a worker.
 *
 * Files whose sizes differ by less than a quarter are in one bucket, a queue in
 * the order of their numbers; the longest one is the first of the last bucket.
 * So nothing is allocated, and nothing compares thousands of jobs.
 */
#ifndef SRC_FEED_BACKLOG_H
#define SRC_FEED_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/message.h"

/*
 * Set the blocks of a job: those of a regular file, by its name, or by the file
 * itself, which stays open; else 0.  A job whose blocks are known is not looked up
 * again.  Return true for standard input, a FIFO or a device: reading it may wait, or
 * take what belongs to an earlier input.
 */
bool
backlog_look_up(struct job *, bool opens);

/* Jobs in the order of their numbers, linked by `next`. */
struct job_queue {
	struct job *first, *last;
};

/* Four buckets for each power of two; the last one has all that is longer.  The
 * first one is of jobs without a size, which are for workers: empty files, those of
 * /proc, directories, what cannot be looked up. */
enum { BACKLOG_BUCKETS = 128 };

/* The sum of some messages. */
struct amount {
	uint64_t messages, blocks;
	uint64_t longest; /* blocks of one of them */
};

void
amount_add(struct amount *, uint64_t blocks);

struct backlog {
	struct job_queue buckets[BACKLOG_BUCKETS];
	uint64_t messages, blocks; /* of known sizes */
	unsigned nopen;		   /* files of all jobs that are open */
};

void
backlog_add(struct backlog *, struct job *);

/* Return the oldest job of known size, or one of the longest; NULL if there is none. */
struct job *
backlog_oldest(const struct backlog *);
struct job *
backlog_longest(const struct backlog *);

/* Take out the first job of a bucket. */
void
backlog_take(struct backlog *, const struct job *);

#endif
