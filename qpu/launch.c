/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/launch.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/kernel/abi.h"
#include "qpu/kernel/words.h"

enum {
	/* A launch lasts as long as so many blocks, however few it has: 85 us
	 * for the mailbox and 90 for cold caches, 30 for a block (modelled,
	 * 250 MHz). */
	LAUNCH_COST_BLOCKS = 6,
	/* Each such launch checks a column of lanes that are occupied. */
	TURNS_BETWEEN_COLUMNS = 16,
	/* Where the known answer begins: a long run of it does not meet other
	 * lanes in the caches, but is where the last of 192 lanes would be. */
	KNOWN_OFFSET_BYTES = 63 * SHA256_BLOCK_BYTES,
	MOST_LANES = DEVICE_QPUS * BATCH_LANES
};

/* One cache line of uniforms for each QPU. */
struct image_uniforms {
	alignas(KERNEL_ALIGN) struct kernel_uniforms words;
};

struct image {
	alignas(KERNEL_ALIGN) struct kernel_constants constants;
	struct image_uniforms uniforms[DEVICE_QPUS];
	alignas(KERNEL_ALIGN) struct kernel_job jobs[DEVICE_QPUS];
	alignas(KERNEL_CODE_ALIGN) uint64_t code[];
};

_Static_assert((int)KERNEL_LANES == BATCH_LANES &&
	       (int)KERNEL_STATE_ROWS == SHA256_STATE_WORDS,
	       "a batch is a QPU's work");
_Static_assert((int)LAUNCH_SLACK_BYTES >= KERNEL_SLACK_BYTES,
	       "lanes have the slack that the kernels read");
_Static_assert(sizeof(struct kernel_job) % KERNEL_ALIGN == 0,
	       "jobs are lines of their own");

size_t
launch_image_bytes(void)
{
	return sizeof(struct image) +
	       sha256_kernel_nwords * sizeof(*sha256_kernel_words) +
	       KERNEL_CODE_SLACK_BYTES;
}

size_t
launch_known_bytes(uint32_t known_blocks)
{
	return KNOWN_OFFSET_BYTES +
	       (size_t)known_blocks * SHA256_BLOCK_BYTES + KERNEL_SLACK_BYTES;
}

/* Bus address of something in the image. */
static uint32_t
bus_of(const struct launch *launch, const void *what)
{
	return launch->image.bus +
	       (uint32_t)((const uint8_t *)what -
			  (const uint8_t *)launch->image.cpu);
}

void
launch_init(struct launch *launch, unsigned qpus,
	    const struct device_memory *image_memory,
	    const struct device_memory *known, uint32_t known_blocks)
{
	struct image *image = image_memory->cpu;

	memset(launch, 0, sizeof(*launch));
	launch->qpus = qpus;
	launch->image = *image_memory;
	launch->known = *known;
	launch->known_blocks = known_blocks;
	memset(image, 0, launch_image_bytes());
	memcpy(image->constants.k, sha256_k, sizeof(image->constants.k));
	image->constants.self = bus_of(launch, &image->constants);
	memcpy(image->code, sha256_kernel_words,
	       sha256_kernel_nwords * sizeof(*sha256_kernel_words));
	known_answer_fill((uint8_t *)known->cpu + KNOWN_OFFSET_BYTES,
			  known_blocks);
	for (unsigned i = 0; i < qpus; i++) {
		struct kernel_uniforms *uniforms = &image->uniforms[i].words;

		uniforms->job = bus_of(launch, &image->jobs[i]);
		uniforms->constants = bus_of(launch, &image->constants);
		launch->programs[i] = (struct device_program){
			.code = bus_of(launch, image->code),
			.uniforms = bus_of(launch, uniforms),
			.results = uniforms->job,
			.result_rows = KERNEL_STATE_ROWS
		};
	}
}

static struct kernel_job *
job_of(const struct launch *launch, unsigned program)
{
	struct image *image = launch->image.cpu;

	return &image->jobs[program];
}

/* A lane that hashes a run of the known answer. */
static void
plan_known(struct launch *launch, unsigned program, unsigned lane,
	   struct known_run run)
{
	struct kernel_job *job = job_of(launch, program);
	const uint32_t *state = known_answer_state(run.first);

