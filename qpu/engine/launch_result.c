/* SPDX-License-Identifier: MIT */
/* launch: what is made of its results. */
#include "config.h"

#include "qpu/engine/launch.h"

#include <string.h>

#include "qpu/engine/launch_memory.h"
#include "src/base/fips180.h"

void
launch_take(struct launch *launch)
{
	for (unsigned i = 0; i < launch->nprograms; i++) {
		memcpy(launch_results(launch, i), launch_record(launch, i, 0),
		       launch->plans[i].nsegments *
				       sizeof(struct kernel_record) +
			       sizeof(struct kernel_seal));
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			struct launch_lane *from = &launch->lanes[i][lane];

			if (from->put_back)
				memcpy(from->place, from->saved,
				       from->known_blocks * SHA256_BLOCK_BYTES);
			from->put_back = false;
		}
	}
}

/* The record that was stored after this block. */
static const struct kernel_record *
record_after(const struct launch *launch, unsigned program, uint32_t block)
{
	const unsigned number = launch->plans[program].number[block];

	return launch_results(launch, program) + number - 1;
}

/* Two words side by side that look like it are the pattern, not a result. */
static bool
was_stored(const uint32_t row[LAUNCH_ROW_WORDS], uint32_t poison)
{
	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i += 2)
		if (row[i] == poison && row[i + 1] == poison)
			return false;
	return true;
}

static bool
are_stored(const struct launch *launch, unsigned program)
{
	const unsigned nsegments = launch->plans[program].nsegments;
	const uint32_t poison = launch_poison(launch, program);

	for (unsigned i = 0; i < nsegments; i++) {
		const struct kernel_record *record =
			launch_results(launch, program) + i;

		for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
			if (!was_stored(record->state[row], poison))
				return false;
	}
	return true;
}

static bool
is_sealed(const struct launch *launch, unsigned program)
{
	const struct segment_plan *plan = &launch->plans[program];
	const struct kernel_seal *seal =
		(void *)(launch_results(launch, program) + plan->nsegments);
	const uint32_t nonce = launch_nonce(launch, program);
	const uint32_t self = launch_bus(launch, launch_seal(launch, program));
	const uint32_t bytes = plan->blocks * SHA256_BLOCK_BYTES;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (seal->nonce[lane] != nonce || seal->self[lane] != self ||
		    seal->ends[lane] !=
			    launch->lanes[program][lane].bus + bytes)
			return false;
	return true;
}

/* The first lane whose known answer is wrong, or BATCH_LANES. */
static unsigned
wrong_lane(const struct launch *launch, unsigned program)
{
	for (unsigned i = 0; i < BATCH_LANES; i++) {
		const struct launch_lane *lane = &launch->lanes[program][i];
		const struct kernel_record *record = record_after(
			launch, program, lane->blocks + lane->known_blocks);
		const uint32_t *state = known_answer_state(
			&launch->known, lane->known, lane->known_blocks);

		for (unsigned w = 0; w < KERNEL_STATE_ROWS; w++)
			if (record->state[w][i] != state[w])
				return i;
	}
	return BATCH_LANES;
}

bool
launch_check(const struct launch *launch, struct diag *why)
{
	for (unsigned i = 0; i < launch->nprograms; i++) {
		const unsigned lane = wrong_lane(launch, i);

		if (!are_stored(launch, i)) {
			diag_set(why,
				 "QPU program %u has not stored all of its"
				 " results",
				 i);
			return false;
		}
		if (lane < BATCH_LANES) {
			diag_set(why,
				 "wrong answer in lane %u of QPU program"
				 " %u",
				 lane, i);
			return false;
		}
		if (!is_sealed(launch, i)) {
			diag_set(why, "wrong seal of QPU program %u", i);
			return false;
		}
	}
	return true;
}

static void
get_state(const struct kernel_record *record, unsigned lane,
	  uint32_t state[SHA256_STATE_WORDS])
{
	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = record->state[word][lane];
}

static void
collect_lane(const struct launch *launch, unsigned program, unsigned lane,
	     struct batch *batch)
{
	const uint32_t blocks = launch->lanes[program][lane].blocks;
	uint32_t state[SHA256_STATE_WORDS];
	uint32_t last = 0;

	for (uint32_t i = 0; i < batch->nends[lane]; i++) {
		struct batch_end *end = &batch->ends[lane][i];

		if (end->block > blocks)
			break;
		get_state(record_after(launch, program, end->block), lane,
			  end->state);
		last = end->block;
	}
	batch->done[lane] = blocks;
	get_state(record_after(launch, program, blocks), lane, state);
	batch_set_state(batch, lane, last == blocks ? sha256_initial : state);
}

void
launch_announce(const struct launch *launch, struct batch *batches, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		memset(batches[i].done, 0, sizeof(batches[i].done));
	for (unsigned i = 0; i < launch->nprograms; i++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			batches[launch->batches[i]].done[lane] =
				launch->lanes[i][lane].blocks;
}

void
launch_collect(const struct launch *launch, struct batch *batches, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		memset(batches[i].done, 0, sizeof(batches[i].done));
	for (unsigned i = 0; i < launch->nprograms; i++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (launch->lanes[i][lane].blocks > 0)
				collect_lane(launch, i, lane,
					     &batches[launch->batches[i]]);
}
