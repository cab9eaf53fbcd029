/* SPDX-License-Identifier: MIT */
/*
 * side_by_side: lanes of any lengths in the places of the fastest kernel.
 *
 * A lane that has ended leaves its place to one that waits.  Its state is in the
 * kernel meanwhile, and is in `state` only while it waits or has ended.
 */
#ifndef CPU_SIDE_BY_SIDE_H
#define CPU_SIDE_BY_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"

/* Hash line[0..n), n <= 16, until a place of the best kernel for n lanes has no
 * lane.  All of them have blocks; those that come first have the places, and
 * the others wait.  Add the hashed blocks to `done`. */
void
side_by_side_step(uint32_t features, struct engine_lane *const *line,
		  unsigned n);

struct side_by_side_supply {
	void *self;
	/* Give lane i, all of whose blocks have been hashed, the next ones of its
	 * message.  Return false if it has ended.  The state is not known. */
	bool (*more)(void *self, unsigned i, struct engine_lane *lane);
	/* Take the state of lane i if it had a message, which has ended, and give
	 * it another one: state and blocks, one at least.  Return false if there
	 * is none, at least until another lane has ended. */
	bool (*next)(void *self, unsigned i, struct engine_lane *lane);
};

/* Hash all that the supply has in n lanes, 1 <= n <= 16. */
void
side_by_side_run(uint32_t features, unsigned n,
		 const struct side_by_side_supply *supply);

#endif
