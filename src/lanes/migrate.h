/* SPDX-License-Identifier: MIT */
/*
 * migrate: long messages move from the lanes of a busy worker to those of an
 * idle one, so that a few big files end on all cores.
 */
#ifndef SRC_LANES_MIGRATE_H
#define SRC_LANES_MIGRATE_H

#include "src/lanes/lane_group.h"
#include "src/lanes/sequencer.h"

/* A message moves only if so much of it is left to read. */
enum { MIGRATE_BYTES = 256 << 10 };

/*
 * Offer every other long message to idle workers.  How many
 * lanes are free now because their messages are on offer?
 */
unsigned
migrate_offer(struct sequencer *, unsigned worker, struct lane_group *);

/* Take over what other workers offer: how many lanes? */
unsigned
migrate_accept(struct sequencer *, unsigned worker, struct lane_group *);

#endif
