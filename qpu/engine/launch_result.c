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
		memcpy(launch_opened(launch, i),
		       &launch_opening(launch, i)->record,
		       sizeof(struct kernel_record));
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

	/* The opening's record is before the others. */
	for (unsigned i = 0; i <= nsegments; i++) {
		const struct kernel_record *record =
			launch_opened(launch, program) + i;

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

/* Adds the rows of a state to the proofs of all lanes. */
static void
add_state(uint32_t proofs[LAUNCH_ROW_WORDS],
	  const uint32_t state[KERNEL_STATE_ROWS][LAUNCH_ROW_WORDS])
{
	for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
		for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++)
			proofs[i] = kernel_proof_add(proofs[i], state[row][i]);
}

/* Adds the end of a segment, `bytes` after the lanes' beginnings. */
static void
add_segment(uint32_t proofs[LAUNCH_ROW_WORDS],
	    const struct kernel_record *record,
	    const uint32_t starts[LAUNCH_ROW_WORDS], uint32_t bytes,
	    uint32_t begins, uint32_t next)
{
	add_state(proofs, record->state);
	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++) {
		proofs[i] = kernel_proof_add(proofs[i], starts[i] + bytes);
		proofs[i] = kernel_proof_add(proofs[i], begins) + next;
	}
}

static void
prove_opening(const struct launch *launch, unsigned program,
	      uint32_t proofs[LAUNCH_ROW_WORDS])
{
	const struct kernel_record *record =
		&launch_opening(launch, program)->record;
	uint32_t state[KERNEL_STATE_ROWS][LAUNCH_ROW_WORDS];
	uint32_t starts[LAUNCH_ROW_WORDS];

	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++) {
		const uint32_t *known =
			known_answer_state(&launch->known, launch->opening[i],
					   launch->opening_block);

		for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
			state[row][i] = known[row];
		starts[i] = launch_bus(launch, launch_opening_block(launch, i));
	}
	add_state(proofs, state);
	add_segment(proofs, launch_opened(launch, program), starts,
		    SHA256_BLOCK_BYTES, 0, launch_bus(launch, &record->more));
}

static void
prove_batch(const struct launch *launch, unsigned program,
	    uint32_t proofs[LAUNCH_ROW_WORDS])
{
	const struct segment_plan *plan = &launch->plans[program];
	uint32_t starts[LAUNCH_ROW_WORDS];

	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++)
		starts[i] = launch->lanes[program][i].bus;
	add_state(proofs, launch->loaded[program]);
	for (uint32_t block = 1; block <= plan->blocks; block++) {
		const unsigned number = plan->number[block];

		if (number == 0)
			continue;
		add_segment(
			proofs, launch_results(launch, program) + number - 1,
			starts, block * SHA256_BLOCK_BYTES,
			launch_begins(plan->begins[block]),
			number < plan->nsegments ?
				launch_bus(launch, launch_constants(launch)) :
				launch_bus(launch,
					   &launch_record(launch, program,
							  number - 1)
						    ->more));
	}
}

/* Does the seal's sum say that all was loaded and stored as it was written and
 * found?  What was written is taken from the plan, not from the memory. */
static bool
is_proved(const struct launch *launch, unsigned program)
{
	const struct kernel_seal *seal =
		(void *)(launch_results(launch, program) +
			 launch->plans[program].nsegments);
	const uint32_t nonce = launch_nonce(launch, program);
	uint32_t proofs[LAUNCH_ROW_WORDS] = { 0 };

	prove_opening(launch, program, proofs);
	prove_batch(launch, program, proofs);
	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++)
		if (seal->proof[i] != kernel_proof_add(proofs[i], nonce))
			return false;
	return true;
}

static bool
is_state(const struct kernel_record *record, unsigned lane,
	 const uint32_t *state)
{
	for (unsigned w = 0; w < KERNEL_STATE_ROWS; w++)
		if (record->state[w][lane] != state[w])
			return false;
	return true;
}

/* Is one of a lane's known answers wrong? */
static bool
lane_is_wrong(const struct launch *launch, unsigned program, unsigned number)
{
	const struct launch_lane *lane = &launch->lanes[program][number];
	const uint32_t end = lane->blocks + lane->known_blocks;
	const struct known_answers *known = &launch->known;

	if (!is_state(launch_opened(launch, program), number,
		      known_answer_state(known, launch->opening[number],
					 launch->opening_block + 1)))
		return true;
	if (lane->cut == 0)
		return !is_state(record_after(launch, program, end), number,
				 known_answer_state(known, lane->known,
						    lane->known_blocks));
	return !is_state(record_after(launch, program,
				      lane->blocks + lane->cut),
			 number,
			 known_answer_state(known, lane->known, lane->cut)) ||
	       !is_state(record_after(launch, program, end), number,
			 known_answer_state(known, lane->second,
					    lane->known_blocks - lane->cut));
}

/* The first lane with a wrong known answer, or BATCH_LANES. */
static unsigned
wrong_lane(const struct launch *launch, unsigned program)
{
	unsigned lane = 0;

	while (lane < BATCH_LANES && !lane_is_wrong(launch, program, lane))
		lane++;
	return lane;
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
		if (!is_proved(launch, i)) {
			diag_set(why, "wrong proof of QPU program %u", i);
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
