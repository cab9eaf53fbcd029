/* SPDX-License-Identifier: MIT */
/*
 * fake-engine: an engine for tests of --benchmark.  It hashes as much of a lane
 * as it is told, lets the clock go on by what a step takes, is wrong or fails
 * in the step that it is told, and notes how it was used.
 */
#ifndef TESTS_BENCH_FAKE_ENGINE_H
#define TESTS_BENCH_FAKE_ENGINE_H

#include <stdlib.h>

#include "cpu/sha256.h"
#include "src/pipeline/engines.h"
#include "tests/support/fault.h"

enum {
	/* As much as --benchmark gives to a lane. */
	LANE_BLOCKS = 1024,
	LANE_BYTES = LANE_BLOCKS * SHA256_BLOCK_BYTES
};

static struct fake {
	bool absent, cannot_open;
	unsigned nbatches, lanes;
	size_t slack;
	uint32_t most_blocks; /* of a step */
	uint64_t step_ns;
	/* What goes wrong in the n-th step; 0: nothing. */
	unsigned refuses_at, fails_at, wrong_at;
	unsigned wrong_batch, wrong_lane;
	/* What was seen. */
	unsigned steps, lane_steps, buffers, opens, closes;
	bool well_used;
} fake;

/* Bytes are those of a random sequence, all lanes differ, and do not begin at
 * the same place of a page. */
static bool
is_good_data(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	for (unsigned i = 0; i < lanes; i++) {
		unsigned seen[256] = { 0 }, different = 0;

		for (size_t at = 0; at < nblocks * SHA256_BLOCK_BYTES; at++)
			different += seen[data[i][at]]++ == 0;
		if (different < 200)
			return false;
		for (unsigned j = 0; j < i; j++)
			if (memcmp(data[i], data[j], SHA256_BLOCK_BYTES) == 0 ||
			    (uintptr_t)data[i] % 4096 ==
				    (uintptr_t)data[j] % 4096)
				return false;
	}
	return true;
}

static bool
fake_probe(const void *context, struct diag *why_not)
{
	(void)why_not;
	return context == &fake && !fake.absent;
}

static void *
fake_open(const void *context, const char *words, struct engine_limits *limits,
	  struct diag *why_not)
{
	(void)why_not;
	fake.well_used &= context == &fake && !*words && limits->batches == 0 &&
			  limits->lanes == 0;
	limits->batches = fake.nbatches;
	limits->lanes = fake.lanes;
	limits->slack_bytes = fake.slack;
	fake.opens++;
	return fake.cannot_open ? NULL : &fake;
}

static void *
fake_alloc(void *self, size_t bytes)
{
	const size_t slack = fake.slack > ENGINE_SLACK_BYTES ?
				     fake.slack :
				     ENGINE_SLACK_BYTES;
	void *buffer = malloc(bytes);

	/* Lanes begin at multiples of a block. */
	fake.well_used &=
		self == &fake &&
		bytes == fake.lanes * ((LANE_BYTES + slack +
					SHA256_BLOCK_BYTES - 1) /
				       SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES);
	fake.buffers += buffer != NULL;
	return buffer;
}

static void
fake_free(void *self, void *buffer, size_t bytes)
{
	fake.well_used &= self == &fake && buffer && bytes >= LANE_BYTES;
	fake.buffers--;
	free(buffer);
}

static void
fake_lane(struct batch *batch, unsigned lane)
{
	uint32_t state[SHA256_STATE_WORDS];

	batch->done[lane] = batch->nblocks[lane] < fake.most_blocks ?
				    batch->nblocks[lane] :
				    fake.most_blocks;
	fake.lane_steps += batch->done[lane] > 0;
	batch_get_state(batch, lane, state);
	sha256_blocks(state, batch->data[lane], batch->done[lane]);
	batch_set_state(batch, lane, state);
}

static enum engine_status
fake_submit(void *self, struct batch *batches, unsigned n, struct diag *why_not)
{
	(void)why_not;
	fake.well_used &= self == &fake && n == fake.nbatches;
	fake.steps++;
	for (unsigned b = 0; b < n; b++) {
		if (batches[b].nblocks[fake.lanes - 1] == LANE_BLOCKS)
			fake.well_used &= is_good_data(batches[b].data,
						       fake.lanes, LANE_BLOCKS);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			fake_lane(&batches[b], lane);
	}
	if (fake.wrong_at == fake.steps)
		batches[fake.wrong_batch].state[7][fake.wrong_lane] ^= 1;
	fault_clock_advance(fake.step_ns);
	return fake.refuses_at == fake.steps ? ENGINE_REFUSED : ENGINE_OK;
}

static enum engine_status
fake_wait(void *self, struct diag *why_not)
{
	(void)self;
	(void)why_not;
	return fake.fails_at == fake.steps ? ENGINE_FAULT : ENGINE_OK;
}

static void
fake_close(void *self)
{
	fake.well_used &= self == &fake;
	fake.closes++;
}

static const struct engine fake_engine = { .name = "fake",
					   .about = "",
					   .context = &fake,
					   .probe = fake_probe,
					   .open = fake_open,
					   .alloc = fake_alloc,
					   .free = fake_free,
					   .submit = fake_submit,
					   .wait = fake_wait,
					   .close = fake_close };
static const struct engine_row engines[] = {
	{ .device = "fake", .engine = &fake_engine }, { .device = NULL }
};

/* It is absent, has one lane, and makes no mistake. */
static void
fake_reset(uint64_t step_ns)
{
	fake = (struct fake){ .absent = true,
			      .nbatches = 1,
			      .lanes = 1,
			      .most_blocks = LANE_BLOCKS,
			      .step_ns = step_ns,
			      .well_used = true };
}

#endif
