/* SPDX-License-Identifier: MIT */
/* lanes_launch: what is made of its results. */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include <string.h>

#include "qpu/sha/proofs.h"

void
lanes_take(struct lanes_launch *launch)
{
	for (unsigned i = 0; i < launch->qpus; i++) {
		const struct lanes_parts from = lanes_parts(launch, i);
		const uint8_t *first = (void *)from.records;

		memcpy(lanes_taken(launch, i).records, first,
		       (size_t)((uint8_t *)(from.seal + 1) - first));
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
			struct lane_plan *plan = &launch->lanes[i][lane];

			if (plan->put_back)
				memcpy(plan->place, plan->saved,
				       sizeof(plan->saved));
			plan->put_back = false;
		}
	}
}

/* The state of a lane in the record that was stored after this block. */
static void
get_state(const struct lanes_launch *launch, unsigned program, uint32_t block,
	  unsigned lane, uint32_t state[SHA256_STATE_WORDS])
{
	const unsigned number = launch->plans[program].number[block];
	const struct kernel_record *record =
		&lanes_taken(launch, program).records[number - 1];

	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = record->state[word][lane];
}

/* Trust --------------------------------------------------------------------- */

/* Return the address at which a lane must be when its program ends. */
static uint32_t
end_bus(const struct lanes_launch *launch, unsigned program, unsigned lane)
{
	return launch->lanes[program][lane].bus +
	       launch->plans[program].blocks * SHA256_BLOCK_BYTES;
}

/* Return the number of lanes whose part of the seal is right. */
static unsigned
count_sealed(const struct lanes_launch *launch, unsigned program)
{
	const struct kernel_seal *seal = lanes_taken(launch, program).seal;
	const uint32_t nonce = lanes_nonce(launch, program);
	const uint32_t self =
		lanes_bus(launch, lanes_parts(launch, program).seal);
	unsigned n = 0;

	for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
		n += seal->nonce[lane] == nonce && seal->self[lane] == self &&
		     seal->ends[lane] == end_bus(launch, program, lane);
	return n;
}

/* Add the rows of a state to the proofs of all lanes. */
static void
add_state(uint32_t proofs[LANES_ROW_WORDS],
	  const uint32_t state[KERNEL_STATE_ROWS][LANES_ROW_WORDS])
{
	for (unsigned row = 0; row < KERNEL_STATE_ROWS; row++)
		for (unsigned i = 0; i < LANES_ROW_WORDS; i++)
			proofs[i] = kernel_proof_add(proofs[i], state[row][i]);
}

/* Add the end of a segment, `bytes` after the lanes' beginnings. */
static void
add_segment(uint32_t proofs[LANES_ROW_WORDS],
	    const struct kernel_record *record,
	    const uint32_t starts[LANES_ROW_WORDS], uint32_t bytes,
	    uint32_t begins, uint32_t next)
{
	add_state(proofs, record->state);
	for (unsigned i = 0; i < LANES_ROW_WORDS; i++) {
		proofs[i] = kernel_proof_add(proofs[i], starts[i] + bytes);
		proofs[i] = kernel_proof_add(proofs[i], begins) + next;
	}
}

static void
prove_job(const struct lanes_launch *launch, unsigned program,
	  uint32_t proofs[LANES_ROW_WORDS])
{
	const struct segment_plan *plan = &launch->plans[program];
	const struct lanes_parts parts = lanes_parts(launch, program);
	const struct kernel_record *last = &parts.records[plan->nsegments - 1];
	const struct kernel_record *taken =
		lanes_taken(launch, program).records;
	uint32_t starts[LANES_ROW_WORDS];

	for (unsigned i = 0; i < LANES_ROW_WORDS; i++)
		starts[i] = launch->lanes[program][i].bus;
	add_state(proofs, launch->loaded[program]);
	for (uint32_t block = 1; block <= plan->blocks; block++)
		if (plan->number[block])
			add_segment(proofs, taken++, starts,
				    block * SHA256_BLOCK_BYTES,
				    plan->begins[block],
				    plan->number[block] < plan->nsegments ?
					    lanes_constants(launch) :
					    lanes_bus(launch, &last->turns));
}

