/* SPDX-License-Identifier: MIT */
/*
 * first_jobs: a source that takes some of the first jobs of another one in
 * advance, to look at them.
 */
#ifndef SRC_PIPELINE_FIRST_JOBS_H
#define SRC_PIPELINE_FIRST_JOBS_H

#include <stdbool.h>

#include "src/lanes/source.h"

struct first_jobs {
	struct source source; /* same jobs as the other one */
	struct source *origin;
	struct job *jobs; /* taken in advance */
	unsigned most;
	unsigned njobs;
	unsigned next;
	int patience_ms;
};

/* Up to `most` jobs may be taken in advance; none if memory is short. */
void
first_jobs_init(struct first_jobs *, struct source *origin, unsigned most);

/*
 * Take the next job in advance; it stays here.  NULL: there are as many as are
 * allowed, or the origin has ended or would have to be waited for.  Waits up to
 * 0.1 s in all for a list that is still being written.
 */
struct job *
first_jobs_take(struct first_jobs *);

static inline bool
first_jobs_is_full(const struct first_jobs *self)
{
	return self->njobs == self->most;
}

void
first_jobs_close(struct first_jobs *);

#endif
