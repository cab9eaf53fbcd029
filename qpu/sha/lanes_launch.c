/* SPDX-License-Identifier: MIT */
/* lanes_launch: what a launch hashes. */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include <string.h>

enum {
	/* Blocks of a QPU that has nothing else to do: a model would take longer
	 * with more. */
	IDLE_MOST = 64,
	/* Between the blocks of two lanes in the chain: an odd number of cache
	 * lines keeps them out of each other's way. */
	IDLE_STEP = KNOWN_STRIDE - 1,
	/* Between the messages of two launches. */
	KNOWN_STEP = 61
};

_Static_assert((int)LANES_SEGMENTS_LEAST >= 2 * SEGMENT_KNOWN_BLOCKS,
	       "a plan can be cut to the fewest records");

/* Segments ------------------------------------------------------------------ */

/* Add the ends of a lane's messages, of a message that goes on in the next
 * launch, and of the known answers, with which a lane without blocks begins. */
static void
add_ends(struct segment_plan *plan, const struct lane_plan *lane,
	 unsigned number)
{
	const uint32_t end = lane->blocks + lane->known_blocks;
	const uint32_t bit = UINT32_C(1) << (31 - number);

	for (uint32_t i = 0; lane->blocks > 0 && i < lane->of->nends; i++) {
		const uint32_t block = lane->of->ends[i].block;

		if (block > lane->blocks)
			break;
		plan->number[block] = 1;
		plan->begins[block] |= bit;
	}
	plan->number[lane->blocks] = 1;
	plan->begins[lane->blocks] |= bit;
	plan->number[end] = 1;
	if (end > plan->blocks)
		plan->blocks = end;
}

static void
make_segments(struct segment_plan *plan,
	      const struct lane_plan lanes[KERNEL_LANES])
{
	memset(plan, 0, sizeof(*plan));
	for (unsigned i = 0; i < KERNEL_LANES; i++)
		add_ends(plan, &lanes[i], i);
	for (uint32_t block = 1; block <= plan->blocks; block++)
		if (plan->number[block])
			plan->number[block] = (uint16_t)++plan->nsegments;
}

/*
 * The most blocks of messages that a lane may have so that there are at most
 * most_segments segments.
 *
 * The cut is after the segment that leaves room for SEGMENT_KNOWN_BLOCKS more, the
 * ends of known answers of lanes that are cut there.  Where there are too many
 * segments the cut is before the end of the longest lane, since no more segments
 * than these follow that.
 */
static uint32_t
limit_of(const struct lane_plan lanes[KERNEL_LANES], unsigned most_segments)
{
	const unsigned last = most_segments - SEGMENT_KNOWN_BLOCKS;
	struct segment_plan plan;
	uint32_t block = last; /* a segment has at least one */

	make_segments(&plan, lanes);
	if (plan.nsegments <= most_segments)
		return SEGMENT_DATA_BLOCKS;
	while (plan.number[block] != last)
		block++;
	return block;
}

/* Lanes --------------------------------------------------------------------- */

/* The first known message of a launch: of the second of two it is the complement
 * of what the first one had. */
static uint32_t
first_known(const struct lanes_launch *launch)
{
	return launch->salt + (uint32_t)(launch->turn / 2) * KNOWN_STEP +
	       (uint32_t)(launch->turn % 2) * (KNOWN_MESSAGES / 2);
}

/* Give a program lanes[0..n), n <= 16; the others hash known answers. */
static void
assign_lanes(struct lanes_launch *launch, unsigned program,
	     struct engine_lane *lanes, unsigned n)
{
	for (unsigned i = 0; i < KERNEL_LANES; i++)
		launch->lanes[program][i] = (struct lane_plan){
			.of = i < n ? &lanes[i] : NULL,
			.known = (first_known(launch) + program * KERNEL_LANES +
				  i) %
				 KNOWN_MESSAGES,
			.known_blocks = SEGMENT_KNOWN_BLOCKS
		};
}

/* Choose the blocks of a program's lanes: at most most_blocks of messages and as
 * many segments as there are records. */
static void
choose_blocks(struct lanes_launch *launch, unsigned program,
	      uint32_t most_blocks)
{
	struct lane_plan *lanes = launch->lanes[program];
	uint32_t limit;

	for (unsigned i = 0; i < KERNEL_LANES; i++) {
		const uint32_t all = lanes[i].of ? lanes[i].of->nblocks : 0;

		lanes[i].blocks = all < most_blocks ? all : most_blocks;
	}
	limit = limit_of(lanes, launch->most_segments);
	for (unsigned i = 0; i < KERNEL_LANES; i++)
		if (lanes[i].blocks > limit)
			lanes[i].blocks = limit;
}

/* Lanes without blocks hash a run of one half of the chain, and in the next launch
 * the complement, in the same places. */
static void
choose_idle(const struct lanes_launch *launch, struct lane_plan *lane,
	    uint32_t blocks)
{
	enum { HALF = KNOWN_BLOCKS / 2, RUNS = KNOWN_MESSAGES / 2 };

	if (blocks > HALF)
		blocks = HALF;
	lane->start = lane->known % RUNS * IDLE_STEP;
	if (lane->start > HALF - blocks)
		lane->start = HALF - blocks;
	lane->start += lane->known / RUNS * HALF;
	lane->known_blocks = blocks;
	lane->bus = lanes_bus(launch, lanes_chain(launch, lane->start));
}

