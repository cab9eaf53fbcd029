/* SPDX-License-Identifier: MIT */
/*
 * hard_links: with --hard-links-once a file that has several names is hashed once.
 *
 * Names are of one file if device, inode, size, mtime and ctime are equal when they
 * are opened, which shows as well that it did not change between the two.  Where it
 * has changed only just, its next change may not show in its times: then each name is
 * hashed.  A name that is not hashed has the result of the one before it in the order
 * of the source, be it a digest or an error.
 */
#ifndef SRC_INPUTS_HARD_LINKS_H
#define SRC_INPUTS_HARD_LINKS_H

#include <pthread.h>
#include <stdint.h>

#include "src/lanes/job.h"

struct hard_links {
	bool on;
	struct job_filter named;
	pthread_mutex_t lock; /* of the files, which are a tree of tsearch(3) */
	void *files;
	uintmax_t shared; /* names that were not hashed */
};

/* `walked` is the filter of the files that the source's walk finds. */
void
hard_links_init(struct hard_links *, bool on, struct job_filter *walked);

/* Let the job have the result of a name before it; before it is opened. */
void
hard_links_prepare(struct hard_links *, struct job *job);

/*
 * Remember the result of a job that returns, or copy its other name's result.
 */
void
hard_links_settle(struct hard_links *, struct job *job);

/* With `stats`, print a line with the number of names that were not hashed. */
void
hard_links_sum_up(const struct hard_links *, bool stats);

void
hard_links_close(struct hard_links *);

#endif
