/* SPDX-License-Identifier: MIT */
/*
 * Promise: segments end where a message ends in any lane, no sooner and no
 * later, and there are never more of them than are allowed.
 */
#include "config.h"

#include "qpu/engine/segment_plan.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/tap.h"

static struct batch_end ends[BATCH_LANES][SEGMENT_DATA_BLOCKS];
static struct segment_lane lanes[BATCH_LANES];
static struct segment_plan plan;

static void
clear_lanes(uint32_t known)
{
	for (unsigned i = 0; i < BATCH_LANES; i++)
		lanes[i] = (struct segment_lane){ .ends = ends[i],
						  .known = known };
}

static void
test_example(void)
{
	clear_lanes(3);
	lanes[1].blocks = 10;
	lanes[1].nends = 2;
	ends[1][0].block = 4;
	ends[1][1].block = 10;
	lanes[5].blocks = 12;
	segment_plan_make(&plan, lanes);
	ok(plan.blocks == 15 && plan.nsegments == 6,
	   "a plan has the blocks and segments of its lanes");
	ok(plan.number[3] == 1 && plan.number[4] == 2 && plan.number[10] == 3 &&
		   plan.number[12] == 4 && plan.number[13] == 5 &&
		   plan.number[15] == 6,
	   "they end behind messages and known answers");
	ok(plan.begins[3] == 0 && plan.begins[4] == 1 << 1 &&
		   plan.begins[10] == 1 << 1 && plan.begins[12] == 1 << 5 &&
		   plan.begins[13] == 0 && plan.begins[15] == 0,
	   "lanes begin anew behind a message, and before a known answer");
}

static void
test_idle(void)
{
	clear_lanes(2);
	segment_plan_make(&plan, lanes);
	ok(plan.blocks == 2 && plan.nsegments == 1 && plan.number[1] == 0 &&
		   plan.number[2] == 1 && plan.begins[2] == 0,
	   "without messages there is one segment");
	ok(segment_plan_limit(lanes, SEGMENTS_LEAST) == 0,
	   "a plan without messages has no block that could be left out");
}

static void
test_beyond(void)
{
	clear_lanes(4);
	lanes[0].blocks = 5;
	lanes[0].nends = 2;
	ends[0][0].block = 5;
	ends[0][1].block = 6;
	segment_plan_make(&plan, lanes);
	ok(plan.nsegments == 3 && plan.number[6] == 0 && plan.begins[5] == 1,
	   "ends behind the blocks of this launch do not count");
	lanes[0].blocks = 1;
	lanes[0].nends = 0;
	segment_plan_make(&plan, lanes);
	ok(plan.blocks == 5 && plan.nsegments == 3 && plan.number[1] == 1 &&
		   plan.begins[1] == 1 && plan.number[4] == 2 &&
		   plan.number[5] == 3,
	   "one block of a message that goes on is a segment");
}

static void
fill_random(void)
{
	clear_lanes(1 + (uint32_t)(rand() % SEGMENT_KNOWN_BLOCKS));
	for (unsigned i = 0; i < BATCH_LANES; i++) {
		uint32_t at = 0;

		lanes[i].blocks =
			(uint32_t)(rand() % (SEGMENT_DATA_BLOCKS + 1));
		while ((at += 1 + (uint32_t)(rand() % 9)) <= lanes[i].blocks)
			ends[i][lanes[i].nends++].block = at;
	}
}

/* With lanes cut to the limit: the segments allowed are enough, and one block
 * more would be too much by no more than a known answer. */
static void
test_limit(void)
{
	unsigned too_many = 0, none = 0, wasted = 0;

	for (unsigned i = 0; i < 300; i++) {
		const unsigned most = SEGMENTS_LEAST + (unsigned)(rand() % 250);
		uint32_t longest = 0;

		fill_random();
		const uint32_t limit = segment_plan_limit(lanes, most);
		for (unsigned k = 0; k < BATCH_LANES; k++) {
			if (lanes[k].blocks > longest)
				longest = lanes[k].blocks;
			if (lanes[k].blocks > limit)
				lanes[k].blocks = limit;
		}
		segment_plan_make(&plan, lanes);
		too_many += plan.nsegments > most;
		none += limit == 0;
		wasted += limit < longest &&
			  plan.nsegments + SEGMENT_KNOWN_BLOCKS < most;
	}
	ok(too_many == 0, "a limit of segments is kept");
	ok(none == 0, "a limit always allows some blocks");
	ok(wasted == 0, "a limit allows as many blocks as there can be");
}

static void
test_every_block(void)
{
	clear_lanes(4);
	lanes[7].blocks = SEGMENT_DATA_BLOCKS;
	for (uint32_t i = 0; i < SEGMENT_DATA_BLOCKS; i++)
		ends[7][lanes[7].nends++].block = i + 1;
	segment_plan_make(&plan, lanes);
	ok(plan.blocks == SEGMENT_BLOCKS &&
		   plan.nsegments == SEGMENT_DATA_BLOCKS + 1,
	   "every block of the longest lane may end a message");
	ok(segment_plan_limit(lanes, 256) == 252,
	   "of 256 segments four are left for known answers");
	ok(segment_plan_limit(lanes, 513) == 512 &&
		   segment_plan_limit(lanes, 512) == 508,
	   "nothing is cut off that has segments enough");
}

int
main(void)
{
	srand(1);
	test_example();
	test_idle();
	test_beyond();
	test_limit();
	test_every_block();
	return tap_done();
}
