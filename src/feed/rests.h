/* SPDX-License-Identifier: MIT */
/*
 * rests: messages that have been begun and wait for somebody who goes on with
 * them: a worker, or a lane of a device.
 *
 * Lock: none of its own.  The dispatch's lock is held in each call.
 */
#ifndef SRC_FEED_RESTS_H
#define SRC_FEED_RESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/feed/work_split.h"
#include "src/lanes/lane.h"

struct rests {
	struct lane_transfer *for_workers, *for_lanes;
	unsigned nfor_workers, nfor_lanes;
	uint64_t blocks;     /* of those for workers */
	unsigned npromised;  /* that lanes are about to leave, */
	uint64_t promised;   /* and their blocks */
	bool lanes_are_gone; /* and all are for workers */
};

static inline uint64_t
rest_blocks(const struct lane_transfer *rest)
{
	return work_blocks(reader_remaining(rest->reader));
}

void
rests_add_for_worker(struct rests *, struct lane_transfer *);

/* For a worker, after all, if the lanes are gone. */
void
rests_add_for_lane(struct rests *, struct lane_transfer *);

/*
 * For a worker: the longest that does not have to wait for its turn, or NULL;
 * `head` is the oldest job.  A worker that has enough to do takes only one
 * whose turn has come.
 */
struct lane_transfer *
rests_take_for_worker(struct rests *, uint64_t head, bool has_enough);

struct lane_transfer *
rests_take_for_lane(struct rests *);

/* What waits for a lane is for workers, and so is all that comes. */
void
rests_lose_lanes(struct rests *);

/* A lane will leave one, with so many blocks as it is now; and then it has, or
 * has not. */
void
rests_promise(struct rests *, uint64_t blocks);
void
rests_end_promise(struct rests *, uint64_t blocks);

#endif
