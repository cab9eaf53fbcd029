/* SPDX-License-Identifier: MIT */
/* lanes_launch: planning, and filling the memory. */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/lanes_memory.h"
#include "src/base/fips180.h"

enum {
	MOST_LANES = DEVICE_QPUS * BATCH_LANES,
	/* A launch of few blocks has fewer known answers. */
	FEW_BLOCKS = 64,
	/* Blocks of a QPU that has nothing else to do: a model would take longer
	 * with more. */
	IDLE_MOST = 64,
	/* Between the blocks of two lanes in the chain: an odd number of cache
	 * lines keeps them out of each other's way. */
	IDLE_STEP = KNOWN_STRIDE - 1,
	/* Between the messages of two launches. */
	KNOWN_STEP = 61
};

/* The first known message of a launch: of the second of two it is the complement
 * of what the first one had. */
static uint32_t
first_known(const struct lanes_launch *launch)
{
	return launch->salt + (uint32_t)(launch->turn / 2) * KNOWN_STEP +
	       (uint32_t)(launch->turn % 2) * (KNOWN_MESSAGES / 2);
}

/* Choose the known answers of openings and closings, which are blocks of the
 * chain.  What is at the same place is the same block. */
static void
choose_frames(struct lanes_launch *launch)
{
	memcpy(launch->old_frames, launch->frames[LANES_CLOSING],
	       sizeof(launch->old_frames));
	for (unsigned i = 0; i < LANES_SIDES * BATCH_LANES; i++) {
		const enum lanes_side side = i / BATCH_LANES;
		const unsigned lane = i % BATCH_LANES;
		const unsigned known = first_known(launch) +
				       lanes_frame_place(launch, side, lane);

		launch->frames[side][lane] =
			known % KNOWN_MESSAGES * KNOWN_STRIDE + 1 +
			(unsigned)(launch->turn / 2 % (KNOWN_STRIDE - 1));
	}
}

static void
begin_plan(struct lanes_launch *launch)
{
	launch->turn++;
	launch->nbatches = 0;
	launch->longest = 0;
	launch->blocks = launch->vectors = 0;
	memset(launch->lanes, 0, sizeof(launch->lanes));
	choose_frames(launch);
}

static int
compare_lengths(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Blocks of all lanes per time of a block, with the cost of launches. */
static double
rate_of(uint64_t blocks, uint32_t length, unsigned launches)
{
	return (double)blocks /
	       ((double)length + (double)launches * LANES_COST_BLOCKS);
}

/*
 * How long should a launch be?  When it ends at block L, a lane of n blocks
 * has done min(n, L) of them: the best L is the length of some lane.
 *
 * The rest of longer lanes needs another launch, even if all other lanes have
 * as much to do by then.  If two such launches would do less per time than one
 * that is as long as the longest lane, the launch is that long.
 */
static uint32_t
best_length(uint32_t *lengths, unsigned n)
{
	const uint32_t *best = lengths;
	uint64_t shorter = 0; /* blocks of the lanes before */
	uint64_t best_blocks = 0;

	if (n == 0)
		return 0;
	qsort(lengths, n, sizeof(*lengths), compare_lengths);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t blocks =
			shorter + (uint64_t)lengths[i] * (n - i);

		if (rate_of(blocks, lengths[i], 1) >=
		    rate_of(best_blocks, *best, 1)) {
			best_blocks = blocks;
			best = &lengths[i];
		}
		shorter += lengths[i];
	}

	const uint32_t longest = lengths[n - 1];
	best_blocks += (uint64_t)(longest - *best) * n;
	return rate_of(best_blocks, longest, 2) > rate_of(shorter, longest, 1) ?
		       *best :
		       longest;
}

static bool
is_occupied(const struct batch *batch)
{
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (batch->nblocks[lane] > 0)
			return true;
	return false;
}

static void
choose_known(struct lanes_launch *launch, unsigned program)
{
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		struct lane_course *to = &launch->lanes[program][lane];

		to->known =
			(first_known(launch) + program * BATCH_LANES + lane) %
			KNOWN_MESSAGES;
		to->known_blocks = SEGMENT_KNOWN_BLOCKS;
	}
}

