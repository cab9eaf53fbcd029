/* SPDX-License-Identifier: MIT */
/* tiles_launch: the rows that pixels find in the table, and the results that they
 * leave. */
#include "config.h"

#include "qpu/sha/tiles_launch.h"

#include <stdalign.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/sha/proofs.h"

_Static_assert(sizeof(struct pair_lane) * TILE_PIXELS * TILE_PIXELS ==
		       TILE_LANES_BYTES,
	       "a row is 32 bytes");

/* The slot of the plan that a pair of a tile has. */
static const struct plan_slot *
slot_of(const struct tiles_launch *launch, const struct plan_tile *tile,
	unsigned pair)
{
	return &launch->plan.slots[tile->first_slot +
				   launch->shapes.places[tile->rows - 1][pair]];
}

/* Places -------------------------------------------------------------------- */

/* The first tile takes the last of the proof's rows, which the QPUs have looked up
 * last. */
static unsigned
rows_before(const struct tiles_launch *launch, unsigned number)
{
	const unsigned old = launch->proof_rows[launch->turn % 2];
	const unsigned rows = launch->plan.tiles[0].rows;

	return number == 0 && old > rows ? old - rows : 0;
}

size_t
tiles_table_offset(const struct tiles_launch *launch, unsigned number)
{
	enum { ROW_BYTES = TILE_LANES_BYTES / SHAPE_ROWS };

	const struct tiles_plan *plan = &launch->plan;
	const bool is_proof = number == plan->proof;
	size_t place = plan->first_place + number;

	if (number == 0 || is_proof)
		place = plan->most_tiles + (launch->turn + is_proof) % 2;
	return place * TILE_LANES_BYTES +
	       rows_before(launch, number) * ROW_BYTES;
}

size_t
tiles_results_offset(const struct tiles_launch *launch, unsigned number)
{
	const struct tiles_plan *plan = &launch->plan;

	return (size_t)(number == plan->proof ? plan->proof_place :
						plan->first_place + number) *
	       TILE_BYTES;
}

static void *
results_of(const struct tiles_launch *launch, unsigned number)
{
	return (uint8_t *)launch->results.cpu +
	       tiles_results_offset(launch, number);
}

/* What pixels find ------------------------------------------------------------ */

/* The rows of a pair: the upper one has e f g h, the lower one a b c d. */
static void
fill_pair(const struct tiles_launch *launch, const struct plan_tile *tile,
	  unsigned pair, const struct engine_lane *lanes,
	  struct pair_lane *upper, struct pair_lane *lower)
{
	const struct plan_slot *slot = slot_of(launch, tile, pair);
	uint32_t state[SHA256_STATE_WORDS];

	upper->blocks = lower->blocks = slot->blocks;
	if (slot->piece >= 0) {
		const struct piece *piece = &launch->pieces[slot->piece];

		upper->data =
			piece->offset + piece->hashed * SHA256_BLOCK_BYTES;
		tiles_state_before(launch, piece, lanes, state);
	} else {
		/* Without blocks all look up the same line. */
		upper->data = (uint32_t)launch->memories[tile->memory].chain +
			      (slot->blocks > 0 ?
				       slot->start * SHA256_BLOCK_BYTES :
				       0);
		plan_slot_state(slot, &launch->known, false, state);
	}
	lower->data = upper->data + 4;
	memcpy(lower->state, state, sizeof(lower->state));
	memcpy(upper->state, state + PAIR_WORDS, sizeof(upper->state));
}

/* Keep the states in the proof's rows for the launch after this one. */
static void
note_proof(struct tiles_launch *launch)
{
	const struct plan_tile *tile = &launch->plan.tiles[launch->plan.proof];
	const unsigned turn = (launch->turn + 1) % 2;

	launch->proof_rows[turn] = tile->rows;
	for (unsigned i = 0; i < tile->rows * SHAPE_ROW_PAIRS; i++) {
		const struct plan_slot *slot = slot_of(launch, tile, i);

		memset(launch->proof_states[turn][i], 0,
		       sizeof(**launch->proof_states));
		if (slot->blocks == 0)
			plan_slot_state(slot, &launch->known, false,
					launch->proof_states[turn][i]);
	}
}

void
tiles_fill(struct tiles_launch *launch, unsigned number,
	   const struct engine_lane *lanes, uint32_t pattern)
{
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *words = results_of(launch, number);
	uint8_t *to = (uint8_t *)launch->table.cpu +
		      tiles_table_offset(launch, number);

	if (number == launch->plan.proof)
		note_proof(launch);
	for (unsigned row = 0; row < tile->rows; row++) {
		struct pair_lane pairs[2][SHAPE_ROW_PAIRS] = { 0 };

		for (unsigned x = 0; x < SHAPE_ROW_PAIRS; x++)
			fill_pair(launch, tile, row * SHAPE_ROW_PAIRS + x,
				  lanes, &pairs[0][x], &pairs[1][x]);
		memcpy(to, pairs, sizeof(pairs));
		to += sizeof(pairs);
	}
	for (size_t i = 0; i < tile->rows * (TILE_BYTES / 4 / SHAPE_ROWS); i++)
		words[i] = pattern;
}

