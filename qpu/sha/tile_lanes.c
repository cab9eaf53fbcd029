/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/tile_lanes.h"

#include <stdalign.h>
#include <string.h>

#include "qpu/kernel/pair.h"

/* The slot of the plan that a pair of a tile has. */
static const struct plan_slot *
slot_of(const struct tile_launch *launch, const struct plan_tile *tile,
	unsigned pair)
{
	return &launch->plan.slots[tile->first_slot +
				   launch->shapes.places[tile->rows - 1][pair]];
}

/* The state of a slot's known answer before (after = false) or after it. */
static void
get_known(const struct tile_launch *launch, const struct plan_slot *slot,
	  bool after, uint32_t state[SHA256_STATE_WORDS])
{
	const unsigned block = slot->start + (after ? slot->blocks : 0u);
	const uint32_t inverse = slot->is_inverse ? UINT32_MAX : 0;

	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = launch->chain.states[block][word] ^ inverse;
}

/* What they find ------------------------------------------------------------ */

_Static_assert(sizeof(struct pair_lane) * TILE_PIXELS * TILE_PIXELS ==
		       TILE_LANES_BYTES,
	       "a row is 32 bytes");

/* The work of a pair: data, and the state from which it goes on. */
struct work {
	uint32_t data, blocks;
	uint32_t state[SHA256_STATE_WORDS];
};

static void
find_work(const struct tile_launch *launch, const struct plan_tile *tile,
	  unsigned pair, const struct batch *batches, struct work *work)
{
	const struct plan_slot *slot = slot_of(launch, tile, pair);

	work->blocks = slot->blocks;
	if (slot->piece >= 0) {
		const struct piece *piece = &launch->pieces[slot->piece];

		work->data = piece->offset + piece->hashed * SHA256_BLOCK_BYTES;
		tile_launch_state(launch, piece, batches, work->state);
		return;
	}
	work->data = (uint32_t)launch->memories[tile->memory].chain +
		     slot->start * SHA256_BLOCK_BYTES;
	get_known(launch, slot, false, work->state);
}

/* A row of pixels: that of e f g h, or the one below it, of a b c d. */
static void
write_row(const struct work work[SHAPE_ROW_PAIRS], bool is_lower,
	  struct pair_lane *to)
{
	for (unsigned x = 0; x < SHAPE_ROW_PAIRS; x++) {
		struct pair_lane lane = { .data = work[x].data + 4 * is_lower,
					  .blocks = work[x].blocks };

		memcpy(lane.state, work[x].state + (is_lower ? 0 : PAIR_WORDS),
		       sizeof(lane.state));
		to[x] = lane;
	}
}

void
tile_lanes_write(const struct tile_launch *launch, const struct plan_tile *tile,
		 const struct batch *batches, uint8_t *to)
{
	struct pair_lane *rows = (void *)to;
	struct work work[SHAPE_ROW_PAIRS];

	for (unsigned row = 0; row < tile->rows; row++) {
		for (unsigned x = 0; x < SHAPE_ROW_PAIRS; x++)
			find_work(launch, tile, row * SHAPE_ROW_PAIRS + x,
				  batches, &work[x]);
		write_row(work, false, rows);
		write_row(work, true, rows + SHAPE_ROW_PAIRS);
		rows += 2 * SHAPE_ROW_PAIRS;
	}
}

/* What they leave ----------------------------------------------------------- */

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

/* Computes the state that should have come out of a slot. */
static void
expect(const struct tile_launch *launch, const struct plan_slot *slot,
       const struct batch *batches, uint32_t state[SHA256_STATE_WORDS])
{
	const struct piece *piece;

	if (slot->piece < 0) {
		get_known(launch, slot, true, state);
		return;
	}
	piece = &launch->pieces[slot->piece];
	tile_launch_state(launch, piece, batches, state);
	known_chain_hash(
		state, piece->data + (size_t)piece->hashed * SHA256_BLOCK_BYTES,
		piece->now);
}

enum tile_verdict
tile_lanes_read(struct tile_launch *launch, const struct plan_tile *tile,
		const struct batch *batches, const uint8_t *results,
		const uint32_t patterns[2])
{
	alignas(64) uint32_t copy[TILE_BYTES / 4];
	enum tile_verdict verdict = TILE_RIGHT;

	memcpy(copy, results, (size_t)tile->rows * (TILE_BYTES / SHAPE_ROWS));
	for (unsigned pair = 0; pair < tile->rows * SHAPE_ROW_PAIRS; pair++) {
		const struct plan_slot *slot = slot_of(launch, tile, pair);
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
			memcpy(launch->states[slot->piece], state,
			       sizeof(state));
	}
	return verdict;
}