	launch->lanes[program][lane].known = run;
	for (unsigned word = 0; word < KERNEL_STATE_ROWS; word++)
		job->state[word][lane] = state[word];
	job->data[lane] = launch->known.bus + KNOWN_OFFSET_BYTES +
			  run.first * SHA256_BLOCK_BYTES;
	job->nblocks[lane] = run.count;
}

/* The last of the QPUs waits for the others. */
static void
finish_plan(struct launch *launch)
{
	struct image *image = launch->image.cpu;
	const unsigned n = launch->nprograms;

	for (unsigned i = 0; i < n; i++)
		image->uniforms[i].words.finish = i + 1 == n ? n : 0;
}

static void
begin_plan(struct launch *launch)
{
	launch->nprograms = 0;
	launch->longest = 0;
	launch->blocks = launch->vectors = 0;
	memset(launch->lanes, 0, sizeof(launch->lanes));
}

void
launch_plan_test(struct launch *launch)
{
	begin_plan(launch);
	for (unsigned i = 0; i < launch->qpus; i++, launch->nprograms++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			plan_known(launch, i, lane, (struct known_run){
				.first = lane + i,
				.count = 1 + (lane + i) % 4
			});
	launch->longest = 4;
	finish_plan(launch);
}

static int
compare_lengths(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * How long should a launch be?  When it ends at block L, a lane of n blocks
 * has done min(n, L) of them, in the time of L + LAUNCH_COST_BLOCKS: the best
 * L is the length of some lane.
 */
static uint32_t
best_length(uint32_t *lengths, unsigned n)
{
	uint64_t shorter = 0;	/* blocks of the lanes before */
	uint32_t best = 0;
	double best_rate = 0;

	qsort(lengths, n, sizeof(*lengths), compare_lengths);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t blocks =
			shorter + (uint64_t)lengths[i] * (n - i);
		const double rate = (double)blocks /
				    ((double)lengths[i] + LAUNCH_COST_BLOCKS);

		if (rate >= best_rate) {
			best_rate = rate;
			best = lengths[i];
		}
		shorter += lengths[i];
	}
	return best;
}

static unsigned
occupied_lanes(const struct batch *batch)
{
	unsigned occupied = 0;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		occupied += batch->nblocks[lane] > 0;
	return occupied;
}

/* Which batches, in which order; the last one's last lane is free if any
 * batch has a free last lane to offer. */
static void
choose_batches(struct launch *launch, const struct batch *batches, unsigned n)
{
	const unsigned last = BATCH_LANES - 1;
	unsigned programs = 0, spare = n;

	for (unsigned i = 0; i < n; i++) {
		if (occupied_lanes(&batches[i]) > 0)
			launch->batches[programs++] = i;
		else
			spare = i;
	}
	if (programs > 0 && spare < n &&
	    batches[launch->batches[programs - 1]].nblocks[last] > 0)
		launch->batches[programs++] = spare;
	launch->nprograms = programs;
}

/*
 * Is the lane's message to wait for the next launch?  At most one lane of a
 * batch is, and never the only one.
 */
static bool
is_held_back(const struct launch *launch, unsigned program,
	     const struct batch *batch, unsigned lane)
{
	const unsigned occupied = occupied_lanes(batch);
	const uint64_t round = launch->turn / TURNS_BETWEEN_COLUMNS;

	if (occupied < 2)
		return false;
	if (launch->turn % TURNS_BETWEEN_COLUMNS == TURNS_BETWEEN_COLUMNS - 1)
		return lane == round % BATCH_LANES;
	/* A caller that leaves no lane for the check. */
	return occupied == BATCH_LANES && program + 1 == launch->nprograms &&
	       lane == launch->turn % BATCH_LANES;
}

/* Blocks on offer, of lanes that are not held back; and how far to go. */
static void
choose_lengths(struct launch *launch, const struct batch *batches,
	       uint32_t most_blocks)
{
	uint32_t lengths[MOST_LANES];
	unsigned n = 0;

	for (unsigned i = 0; i < launch->nprograms; i++) {
		const struct batch *batch = &batches[launch->batches[i]];

		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			uint32_t blocks = batch->nblocks[lane];

			if (blocks == 0 || is_held_back(launch, i, batch, lane))
				continue;
			if (blocks > most_blocks)
				blocks = most_blocks;
			launch->lanes[i][lane].blocks = blocks;
			lengths[n++] = blocks;
		}
	}
	launch->longest = best_length(lengths, n);
}

