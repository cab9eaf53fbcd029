/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/chained.h"

#include <string.h>

#include "src/base/fips180.h"

/* A batch of which each lane has the rest of one message. */
struct piece {
	struct batch batch;
	uint32_t at[BATCH_LANES];   /* blocks of the lane hashed so far */
	uint32_t ends[BATCH_LANES]; /* ends of it passed so far */
};

/* The blocks of a lane up to the end of its message, or all that are left. */
static uint32_t
next_blocks(const struct batch *whole, const struct piece *piece, unsigned lane)
{
	const uint32_t n = piece->ends[lane];
	const uint32_t to = n < whole->nends[lane] ?
				    whole->ends[lane][n].block :
				    whole->nblocks[lane];

	return to - piece->at[lane];
}

static void
open_piece(struct piece *piece, const struct batch *whole)
{
	memset(piece, 0, sizeof(*piece));
	memcpy(piece->batch.state, whole->state, sizeof(whole->state));
}

/* False: nothing is left. */
static bool
prepare(struct piece *piece, const struct batch *whole)
{
	bool any = false;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		const uint32_t blocks = next_blocks(whole, piece, lane);

		piece->batch.nblocks[lane] = blocks;
		if (blocks == 0)
			continue;
		piece->batch.data[lane] =
			whole->data[lane] +
			(size_t)piece->at[lane] * SHA256_BLOCK_BYTES;
		any = true;
	}
	return any;
}

static void
advance(struct piece *piece, struct batch *whole)
{
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		struct batch_end *end = whole->ends[lane];

		piece->at[lane] += piece->batch.done[lane];
		if (piece->ends[lane] == whole->nends[lane] ||
		    end[piece->ends[lane]].block != piece->at[lane])
			continue;
		batch_get_state(&piece->batch, lane,
				end[piece->ends[lane]++].state);
		batch_set_state(&piece->batch, lane, sha256_initial);
	}
}

/* One batch at a time: an engine that is asked to do this is a CPU. */
static enum engine_status
run_batch(const struct engine *engine, void *self, struct batch *batch,
	  struct diag *why)
{
	struct piece piece;

	open_piece(&piece, batch);
	while (prepare(&piece, batch)) {
		enum engine_status status =
			engine->submit(self, &piece.batch, 1, why);

		if (status == ENGINE_OK)
			status = engine->wait(self, why);
		if (status != ENGINE_OK)
			return status;
		advance(&piece, batch);
	}
	memcpy(batch->state, piece.batch.state, sizeof(batch->state));
	memcpy(batch->done, batch->nblocks, sizeof(batch->done));
	return ENGINE_OK;
}

enum engine_status
chained_run(const struct engine *engine, void *self, struct batch *batches,
	    unsigned n, struct diag *why)
{
	enum engine_status status = ENGINE_OK;

	for (unsigned i = 0; i < n && status == ENGINE_OK; i++)
		status = run_batch(engine, self, &batches[i], why);
	return status;
}
