/* SPDX-License-Identifier: MIT */
/*
 * Promise: the reference engine keeps the contract of engine.h: it advances all
 * lanes of all batches by all of their blocks, and leaves idle ones alone.
 */
#include "config.h"

#include "cpu/engine_reference.h"

#include <stdint.h>
#include <stdlib.h>

#include "cpu/sha256.h"
#include "tests/support/tap.h"

enum { BATCHES = 3, MOST_BLOCKS = BATCHES * BATCH_LANES };

static uint8_t bytes[(MOST_BLOCKS + 1) * SHA256_BLOCK_BYTES];

/* The lane's initial state; its words and lanes differ. */
static uint32_t
word_of(unsigned b, unsigned lane, unsigned word)
{
	return b << 16 | lane << 8 | word;
}

static void
test_submit(void *self)
{
	struct batch batches[BATCHES];
	bool right = true, idle = true, done = true;

	memset(batches, 0, sizeof(batches));
	for (unsigned b = 0; b < BATCHES; b++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			struct batch *batch = &batches[b];

			batch->done[lane] = 77;
			/* The first lane of each batch is idle. */
			batch->nblocks[lane] = lane * (b + 1);
			if (lane > 0)
				batch->data[lane] = bytes + lane;
			for (unsigned word = 0; word < 8; word++)
				batch->state[word][lane] =
					word_of(b, lane, word);
		}
	ok(engine_reference.submit(self, batches, BATCHES, NULL) == ENGINE_OK &&
		   engine_reference.wait(self, NULL) == ENGINE_OK,
	   "it never fails");
	for (unsigned b = 0; b < BATCHES; b++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			uint32_t state[8], expected[8];

			for (unsigned word = 0; word < 8; word++)
				expected[word] = word_of(b, lane, word);
			sha256_blocks(expected, bytes + lane, lane * (b + 1));
			batch_get_state(&batches[b], lane, state);
			if (lane == 0)
				idle &= memcmp(state, expected, 32) == 0;
			right &= memcmp(state, expected, 32) == 0;
			done &= batches[b].done[lane] == lane * (b + 1) &&
				batches[b].nblocks[lane] == lane * (b + 1);
		}
	ok(right, "all lanes of all batches are hashed");
	ok(idle, "idle ones stay as they are");
	ok(done, "all of their blocks are done");
}

static void
test_buffers(void *self)
{
	static const size_t sizes[] = { 1, 63, 64, 65, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *buffer = engine_reference.alloc(self, sizes[i]);

		ok(buffer && (uintptr_t)buffer % 64 == 0,
		   "a buffer of %zu bytes is aligned", sizes[i]);
		if (buffer)
			memset(buffer, 1, sizes[i]);
		engine_reference.free(self, buffer, sizes[i]);
	}
}

int
main(void)
{
	struct engine_limits limits = { 0 };
	struct diag why;
	void *self;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	ok(engine_probe(&engine_reference, &why), "it runs everywhere");
	ok(!engine_open(&engine_reference, "fast", &limits, &why),
	   "it has no options");
	is(why.text, "takes no options, got 'fast'", "and says so");
	self = engine_open(&engine_reference, "", &limits, &why);
	ok(self && limits.batches == 1 && limits.lanes == BATCH_LANES &&
		   limits.chained == 0 && limits.slack_bytes == 0 &&
		   limits.piece_bytes == 0,
	   "it wants one batch, with all lanes");
	ok(engine_reference.per_thread, "each thread has one");
	test_submit(self);
	test_buffers(self);
	engine_reference.close(self);
	return tap_done();
}
