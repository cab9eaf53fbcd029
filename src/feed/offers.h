/* SPDX-License-Identifier: MIT */
/*
 * offers: messages that have been begun and that change hands, between the lanes
 * of a device and the workers.
 *
 * A lane offers its message to the workers, and so does a worker that has one
 * which must be the oldest.  Other messages of workers are for idle lanes, as
 * long as a lane could finish them in time, and then for workers again.
 */
#ifndef SRC_FEED_OFFERS_H
#define SRC_FEED_OFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/feed/backlog.h"
#include "src/lanes/job_supply.h"
#include "src/lanes/message.h"

struct offers {
	struct message *first;
	/* Blocks that an idle lane could finish in time; 0: there are no lanes
	 * any more. */
	uint64_t lane_capacity;
};

void
offers_add(struct offers *, struct message *, bool for_lane);

/* Add all of them. */
void
offers_sum(const struct offers *, struct amount *);

/* Is there one that only a worker could take? */
bool
offers_want_worker(const struct offers *);

/* The longest that a worker can go on with, or NULL.  `head` is the number of
 * the oldest job.  One that has enough to do takes only what must be the oldest
 * and is. */
struct message *
offers_take_for_worker(struct offers *, enum job_supply_need, uint64_t head,
		       bool has_enough);

bool
offers_want_lane(const struct offers *);

/* One for an idle lane, or NULL. */
struct message *
offers_take_for_lane(struct offers *);

#endif
