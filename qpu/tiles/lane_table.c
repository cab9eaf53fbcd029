/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/tiles/lane_table.h"

#include <string.h>

#include "qpu/kernel/pair.h"

_Static_assert(sizeof(struct pair_lane) * TILE_PIXELS * TILE_PIXELS ==
		       LANE_TABLE_TILE_BYTES,
	       "a row is 32 bytes");

/* What a pair hashes. */
struct work {
	uint32_t data, blocks;
	uint32_t state[SHA256_STATE_WORDS];
};

void
lane_table_known(const struct tile_launch *launch, const struct plan_slot *slot,
		 bool after, uint32_t state[SHA256_STATE_WORDS])
{
	const unsigned block = slot->start + (after ? slot->blocks : 0u);
	const uint32_t inverse = slot->is_inverse ? UINT32_MAX : 0;

	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = launch->chain.states[block][word] ^ inverse;
}

static void
find_work(const struct tile_launch *launch, const struct plan_tile *tile,
	  unsigned pair, const struct batch *batches, struct work *work)
{
	const struct plan_slot *slot = lane_table_slot(launch, tile, pair);

	work->blocks = slot->blocks;
	if (slot->piece >= 0) {
		const struct piece *piece = &launch->pieces[slot->piece];

		work->data = piece->offset + piece->hashed * SHA256_BLOCK_BYTES;
		tile_launch_state(launch, piece, batches, work->state);
		return;
	}
	work->data = (uint32_t)launch->memories[tile->memory].chain +
		     slot->start * SHA256_BLOCK_BYTES;
	lane_table_known(launch, slot, false, work->state);
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
lane_table_write(const struct tile_launch *launch, const struct plan_tile *tile,
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
