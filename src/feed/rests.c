/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/rests.h"

#include <stddef.h>

static void
push(struct lane_transfer **list, struct lane_transfer *rest)
{
	rest->next = *list;
	*list = rest;
}

static struct lane_transfer *
take(struct lane_transfer **at)
{
	struct lane_transfer *rest = *at;

	if (rest)
		*at = rest->next;
	return rest;
}

void
rests_add_for_worker(struct rests *rests, struct lane_transfer *rest)
{
	push(&rests->for_workers, rest);
	rests->nfor_workers++;
	rests->blocks += rest_blocks(rest);
}

void
rests_add_for_lane(struct rests *rests, struct lane_transfer *rest)
{
	if (rests->lanes_are_gone) {
		rests_add_for_worker(rests, rest);
		return;
	}
	push(&rests->for_lanes, rest);
	rests->nfor_lanes++;
}

/* Is it one that this worker can go on with now? */
static bool
suits(const struct lane_transfer *rest, uint64_t head, bool has_enough)
{
	if (reader_needs_turn(rest->reader))
		return rest->ticket.seq == head;
	return !has_enough;
}

struct lane_transfer *
rests_take_for_worker(struct rests *rests, uint64_t head, bool has_enough)
{
	struct lane_transfer **at = &rests->for_workers, **best = NULL, *rest;

	for (; *at; at = &(*at)->next)
		if (suits(*at, head, has_enough) &&
		    (!best || rest_blocks(*at) > rest_blocks(*best)))
			best = at;
	if (!best)
		return NULL;
	rest = take(best);
	rests->nfor_workers--;
	rests->blocks -= rest_blocks(rest);
	return rest;
}

struct lane_transfer *
rests_take_for_lane(struct rests *rests)
{
	struct lane_transfer *rest = take(&rests->for_lanes);

	rests->nfor_lanes -= rest != NULL;
	return rest;
}

void
rests_lose_lanes(struct rests *rests)
{
	struct lane_transfer *rest;

	rests->lanes_are_gone = true;
	while ((rest = rests_take_for_lane(rests)) != NULL)
		rests_add_for_worker(rests, rest);
}

void
rests_promise(struct rests *rests, uint64_t blocks)
{
	rests->npromised++;
	rests->promised += blocks;
}

void
rests_end_promise(struct rests *rests, uint64_t blocks)
{
	rests->npromised--;
	rests->promised -= blocks;
}
