/* SPDX-License-Identifier: MIT */
/*
 * work_split: shares messages of known sizes between the lanes of a device
 * and the CPU's workers, so that both end together.
 *
 * A lane is slow and there are many; a CPU worker is fast.  Each can go on with
 * the rest of a message that the other has begun.  So a worker takes the message
 * with the most blocks left, waiting or begun, until a lane could be done with
 * the rest when all else is done (the wrap-around of McNaughton, "Scheduling
 * with deadlines and loss functions", Management Science 6, 1959, for machines
 * of two speeds).  Lanes take all others: in the order of arrival
 * while more messages come, but the longest first if it would outlast all others
 * or where lanes are fed slowly, or when all are known (the level algorithm for
 * machines of different speeds: Horvath, Lam, Sethi, "A level algorithm for
 * preemptive scheduling", Journal of the ACM 24, 1977).
 *
 * Amounts are SHA-256 blocks.  Not thread-safe.
 */
#ifndef SRC_FEED_WORK_SPLIT_H
#define SRC_FEED_WORK_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/feed/work_rates.h"

/* Work for three launches: before a worker has hashed that many blocks, a lane
 * has handed over more. */
static inline uint64_t
work_enough(const struct work_rates *rates)
{
	return (uint64_t)(rates->worker * 3 * 0.014) + 1;
}

struct work_item {
	uint64_t blocks;
	void *what;
	uint32_t heap_at;
	bool taken;
};

struct work_split {
	struct work_item *items; /* a ring, in the order of arrival */
	uint32_t size;		 /* of the ring: a power of two, or 0 */
	uint32_t first, end;	 /* arrivals, modulo 2^32 */
	uint32_t *heap;		 /* waiting items, the longest on top */
	uint32_t waiting;
	uint64_t blocks; /* of all that wait */
	bool ended;
	/* Blocks of messages that have been begun, not hashed yet: in lanes, in
	 * workers, and on their way from lanes to workers.  The caller keeps
	 * them up to date. */
	uint64_t in_lanes, in_workers, migrating;
	/* Messages that could be in a lane but are not: long ones of workers,
	 * and those that are migrating. */
	unsigned begun;
};

void
work_split_init(struct work_split *);

/* Messages that still wait are forgotten. */
void
work_split_free(struct work_split *);

/* A message of that many blocks.  False: no memory, nothing was added. */
bool
work_split_add(struct work_split *, uint64_t blocks, void *what);

/* No message will be added any more. */
void
work_split_end(struct work_split *);

/* The next message for a free lane, or NULL: none waits. */
void *
work_split_for_lane(struct work_split *, const struct work_rates *);

/* All that waits, for work_rates. */
struct work_amount
work_split_amount(const struct work_split *);

/*
 * What lanes should take for their next launch, so that all end together with
 * the workers.  Amounts are blocks.
 */
struct work_plan {
	double seconds; /* until all is done */
	/* A message with more blocks left would outlast all else in a lane: a
	 * worker should go on with it. */
	uint64_t min_migration;
	/* A message with at most that many blocks left can be given to a lane:
	 * it ends there in time. */
	uint64_t lane_capacity;
	uint64_t fill_target; /* a lane takes messages while it has less */
	/* Blocks of all messages that may begin; of each at most fill_target
	 * counts, since a worker goes on with the rest. */
	uint64_t lane_quota;
	unsigned fillers; /* threads that should fill lanes */
};

/*
 * All lanes take a little, then all a little more, so that the last ones get
 * as much as the first: an eighth of the target at a time, and at its end half
 * of what is left of it, so that lanes with short messages differ by one.
 */
enum { WORK_PASSES = 16 };

static inline uint64_t
work_plan_target(const struct work_plan *plan, unsigned pass)
{
	const uint64_t target = plan->fill_target;

	if (pass == WORK_PASSES)
		return target;
	return target -
	       (pass < 8 ? target * (8 - pass) / 8 : target >> (pass - 4));
}

/* left[] is how many blocks each of the n lanes has. */
void
work_split_plan(const struct work_split *, const struct work_rates *,
		const uint64_t *left, unsigned n, struct work_plan *);

/*
 * The next message for a CPU worker that has `assigned` blocks already, or NULL:
 * the lanes are done with each that waits before the worker could be with it.
 * It is the longest of the others, or a short one where lanes are fed slowly.
 */
void *
work_split_for_worker(struct work_split *, const struct work_rates *,
		      uint64_t assigned);

/*
 * Seconds until all that waits is done at these rates: not less than the
 * longest message takes on its own, and a message has one lane at a time.
 */
double
work_split_estimate(const struct work_split *, const struct work_rates *);

#endif
