/* SPDX-License-Identifier: MIT */
/*
 * lookahead: a source in front of another one, whose first jobs have been
 * taken already to see how many there are.
 */
#ifndef SRC_LOOKAHEAD_H
#define SRC_LOOKAHEAD_H

#include "src/source.h"

struct lookahead {
	struct source source;		/* gives what the other one gives */
	struct source *behind;
	struct job *jobs;		/* taken, not given yet */
	unsigned njobs;
	unsigned next;
};

/*
 * Take messages from `behind` until there are `wanted`, or until it ends, or
 * memory is short.  Waits a moment, 0.1 s in all, for a list that is still
 * being written.  How many there are.
 */
unsigned
lookahead_init(struct lookahead *, struct source *behind, unsigned wanted);

void
lookahead_close(struct lookahead *);

#endif
