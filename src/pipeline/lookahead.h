/* SPDX-License-Identifier: MIT */
/*
 * lookahead: a source that takes some of the first jobs of another one in
 * advance, to look at them.
 */
#ifndef SRC_PIPELINE_LOOKAHEAD_H
#define SRC_PIPELINE_LOOKAHEAD_H

#include <stdbool.h>

#include "src/lanes/source.h"

struct lookahead {
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
lookahead_init(struct lookahead *, struct source *origin, unsigned most);

/*
 * Take the next job in advance; it stays here.  NULL: there are as many as are
 * allowed, or the origin has ended or would have to be waited for.  Waits up to
 * 0.1 s in all for a list that is still being written.
 */
struct job *
lookahead_take(struct lookahead *);

static inline bool
lookahead_is_full(const struct lookahead *self)
{
	return self->njobs == self->most;
}

void
lookahead_close(struct lookahead *);

#endif
