/* SPDX-License-Identifier: MIT */
/*
 * side_by_side: lanes of any lengths in the places of the fastest kernel.
 *
 * A lane that has ended leaves its place to one that waits.  While a lane has a place
 * its hash value is in the kernel; its `state` is valid while it waits and after it
 * has ended.
 */
#ifndef CPU_SIDE_BY_SIDE_H
#define CPU_SIDE_BY_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"

/* Hash the lanes line[0..n), 1 <= n <= 16, with the best kernel for n lanes, until a
 * place of it would stay empty.  All lanes must have blocks.  The first ones get the
 * places, and the others wait.  Add the hashed blocks to `done`. */
void
side_by_side_step(uint32_t features, struct engine_lane *const *line,
		  unsigned n);

struct side_by_side_supply {
	void *self;
	/* Give lane i, whose blocks have all been hashed, the next blocks of its
	 * message.  Return false if there are none.  lane->state is not valid. */
	bool (*more)(void *self, unsigned i, struct engine_lane *lane);
	/* Take the state of lane i, if its message has ended, and start another
	 * message in it: set the state, and one block or more.  Return false if
	 * all have been given, at least until another lane has ended. */
	bool (*next)(void *self, unsigned i, struct engine_lane *lane);
};

/* Hash all messages of the supply, in n lanes, 1 <= n <= 16. */
void
side_by_side_run(uint32_t features, unsigned n,
		 const struct side_by_side_supply *supply);

#endif