/* Lanes without blocks hash a run of the chain of all known blocks.  In the next
 * launch it is the complement, in the same sets of the caches. */
static void
choose_idle(const struct lanes_launch *launch, struct lane_course *lane,
	    uint32_t blocks)
{
	lane->start = lane->known / (KNOWN_MESSAGES / 2) * (KNOWN_BLOCKS / 2) +
		      lane->known % (KNOWN_MESSAGES / 2) * IDLE_STEP;
	if (lane->start > KNOWN_BLOCKS - blocks)
		lane->start -= KNOWN_BLOCKS / 2;
	lane->known_blocks = blocks;
	lane->bus = lanes_bus(launch, lanes_chain(launch, lane->start));
}

/* The course of a program's lanes: at most most_blocks of messages and as many
 * segments as there are records; batch NULL: known answers only. */
static void
choose_course(const struct lanes_launch *launch, unsigned program,
	      const struct batch *batch, uint32_t most_blocks,
	      struct segment_lane lanes[BATCH_LANES])
{
	memset(lanes, 0, BATCH_LANES * sizeof(*lanes));
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		struct segment_lane *to = &lanes[lane];

		to->known = launch->lanes[program][lane].known_blocks;
		if (!batch)
			continue;
		to->blocks = batch->nblocks[lane];
		if (to->blocks > most_blocks)
			to->blocks = most_blocks;
		to->ends = batch->ends[lane];
		to->nends = batch->nends[lane];
	}

	const uint32_t limit = segment_plan_limit(lanes, launch->most_segments);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (lanes[lane].blocks > limit)
			lanes[lane].blocks = limit;
}

/* Choose the batches that take part, and the blocks that their lanes do. */
static uint32_t
choose_batches(struct lanes_launch *launch, const struct batch *batches,
	       unsigned n, uint32_t most_blocks)
{
	uint32_t lengths[MOST_LANES];
	unsigned nlengths = 0;

	for (unsigned i = 0; i < n; i++) {
		const unsigned program = launch->nbatches;
		struct segment_lane lanes[BATCH_LANES];

		if (!is_occupied(&batches[i]))
			continue;
		launch->batches[launch->nbatches++] = i;
		choose_known(launch, program);
		choose_course(launch, program, &batches[i], most_blocks, lanes);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (lanes[lane].blocks > 0)
				lengths[nlengths++] = lanes[lane].blocks;
	}
	return best_length(lengths, nlengths);
}

/* Plan blocks and segments of a program: at most most_blocks of messages in a
 * lane, and idle_blocks where there are none. */
static void
plan_segments(struct lanes_launch *launch, unsigned program,
	      const struct batch *batch, uint32_t most_blocks,
	      uint32_t idle_blocks)
{
	struct segment_plan *plan = &launch->plans[program];
	struct segment_lane lanes[BATCH_LANES];

	choose_course(launch, program, batch, most_blocks, lanes);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		struct lane_course *course = &launch->lanes[program][lane];

		course->blocks = lanes[lane].blocks;
		launch->blocks += lanes[lane].blocks;
		if (course->blocks > 0)
			continue;
		choose_idle(launch, course, idle_blocks);
		lanes[lane].known = course->known_blocks;
	}
	segment_plan_make(plan, lanes);
	launch->vectors += plan->blocks;
	if (plan->blocks > launch->longest)
		launch->longest = plan->blocks;
}

/* The bus address of a lane's data.  False if not all that a QPU reads there,
 * and the known answer, is in one of the memories. */
static bool
find_data(const uint8_t *data, uint32_t blocks,
	  const struct device_memory *memories, unsigned nmemories,
	  uint32_t *bus)
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
	    const struct batch *batch, const struct device_memory *memories,
	    unsigned nmemories)
{
	const uint32_t blocks = launch->plans[program].blocks;

	for (unsigned i = 0; i < BATCH_LANES; i++) {
		struct lane_course *lane = &launch->lanes[program][i];

		if (lane->blocks == 0)
			continue;
		if (!find_data(batch->data[i], blocks, memories, nmemories,
			       &lane->bus))
			return false;
		/* The caller lends it: see engine.h. */
		lane->place = (uint8_t *)(uintptr_t)batch->data[i] +
			      (size_t)lane->blocks * SHA256_BLOCK_BYTES;
		lane->put_back = lane->blocks < batch->nblocks[i];
	}
	return true;
}