/* Plan blocks and segments of a program: at most most_blocks of messages in a
 * lane, and idle_blocks where there are none. */
static void
plan_program(struct lanes_launch *launch, unsigned program,
	     uint32_t most_blocks, uint32_t idle_blocks)
{
	struct segment_plan *plan = &launch->plans[program];
	struct lane_plan *lanes = launch->lanes[program];

	choose_blocks(launch, program, most_blocks);
	for (unsigned i = 0; i < KERNEL_LANES; i++) {
		launch->blocks += lanes[i].blocks;
		if (lanes[i].blocks == 0)
			choose_idle(launch, &lanes[i], idle_blocks);
	}
	make_segments(plan, lanes);
	launch->vectors += plan->blocks;
	if (plan->blocks > launch->longest)
		launch->longest = plan->blocks;
}

/* Give each 16 lanes that have work to a program.  Return the blocks of
 * the longest lane. */
static uint32_t
choose_lanes(struct lanes_launch *launch, struct engine_lane *lanes, unsigned n,
	     uint32_t most_blocks)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < n; i += KERNEL_LANES) {
		const unsigned here = n - i < KERNEL_LANES ? n - i :
							     KERNEL_LANES;
		const unsigned program = launch->nbusy;
		bool occupied = false;

		for (unsigned lane = 0; lane < here; lane++)
			occupied |= lanes[i + lane].nblocks > 0;
		if (!occupied)
			continue;
		launch->nbusy++;
		assign_lanes(launch, program, &lanes[i], here);
		choose_blocks(launch, program, most_blocks);
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			if (launch->lanes[program][lane].blocks > longest)
				longest = launch->lanes[program][lane].blocks;
	}
	return longest;
}

/* Places -------------------------------------------------------------------- */

/* The bus address of a lane's data.  False if not all that a QPU reads there,
 * and the known answer, is in one of the memories. */
static bool
find_data(const uint8_t *data, uint32_t blocks,
	  const struct way_memory *memories, unsigned nmemories, uint32_t *bus)
{
	const size_t bytes =
		(size_t)blocks * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES;

	for (unsigned i = 0; i < nmemories; i++) {
		const size_t offset =
			(uintptr_t)data - (uintptr_t)memories[i].cpu;

		if (offset >= memories[i].bytes || offset % KERNEL_ALIGN != 0)
			continue;
		*bus = memories[i].bus + (uint32_t)offset;
		return memories[i].bytes - offset >= bytes;
	}
	return false;
}

/* Place the lanes, and the known answers after their blocks. */
static bool
place_lanes(struct lanes_launch *launch, unsigned program,
	    const struct way_memory *memories, unsigned nmemories)
{
	const uint32_t blocks = launch->plans[program].blocks;

	for (unsigned i = 0; i < KERNEL_LANES; i++) {
		struct lane_plan *lane = &launch->lanes[program][i];

		if (lane->blocks == 0)
			continue;
		if (!find_data(lane->of->data, blocks, memories, nmemories,
			       &lane->bus))
			return false;
		/* The caller lends it: see engine.h. */
		lane->place = (uint8_t *)(uintptr_t)lane->of->data +
			      (size_t)lane->blocks * SHA256_BLOCK_BYTES;
		lane->put_back = lane->blocks < lane->of->nblocks;
	}
	return true;
}

/* Return whether a lane has no messages. */
static bool
has_idle(const struct lanes_launch *launch, const struct engine_lane *lanes,
	 unsigned n)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < n; i++)
		busy += lanes[i].nblocks > 0;
	return busy < launch->qpus * KERNEL_LANES;
}

/* The launch ---------------------------------------------------------------- */

bool
lanes_plan(struct lanes_launch *launch, struct engine_lane *lanes, unsigned n,
	   const struct way_memory *memories, unsigned nmemories,
	   uint32_t most_blocks, struct diag *why)
{
	uint32_t longest, idle;

	launch->turn++;
	launch->nbusy = 0;
	launch->longest = 0;
	launch->blocks = launch->vectors = 0;
	if (has_idle(launch, lanes, n))
		lanes_swap_chain(launch);
	longest = choose_lanes(launch, lanes, n, most_blocks);
	for (unsigned i = 0; i < n; i++)
		lanes[i].done = 0;
	for (unsigned i = 0; i < launch->nbusy; i++) {
		plan_program(launch, i, longest,
			     longest + SEGMENT_KNOWN_BLOCKS);
		if (!place_lanes(launch, i, memories, nmemories)) {
			diag_set(why, "data lie outside of its memory");
			return false;
		}
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			if (launch->lanes[i][lane].of)
				launch->lanes[i][lane].of->done =
					launch->lanes[i][lane].blocks;
	}
	/* QPUs without work hash known answers, for as long as the others work;
	 * of a test they have all blocks. */
	idle = launch->longest < IDLE_MOST ? launch->longest : IDLE_MOST;
	if (launch->nbusy == 0)
		idle = most_blocks;
	for (unsigned i = launch->nbusy; i < launch->qpus; i++) {
		assign_lanes(launch, i, NULL, 0);
		plan_program(launch, i, 0, idle);
	}
	lanes_fill(launch);
	return true;
}

bool
lanes_reads(const struct lanes_launch *launch, const struct way_memory *memory)
{
	for (unsigned i = 0; i < launch->nbusy; i++)
		for (unsigned k = 0; k < KERNEL_LANES; k++)
			if (launch->lanes[i][k].bus - memory->bus <
			    memory->bytes)
				return true;
	return false;
}