/* Return true if the seal's sum proves that all was loaded and stored as
 * planned. The plan says what was written, not the memory. */
static bool
is_proved(const struct lanes_launch *launch, unsigned program)
{
	const struct kernel_seal *seal = lanes_taken(launch, program).seal;
	const uint32_t nonce = lanes_nonce(launch, program);
	uint32_t proofs[LANES_ROW_WORDS] = { 0 };

	prove_job(launch, program, proofs);
	for (unsigned i = 0; i < LANES_ROW_WORDS; i++) {
		proofs[i] += kernel_proof_turns(lanes_adder_turns(launch));
		if (seal->proof[i] != kernel_proof_add(proofs[i], nonce))
			return false;
	}
	return true;
}

/* Return true if a lane's known answer is wrong. */
static bool
lane_is_wrong(const struct lanes_launch *launch, unsigned program,
	      unsigned number)
{
	const struct lane_plan *lane = &launch->lanes[program][number];
	const uint32_t *answer =
		lane->blocks > 0 ?
			launch->known.messages[lane->known] :
			lanes_idle_state(launch, lane, lane->known_blocks);
	uint32_t state[SHA256_STATE_WORDS];

	get_state(launch, program, lane->blocks + lane->known_blocks, number,
		  state);
	return (launch->nbusy == 0 || proof_counts(PROOF_KNOWN)) &&
	       memcmp(state, answer, sizeof(state)) != 0;
}

/* Why the launch of a program is not believed, or an empty text. */
static void
find_fault(const struct lanes_launch *launch, unsigned program,
	   struct diag *why)
{
	const unsigned sealed = proof_counts(PROOF_SEAL) ?
					count_sealed(launch, program) :
					KERNEL_LANES;
	unsigned wrong = 0;

	while (wrong < KERNEL_LANES && !lane_is_wrong(launch, program, wrong))
		wrong++;
	if (sealed == 0)
		diag_set(
			why,
			"QPU program %u has not ended, or its results were not "
			"stored",
			program);
	else if (wrong < KERNEL_LANES)
		diag_set(why, "wrong answer in lane %u of QPU program %u",
			 wrong, program);
	else if (sealed < KERNEL_LANES)
		diag_set(why, "wrong seal of QPU program %u", program);
	else if (proof_counts(PROOF_SEAL) && !is_proved(launch, program))
		diag_set(why, "wrong proof of QPU program %u", program);
	else
		diag_set(why, "%s", "");
}

bool
lanes_check(const struct lanes_launch *launch, struct diag *why)
{
	for (unsigned i = 0; i < launch->qpus; i++) {
		find_fault(launch, i, why);
		if (why->text[0] != '\0')
			return false;
	}
	return true;
}

/* Results ------------------------------------------------------------------- */

static void
collect_lane(const struct lanes_launch *launch, unsigned program, unsigned lane)
{
	const uint32_t blocks = launch->lanes[program][lane].blocks;
	struct engine_lane *to = launch->lanes[program][lane].of;
	uint32_t last = 0;

	for (uint32_t i = 0; i < to->nends; i++) {
		struct engine_end *end = &to->ends[i];

		if (end->block > blocks)
			break;
		get_state(launch, program, end->block, lane, end->state);
		last = end->block;
	}
	if (last == blocks)
		memcpy(to->state, sha256_initial, sizeof(to->state));
	else
		get_state(launch, program, blocks, lane, to->state);
}

void
lanes_collect(const struct lanes_launch *launch)
{
	for (unsigned i = 0; i < launch->nbusy; i++)
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			if (launch->lanes[i][lane].blocks > 0)
				collect_lane(launch, i, lane);
}