static void
fill_lanes(struct lanes_launch *launch, unsigned program)
{
	for (unsigned i = 0; i < BATCH_LANES; i++) {
		struct lane_course *lane = &launch->lanes[program][i];

		if (lane->blocks == 0)
			continue;
		if (lane->put_back)
			memcpy(lane->saved, lane->place, sizeof(lane->saved));
		memcpy(lane->place,
		       known_block(&launch->known, lane->known * KNOWN_STRIDE),
		       sizeof(lane->saved));
	}
}

static void
fill_row(uint32_t row[LANES_ROW_WORDS], uint32_t word)
{
	for (unsigned i = 0; i < LANES_ROW_WORDS; i++)
		row[i] = word;
}

/* The blocks of all openings and closings. */
static void
fill_frame_blocks(struct lanes_launch *launch)
{
	for (unsigned i = 0; i < LANES_SIDES * BATCH_LANES; i++) {
		const enum lanes_side side = i / BATCH_LANES;
		const unsigned lane = i % BATCH_LANES;

		memcpy(lanes_frame_block(launch, side, lane),
		       known_block(&launch->known, launch->frames[side][lane]),
		       SHA256_BLOCK_BYTES);
	}
}

/* After this record of the last segment of a job another job follows. */
static void
chain_job(const struct lanes_launch *launch, struct kernel_record *record,
	  const struct kernel_job *job)
{
	record->blocks = KERNEL_NO_SEGMENT;
	record->next = lanes_bus(launch, &record->more);
	record->more = 1;
	record->job.job = lanes_bus(launch, job);
	record->job.constants = lanes_constants(launch)->self;
}

static void
fill_frame(struct lanes_launch *launch, unsigned program, enum lanes_side side)
{
	struct lanes_frame *frame = lanes_frame(launch, program, side);

	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		const uint32_t *state =
			lanes_frame_state(launch, side, lane, 0);

		for (unsigned word = 0; word < KERNEL_STATE_ROWS; word++)
			frame->job.state[word][lane] = state[word];
		frame->job.data[lane] = lanes_bus(
			launch, lanes_frame_block(launch, side, lane));
		frame->job.nblocks[lane] = 1;
	}
	for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
		fill_row(frame->record.state[row],
			 lanes_poison(launch, program));
	frame->record.begins = 0;
}

/* Write the uniforms that follow the last job, whose last record this is. */
static void
fill_end(struct lanes_launch *launch, unsigned program,
	 struct kernel_record *record)
{
	const uint32_t poison = lanes_poison(launch, program);
	struct kernel_seal *seal = lanes_seal(launch, program);

	record->blocks = KERNEL_NO_SEGMENT;
	record->next = lanes_bus(launch, &record->more);
	record->more = 0;
	record->turns = lanes_turns(launch);
	record->nonce = lanes_nonce(launch, program);
	/* The last of the QPUs waits for the others. */
	record->finish = program + 1 == launch->qpus ? launch->qpus : 0;
	fill_row(seal->nonce, poison);
	fill_row(seal->ends, poison);
	fill_row(seal->self, poison);
	fill_row(seal->proof, poison);
}

static void
fill_job(struct lanes_launch *launch, unsigned program,
	 const struct batch *batch)
{
	struct kernel_job *job = lanes_job(launch, program);
	uint32_t blocks = 1;

	while (!launch->plans[program].number[blocks])
		blocks++;
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		const struct lane_course *course =
			&launch->lanes[program][lane];
		const bool known = course->blocks == 0;

		for (unsigned word = 0; word < KERNEL_STATE_ROWS; word++)
			launch->loaded[program][word][lane] =
				known ? lanes_idle_state(launch, course,
							 0)[word] :
					batch->state[word][lane];
		job->data[lane] = course->bus;
		job->nblocks[lane] = blocks;
	}
	memcpy(job->state, launch->loaded[program], sizeof(job->state));
}

