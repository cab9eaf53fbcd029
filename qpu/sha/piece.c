/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/piece.h"

#include <string.h>

#include "src/base/fips180.h"

void
piece_begin(const struct piece *piece, const struct batch *batches,
	    uint32_t state[SHA256_STATE_WORDS])
{
	if (piece->is_first)
		batch_get_state(&batches[piece->batch], piece->lane, state);
	else
		memcpy(state, sha256_initial, sizeof(sha256_initial));
}

void
piece_finish(const struct piece *piece, struct batch *batches,
	     const uint32_t state[SHA256_STATE_WORDS])
{
	if (piece->end)
		memcpy(piece->end->state, state, sizeof(piece->end->state));
	if (piece->is_last)
		batch_set_state(&batches[piece->batch], piece->lane,
				piece->end ? sha256_initial : state);
}

unsigned
pieces_of_lane(struct piece *pieces, unsigned most, struct batch *batches,
	       unsigned number, unsigned lane)
{
	struct batch *batch = &batches[number];
	const uint32_t all = batch->nblocks[lane];
	uint32_t at = 0;
	unsigned n = 0;

	while (at < all && n < most) {
		const bool ends = n < batch->nends[lane];
		const uint32_t until = ends ? batch->ends[lane][n].block : all;
		const bool is_cut = until - at > PIECE_BLOCKS;
		const uint32_t blocks = is_cut ? PIECE_BLOCKS : until - at;

		pieces[n] = (struct piece){
			.data = batch->data[lane] +
				(size_t)at * SHA256_BLOCK_BYTES,
			.blocks = (uint16_t)blocks,
			.batch = (uint8_t)number,
			.lane = (uint8_t)lane,
			.is_first = n == 0,
			.end = ends && !is_cut ? &batch->ends[lane][n] : NULL
		};
		n++;
		at += blocks;
		if (is_cut)
			break;
	}
	if (n > 0)
		pieces[n - 1].is_last = true;
	batch->done[lane] = at;
	return n;
}
