/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/engine/segment_plan.h"

#include <string.h>

/* Note the ends of a lane's messages, and of what goes on in the next launch,
 * as ends of segments.  Something begins behind each of them. */
static void
mark_messages(struct segment_plan *plan, const struct segment_lane *lane,
	      unsigned number)
{
	const uint16_t bit = (uint16_t)(1u << number);

	for (uint32_t i = 0; i < lane->nends; i++) {
		const uint32_t block = lane->ends[i].block;

		if (block > lane->blocks)
			break;
		plan->number[block] = 1;
		plan->begins[block] |= bit;
	}
	if (lane->blocks > 0) {
		plan->number[lane->blocks] = 1;
		plan->begins[lane->blocks] |= bit;
	}
}

static void
mark_known(struct segment_plan *plan, const struct segment_lane *lane)
{
	const uint32_t end = lane->blocks + lane->known;

	plan->number[end] = 1;
	if (end > plan->blocks)
		plan->blocks = end;
}

void
segment_plan_make(struct segment_plan *plan,
		  const struct segment_lane lanes[BATCH_LANES])
{
	memset(plan, 0, sizeof(*plan));
	for (unsigned i = 0; i < BATCH_LANES; i++) {
		mark_messages(plan, &lanes[i], i);
		mark_known(plan, &lanes[i]);
	}
	for (uint32_t block = 1; block <= plan->blocks; block++)
		if (plan->number[block])
			plan->number[block] = (uint16_t)++plan->nsegments;
}

/*
 * Cut behind the segment that leaves room for SEGMENT_KNOWN_BLOCKS more: lanes
 * that are cut there add the ends of their known answers, which are no more
 * than these blocks.
 */
uint32_t
segment_plan_limit(const struct segment_lane lanes[BATCH_LANES],
		   unsigned most_segments)
{
	const unsigned last = most_segments - SEGMENT_KNOWN_BLOCKS;
	struct segment_plan plan;
	uint32_t longest = 0;

	segment_plan_make(&plan, lanes);
	for (unsigned i = 0; i < BATCH_LANES; i++)
		if (lanes[i].blocks > longest)
			longest = lanes[i].blocks;
	if (plan.nsegments <= most_segments)
		return longest;
	for (uint32_t block = 1; block < longest; block++)
		if (plan.number[block] == last)
			return block;
	return longest;
}