/* What pixels leave ----------------------------------------------------------- */

/* The four words of the upper pixel are e f g h. */
static void
get_state(const uint32_t *tile, unsigned pair,
	  uint32_t state[SHA256_STATE_WORDS])
{
	const uint32_t *word = tile + shape_word(pair, 0);

	for (unsigned sample = 0; sample < PAIR_WORDS; sample++) {
		state[PAIR_WORDS + sample] = word[sample * TILE_SAMPLES];
		state[sample] = word[sample * TILE_SAMPLES + 2];
	}
}

static bool
looks_unwritten(const uint32_t state[SHA256_STATE_WORDS],
		const struct tiles_marks *marks)
{
	bool looks = false;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i++)
		looks |= state[i] == marks->pattern || state[i] == marks->clear;
	return looks;
}

/* Return whether the outcome of a slot without a message counts. */
static bool
slot_counts(const struct tiles_launch *launch, unsigned tile,
	    const struct plan_slot *slot, bool is_test)
{
	if (slot->state == PLAN_SUMS)
		return proof_counts(PROOF_SUMS);
	return is_test ||
	       proof_counts(tile == launch->plan.proof ? PROOF_TILE :
							 PROOF_KNOWN);
}

/* Return true if a slot must give this state. */
static bool
is_right(const struct tiles_launch *launch, const struct plan_slot *slot,
	 const struct engine_lane *lanes,
	 const uint32_t state[SHA256_STATE_WORDS])
{
	uint32_t right[SHA256_STATE_WORDS];

	if (slot->piece < 0) {
		plan_slot_state(slot, &launch->known, true, right);
	} else {
		const struct piece *piece = &launch->pieces[slot->piece];

		tiles_state_before(launch, piece, lanes, right);
		known_hash(right,
			   piece->data +
				   (size_t)piece->hashed * SHA256_BLOCK_BYTES,
			   piece->now);
	}
	return memcmp(state, right, sizeof(right)) == 0;
}

/* Return true if a pair of the first tile has either half of the state that its
 * rows had for the previous proof. */
static bool
looks_back(const struct tiles_launch *launch, unsigned pair,
	   const uint32_t state[SHA256_STATE_WORDS])
{
	static const uint32_t none[PAIR_WORDS];
	const uint32_t *old =
		launch->proof_states[launch->turn % 2]
				    [pair +
				     rows_before(launch, 0) * SHAPE_ROW_PAIRS];
	bool looks = false;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i += PAIR_WORDS)
		looks |= memcmp(old + i, none, sizeof(none)) != 0 &&
			 memcmp(old + i, state + i, sizeof(none)) == 0;
	return looks;
}

enum tile_verdict
tiles_take(struct tiles_launch *launch, unsigned number,
	   const struct engine_lane *lanes, const struct tiles_marks *marks)
{
	const struct plan_tile *tile = &launch->plan.tiles[number];
	const unsigned npairs = tile->rows * SHAPE_ROW_PAIRS;
	alignas(64) uint32_t copy[TILE_BYTES / 4];
	unsigned missing = 0;

	memcpy(copy, results_of(launch, number),
	       (size_t)tile->rows * (TILE_BYTES / SHAPE_ROWS));
	for (unsigned pair = 0; pair < npairs; pair++) {
		const struct plan_slot *slot = slot_of(launch, tile, pair);
		uint32_t state[SHA256_STATE_WORDS];
		bool is_unwritten;

		get_state(copy, pair, state);
		is_unwritten = proof_counts(PROOF_PATTERN) &&
			       looks_unwritten(state, marks);
		if ((is_unwritten ||
		     (slot->piece < 0 &&
		      slot_counts(launch, number, slot, !lanes))) &&
		    !is_right(launch, slot, lanes, state)) {
			if (!is_unwritten)
				return TILE_WRONG;
			missing++;
		}
		if (slot->piece < 0)
			continue;
		if (number == 0 && proof_counts(PROOF_TILE) &&
		    looks_back(launch, pair, state))
			return TILE_OLD;
		memcpy(launch->states[slot->piece], state, sizeof(state));
	}
	/* A part that is missing may have been stored among the data. */
	if (missing > 0 && missing < npairs)
		return TILE_WRONG;
	return missing > 0 ? TILE_NOT_STORED : TILE_RIGHT;
}