/* Every address that a QPU reads from is inside of what is ours. */
static bool
find_data(const uint8_t *data, uint32_t blocks,
	  const struct device_memory *memories, unsigned nmemories,
	  uint32_t *bus)
{
	const size_t bytes = (size_t)blocks * SHA256_BLOCK_BYTES +
			     KERNEL_SLACK_BYTES;

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

/* Fill in the messages of a batch; the length of its longest, or -1. */
static int64_t
plan_messages(struct launch *launch, unsigned program,
	      const struct batch *batch, const struct device_memory *memories,
	      unsigned nmemories)
{
	struct kernel_job *job = job_of(launch, program);
	uint32_t longest = 0;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		uint32_t *blocks = &launch->lanes[program][lane].blocks;

		if (*blocks == 0)
			continue;
		if (*blocks > launch->longest)
			*blocks = launch->longest;
		if (*blocks > longest)
			longest = *blocks;
		if (!find_data(batch->data[lane], *blocks, memories, nmemories,
			       &job->data[lane]))
			return -1;
		job->nblocks[lane] = *blocks;
		for (unsigned word = 0; word < KERNEL_STATE_ROWS; word++)
			job->state[word][lane] = batch->state[word][lane];
		launch->blocks += *blocks;
	}
	return longest;
}

bool
launch_plan(struct launch *launch, const struct batch *batches, unsigned n,
	    const struct device_memory *memories, unsigned nmemories,
	    uint32_t most_blocks, struct diag *why)
{
	begin_plan(launch);
	choose_batches(launch, batches, n);
	choose_lengths(launch, batches, most_blocks);
	for (unsigned i = 0; i < launch->nprograms; i++) {
		const struct batch *batch = &batches[launch->batches[i]];
		int64_t longest = plan_messages(launch, i, batch, memories,
						nmemories);

		if (longest < 0) {
			diag_set(why, "data lie outside of its memory");
			return false;
		}
		/* Nothing but a check, or all held back. */
		if (longest == 0)
			longest = launch->longest;

		const struct known_run run = known_answer_run(
			(uint32_t)longest, launch->known_blocks);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (launch->lanes[i][lane].blocks == 0)
				plan_known(launch, i, lane, run);
		launch->vectors += (uint64_t)longest;
	}
	launch->turn++;
	finish_plan(launch);
	return true;
}

bool
launch_check(const struct launch *launch, struct diag *why)
{
	for (unsigned i = 0; i < launch->nprograms; i++) {
		const struct kernel_job *job = job_of(launch, i);

		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const struct known_run run =
				launch->lanes[i][lane].known;
			const uint32_t *state;

			if (run.count == 0)
				continue;
			state = known_answer_state(run.first + run.count);
			for (unsigned w = 0; w < KERNEL_STATE_ROWS; w++)
				if (job->state[w][lane] != state[w]) {
					diag_set(why, "wrong answer in lane %u"
						 " of QPU program %u", lane, i);
					return false;
				}
		}
	}
	return true;
}

void
launch_collect(const struct launch *launch, struct batch *batches, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		memset(batches[i].done, 0, sizeof(batches[i].done));
	for (unsigned i = 0; i < launch->nprograms; i++) {
		struct batch *batch = &batches[launch->batches[i]];
		const struct kernel_job *job = job_of(launch, i);

		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const uint32_t blocks = launch->lanes[i][lane].blocks;

			if (blocks == 0)
				continue;
			batch->done[lane] = blocks;
			for (unsigned w = 0; w < KERNEL_STATE_ROWS; w++)
				batch->state[w][lane] = job->state[w][lane];
		}
	}
}
