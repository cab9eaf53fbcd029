/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine that hashes one message a lane does several of them, one
 * behind the other, by chained_run.
 */
#include "config.h"

#include "src/feed/chained.h"

#include <string.h>

#include "cpu/engine_cpu.h"
#include "cpu/sha256.h"
#include "tests/support/tap.h"

enum { BLOCKS = 40, ENDS = 8, BATCHES = 3 };

static uint8_t data[BATCHES * BATCH_LANES][BLOCKS * SHA256_BLOCK_BYTES];
static struct batch_end ends[BATCHES * BATCH_LANES][ENDS];
static struct batch batches[BATCHES];
static uint32_t seed = 1;

static uint32_t
random_32(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Messages of a lane: some end, the last one may go on; some lanes idle. */
static void
fill_lane(unsigned lane)
{
	struct batch *batch = &batches[lane / BATCH_LANES];
	const unsigned column = lane % BATCH_LANES;
	uint32_t n = 0, at = 0;
	uint32_t state[SHA256_STATE_WORDS];

	for (size_t i = 0; i < sizeof(data[lane]); i++)
		data[lane][i] = (uint8_t)random_32();
	for (int i = 0; i < SHA256_STATE_WORDS; i++)
		state[i] = random_32();
	batch_set_state(batch, column, state);
	batch->data[column] = data[lane];
	batch->nblocks[column] = lane % 7 == 3 ? 0 : random_32() % BLOCKS;
	batch->ends[column] = ends[lane];
	while (n < ENDS &&
	       (at += 1 + random_32() % 9) <= batch->nblocks[column])
		ends[lane][n++].block = at;
	batch->nends[column] = n;
}

/* The last ends of lanes that end with their last block are a case. */
static void
end_at_last_block(unsigned lane)
{
	struct batch *batch = &batches[lane / BATCH_LANES];
	const unsigned column = lane % BATCH_LANES;
	const uint32_t n = batch->nends[column];

	if (n > 0)
		ends[lane][n - 1].block = batch->nblocks[column];
}

static bool
lane_is_right(unsigned lane, uint32_t state[SHA256_STATE_WORDS])
{
	const struct batch *batch = &batches[lane / BATCH_LANES];
	const unsigned column = lane % BATCH_LANES;
	uint32_t at = 0, after[SHA256_STATE_WORDS];
	bool good = batch->done[column] == batch->nblocks[column];

	for (uint32_t i = 0; i < batch->nends[column]; i++) {
		const struct batch_end *end = &ends[lane][i];

		sha256_blocks(state, data[lane] + at * SHA256_BLOCK_BYTES,
			      end->block - at);
		at = end->block;
		good &= memcmp(end->state, state, sizeof(end->state)) == 0;
		memcpy(state, sha256_initial, sizeof(sha256_initial));
	}
	sha256_blocks(state, data[lane] + at * SHA256_BLOCK_BYTES,
		      batch->nblocks[column] - at);
	batch_get_state(batch, column, after);
	return good && memcmp(after, state, sizeof(after)) == 0;
}

static void
test_mixed(void *self)
{
	unsigned wrong = 0;

	for (unsigned round = 0; round < 20; round++) {
		uint32_t states[BATCHES * BATCH_LANES][SHA256_STATE_WORDS];
		struct diag why;

		for (unsigned lane = 0; lane < BATCHES * BATCH_LANES; lane++) {
			fill_lane(lane);
			if (round % 2)
				end_at_last_block(lane);
			batch_get_state(&batches[lane / BATCH_LANES],
					lane % BATCH_LANES, states[lane]);
		}
		wrong += chained_run(&engine_cpu, self, batches, BATCHES,
				     &why) != ENGINE_OK;
		for (unsigned lane = 0; lane < BATCHES * BATCH_LANES; lane++)
			wrong += !lane_is_right(lane, states[lane]);
	}
	ok(wrong == 0, "messages that end and go on, in all and idle lanes");
}

static enum engine_status
refuse(void *self, struct batch *batch, unsigned n, struct diag *why)
{
	(void)self;
	(void)batch;
	(void)n;
	diag_set(why, "no");
	return ENGINE_REFUSED;
}

static void
test_failure(void)
{
	const struct engine engine = { .submit = refuse };
	struct batch before;
	struct diag why;

	fill_lane(0);
	before = batches[0];
	ok(chained_run(&engine, NULL, batches, 1, &why) == ENGINE_REFUSED &&
		   strcmp(why.text, "no") == 0 &&
		   memcmp(&before, &batches[0], sizeof(before)) == 0,
	   "where the engine fails states are as they were, and why is told");
}

int
main(void)
{
	struct engine_limits limits = { .batches = 0 };
	struct diag why;
	void *self = engine_open(&engine_cpu, "", &limits, &why);

	if (!self)
		return 99;
	test_mixed(self);
	engine_cpu.close(self);
	test_failure();
	return tap_done();
}
