/* SPDX-License-Identifier: MIT */
/*
 * handover: messages on their way between the lanes of two workers.
 *
 * A worker that has nothing to hash takes over long messages of a busier one,
 * so that a few big files end on all cores.
 */
#ifndef SRC_HANDOVER_H
#define SRC_HANDOVER_H

#include "src/order.h"
#include "src/set.h"

/* What a lane must have before it when it is given away. */
enum { HANDOVER_BYTES = 256 << 10 };

/*
 * Give long messages to workers that have none: every other one, or all.  How
 * many lanes were given away, and are free now?
 */
unsigned
handover_give(struct order *, unsigned worker, struct set *, bool all);

/* Take over what busier workers have given away: how many lanes? */
unsigned
handover_accept(struct order *, unsigned worker, struct set *);

#endif