static void
fill_records(struct lanes_launch *launch, unsigned program)
{
	const struct segment_plan *plan = &launch->plans[program];
	const uint32_t poison = lanes_poison(launch, program);
	struct kernel_record *record = lanes_record(launch, program, 0);
	uint32_t end = 0; /* of the segment before */

	for (uint32_t block = 1; block <= plan->blocks; block++) {
		if (!plan->number[block])
			continue;
		/* The first one's length is in the job. */
		if (end > 0)
			record[-1].blocks = block - end - 1;
		for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
			fill_row(record->state[row], poison);
		record->begins = lanes_begins(plan->begins[block]);
		record->next = lanes_constants(launch)->self;
		end = block;
		record++;
	}
}

static void
fill_program(struct lanes_launch *launch, unsigned program,
	     const struct batch *batch)
{
	struct lanes_frame *opening =
		lanes_frame(launch, program, LANES_OPENING);
	struct lanes_frame *closing =
		lanes_frame(launch, program, LANES_CLOSING);
	struct kernel_record *last = lanes_record(
		launch, program, launch->plans[program].nsegments - 1);

	lanes_begin(launch, program);
	if (lanes_has(launch, program, LANES_OPENING)) {
		fill_frame(launch, program, LANES_OPENING);
		chain_job(launch, &opening->record, lanes_job(launch, program));
	}
	fill_lanes(launch, program);
	fill_job(launch, program, batch);
	fill_records(launch, program);
	if (lanes_has(launch, program, LANES_CLOSING)) {
		chain_job(launch, last, &closing->job);
		fill_frame(launch, program, LANES_CLOSING);
		last = &closing->record;
	}
	fill_end(launch, program, last);
	launch->programs[program].result_rows =
		(unsigned)((uint8_t *)(lanes_seal(launch, program) + 1) -
			   (uint8_t *)&opening->record) /
		(LANES_ROW_WORDS * 4);
}

/* QPUs without a batch hash known answers, for as long as the others work; of a
 * test they have all blocks. */
static void
plan_idle(struct lanes_launch *launch, uint32_t most_blocks)
{
	const uint32_t blocks = launch->nbatches == 0	    ? most_blocks :
				launch->longest < IDLE_MOST ? launch->longest :
							      IDLE_MOST;

	for (unsigned i = launch->nbatches; i < launch->qpus; i++) {
		choose_known(launch, i);
		plan_segments(launch, i, NULL, 0, blocks);
	}
}

bool
lanes_plan(struct lanes_launch *launch, const struct batch *batches, unsigned n,
	   const struct device_memory *memories, unsigned nmemories,
	   uint32_t most_blocks, struct diag *why)
{
	uint32_t longest;

	begin_plan(launch);
	longest = choose_batches(launch, batches, n, most_blocks);
	launch->is_short = launch->nbatches > 0 && longest < FEW_BLOCKS &&
			   launch->qpus == DEVICE_QPUS;
	for (unsigned i = 0; i < launch->nbatches; i++) {
		const struct batch *batch = &batches[launch->batches[i]];

		plan_segments(launch, i, batch, longest,
			      longest + SEGMENT_KNOWN_BLOCKS);
		if (!place_lanes(launch, i, batch, memories, nmemories)) {
			diag_set(why, "data lie outside of its memory");
			return false;
		}
	}
	plan_idle(launch, most_blocks);
	for (unsigned i = 0; i < launch->qpus; i++)
		fill_program(launch, i,
			     i < launch->nbatches ?
				     &batches[launch->batches[i]] :
				     NULL);
	fill_frame_blocks(launch);
	return true;
}

bool
lanes_reads(const struct lanes_launch *launch,
	    const struct device_memory *memory)
{
	for (unsigned i = 0; i < launch->nbatches; i++)
		for (unsigned k = 0; k < BATCH_LANES; k++)
			if (launch->lanes[i][k].bus - memory->bus <
			    memory->bytes)
				return true;
	return false;
}
