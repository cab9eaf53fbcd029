/* SPDX-License-Identifier: MIT */
/* tiles_launch: the rows that pixels find in the table, and the results that they
 * leave. */
#include "config.h"

#include "qpu/sha/tiles_launch.h"

#include <stdalign.h>
#include <string.h>

#include "cpu/sha256.h"
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

static void *
results_of(const struct tiles_launch *launch, unsigned number)
{
	return (uint8_t *)launch->results.cpu + (size_t)number * TILE_BYTES;
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

void
tiles_fill(struct tiles_launch *launch, unsigned number,
	   const struct engine_lane *lanes, uint32_t pattern)
{
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *words = results_of(launch, number);
	uint8_t *to = (uint8_t *)launch->table.cpu +
		      (size_t)number * TILE_LANES_BYTES;

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
slot_counts(const struct plan_slot *slot, bool is_test)
{
	if (slot->state == PLAN_SUMS)
		return proof_counts(PROOF_SUMS);
	return is_test || proof_counts(PROOF_KNOWN);
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
		sha256_blocks(right,
			      piece->data + (size_t)piece->hashed *
						    SHA256_BLOCK_BYTES,
			      piece->now);
	}
	return memcmp(state, right, sizeof(right)) == 0;
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
		     (slot->piece < 0 && slot_counts(slot, !lanes))) &&
		    !is_right(launch, slot, lanes, state)) {
			if (!is_unwritten)
				return TILE_WRONG;
			missing++;
		}
		if (slot->piece < 0)
			continue;
		memcpy(launch->states[slot->piece], state, sizeof(state));
	}
	/* A part that is missing may have been stored among the data. */
	if (missing > 0 && missing < npairs)
		return TILE_WRONG;
	return missing > 0 ? TILE_NOT_STORED : TILE_RIGHT;
}
