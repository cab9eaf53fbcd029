/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/tiles/tile_result.h"

#include <stdalign.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/tiles/lane_table.h"

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
		const uint32_t patterns[2])
{
	bool looks = false;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i++)
		looks |= state[i] == patterns[0] || state[i] == patterns[1];
	return looks;
}

/* What should have come out of a slot. */
static void
expect(const struct tile_launch *launch, const struct plan_slot *slot,
       const struct batch *batches, uint32_t state[SHA256_STATE_WORDS])
{
	const struct piece *piece;

	if (slot->piece < 0) {
		lane_table_known(launch, slot, true, state);
		return;
	}
	piece = &launch->pieces[slot->piece];
	tile_launch_state(launch, piece, batches, state);
	known_chain_hash(
		state, piece->data + (size_t)piece->hashed * SHA256_BLOCK_BYTES,
		piece->now);
}

enum tile_verdict
tile_result_take(struct tile_launch *launch, const struct plan_tile *tile,
		 const struct batch *batches, const uint8_t *results,
		 const uint32_t patterns[2])
{
	alignas(64) uint32_t copy[TILE_BYTES / 4];
	enum tile_verdict verdict = TILE_RIGHT;

	memcpy(copy, results, (size_t)tile->rows * (TILE_BYTES / SHAPE_ROWS));
	for (unsigned pair = 0; pair < tile->rows * SHAPE_ROW_PAIRS; pair++) {
		const struct plan_slot *slot =
			lane_table_slot(launch, tile, pair);
		uint32_t state[SHA256_STATE_WORDS], right[SHA256_STATE_WORDS];
		bool is_unwritten;

		get_state(copy, pair, state);
		is_unwritten = looks_unwritten(state, patterns);
		if (slot->piece < 0 || is_unwritten) {
			expect(launch, slot, batches, right);
			if (memcmp(state, right, sizeof(right)) != 0) {
				if (!is_unwritten)
					return TILE_WRONG;
				verdict = TILE_NOT_STORED;
			}
		}
		if (slot->piece >= 0)
			memcpy(slot->is_copy ? launch->copies[slot->piece] :
					       launch->states[slot->piece],
			       state, sizeof(state));
	}
	return verdict;
}
