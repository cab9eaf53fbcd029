/* SPDX-License-Identifier: MIT */
/* launch: what is made of its results. */
#include "config.h"

#include "qpu/sha/launch.h"

#include <string.h>

#include "qpu/sha/launch_memory.h"
#include "src/base/fips180.h"

void
launch_take(struct launch *launch)
{
	for (unsigned i = 0; i < launch->nprograms; i++) {
		for (unsigned side = 0; side < LAUNCH_SIDES; side++)
			*launch_taken_frame(launch, i, side) =
				launch_frame(launch, i, side)->record;
		memcpy(launch_results(launch, i), launch_record(launch, i, 0),
		       launch->plans[i].nsegments *
			       sizeof(struct kernel_record));
		*launch_taken_seal(launch, i) = *launch_seal(launch, i);
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
	const struct kernel_record *record =
		launch_taken_frame(launch, program, LAUNCH_OPENING);
	const struct kernel_record *last =
		launch_taken_frame(launch, program, LAUNCH_CLOSING);
	const uint32_t poison = launch_poison(launch, program);

	for (; record <= last; record++) {
		for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
			if (!was_stored(record->state[row], poison))
				return false;
	}
	return true;
}

/* The address of a lane's block in openings or closings. */
static uint32_t
frame_bus(const struct launch *launch, enum launch_side side, unsigned lane)
{
	return launch_bus(launch, launch_frame_block(launch, side, lane));
}

static bool
is_sealed(const struct launch *launch, unsigned program)
{
	const struct kernel_seal *seal = launch_taken_seal(launch, program);
	const uint32_t nonce = launch_nonce(launch, program);
	const uint32_t self = launch_bus(launch, launch_seal(launch, program));

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (seal->nonce[lane] != nonce || seal->self[lane] != self ||
		    seal->ends[lane] !=
			    frame_bus(launch, LAUNCH_CLOSING, lane) +
				    SHA256_BLOCK_BYTES)
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
prove_frame(const struct launch *launch, unsigned program,
	    enum launch_side side, uint32_t proofs[LAUNCH_ROW_WORDS])
{
	const struct kernel_record *record =
		&launch_frame(launch, program, side)->record;
	uint32_t state[KERNEL_STATE_ROWS][LAUNCH_ROW_WORDS];
	uint32_t starts[LAUNCH_ROW_WORDS];

	for (unsigned i = 0; i < LAUNCH_ROW_WORDS; i++) {
		const uint32_t *known = known_answer_state(
			&launch->known, launch->frames[side][i],
			launch->frame_block);

		for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
			state[row][i] = known[row];
		starts[i] = frame_bus(launch, side, i);
	}
	add_state(proofs, state);
	add_segment(proofs, launch_taken_frame(launch, program, side), starts,
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
	const struct kernel_seal *seal = launch_taken_seal(launch, program);
	const uint32_t nonce = launch_nonce(launch, program);
	uint32_t proofs[LAUNCH_ROW_WORDS] = { 0 };

	prove_frame(launch, program, LAUNCH_OPENING, proofs);
	prove_batch(launch, program, proofs);
	prove_frame(launch, program, LAUNCH_CLOSING, proofs);
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

	for (unsigned side = 0; side < LAUNCH_SIDES; side++)
		if (!is_state(launch_taken_frame(launch, program, side), number,
			      known_answer_state(known,
						 launch->frames[side][number],
						 launch->frame_block + 1)))
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

/* Has a lane of the opening hashed the block that the launch before had there? */
static bool
has_looked_back(const struct launch *launch, unsigned program, unsigned lane)
{
	uint32_t state[SHA256_STATE_WORDS];

	memcpy(state,
	       known_answer_state(&launch->known,
				  launch->frames[LAUNCH_OPENING][lane],
				  launch->frame_block),
	       sizeof(state));
	known_answer_advance(state, launch->old_frames[lane],
			     launch->old_block);
	return launch->turn > 1 &&
	       is_state(launch_taken_frame(launch, program, LAUNCH_OPENING),
			lane, state);
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
		if (lane < BATCH_LANES && has_looked_back(launch, i, lane)) {
			diag_set(why,
				 "lane %u of QPU program %u has read what was"
				 " in memory before: the caches of the QPUs"
				 " were not cleared",
				 lane, i);
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
