/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/segment_plan.h"

#include <string.h>

/* A segment ends after this block, where a message begins in these lanes. */
static void
add_end(struct segment_plan *plan, uint32_t block, uint16_t begins)
{
	plan->number[block] = 1;
	plan->begins[block] |= begins;
}

/* Add the ends of a lane's messages, of a message that goes on in the next
 * launch, and of the known answers, with which a lane without blocks begins. */
static void
add_ends(struct segment_plan *plan, const struct segment_lane *lane,
	 unsigned number)
{
	const uint16_t bit = (uint16_t)(1u << number);
	const uint32_t end = lane->blocks + lane->known;

	for (uint32_t i = 0; i < lane->nends; i++) {
		if (lane->ends[i].block > lane->blocks)
			break;
		add_end(plan, lane->ends[i].block, bit);
	}
	add_end(plan, lane->blocks, bit);
	add_end(plan, end, 0);
	if (end > plan->blocks)
		plan->blocks = end;
}

void
segment_plan_make(struct segment_plan *plan,
		  const struct segment_lane lanes[BATCH_LANES])
{
	memset(plan, 0, sizeof(*plan));
	for (unsigned i = 0; i < BATCH_LANES; i++)
		add_ends(plan, &lanes[i], i);
	for (uint32_t block = 1; block <= plan->blocks; block++)
		if (plan->number[block])
			plan->number[block] = (uint16_t)++plan->nsegments;
}

/*
 * The cut is after the segment that leaves room for SEGMENT_KNOWN_BLOCKS more, the
 * ends of known answers of lanes that are cut there.  Where there are too many
 * segments the cut is before the end of the longest lane, since no more segments
 * than these follow that.
 */
uint32_t
segment_plan_limit(const struct segment_lane lanes[BATCH_LANES],
		   unsigned most_segments)
{
	const unsigned last = most_segments - SEGMENT_KNOWN_BLOCKS;
	struct segment_plan plan;
	uint32_t longest = 0, block = last;

	segment_plan_make(&plan, lanes);
	for (unsigned i = 0; i < BATCH_LANES; i++)
		if (lanes[i].blocks > longest)
			longest = lanes[i].blocks;
	if (plan.nsegments <= most_segments)
		return longest;
	/* A segment has at least one block. */
	while (plan.number[block] != last)
		block++;
	return block;
}
