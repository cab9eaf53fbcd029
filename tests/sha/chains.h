/* SPDX-License-Identifier: MIT */
/*
 * chains: lanes full of messages, one after the other, for an engine that
 * takes ends of messages, and the reference's opinion of what comes out of
 * them.  Header only.
 */
#ifndef TESTS_SHA_CHAINS_H
#define TESTS_SHA_CHAINS_H

#include <stdlib.h>
#include <string.h>

#include "cpu/engine_cpu.h"
#include "cpu/sha256.h"
#include "qpu/sha/engine_qpu.h"

enum {
	CHAINS_QPUS = 31, /* batches of an engine, at most */
	CHAINS_LANES = CHAINS_QPUS * BATCH_LANES,
	CHAINS_BLOCKS = 512 /* of a lane and step, at most */
};

/* A lane: what it has still to hash, and how far the reference is. */
struct chain {
	struct batch_end ends[CHAINS_BLOCKS];
	uint32_t state[SHA256_STATE_WORDS];
	uint32_t hashed; /* blocks of the lane */
};

struct chains {
	const struct engine *engine;
	void *self;
	struct engine_limits limits;
	uint8_t *arena, *copy; /* a lane each `stride` bytes */
	size_t stride, bytes;
	unsigned lanes;
	struct batch batches[CHAINS_QPUS];
	struct chain chains[CHAINS_LANES];
	uint64_t seed;
	struct diag why;
	/* Found out by chains_step. */
	uint64_t messages, blocks;
	unsigned wrong;	  /* states and hash values */
	unsigned touched; /* lanes whose data were not left alone */
};

static inline uint32_t
chains_random(struct chains *c)
{
	c->seed = c->seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(c->seed >> 32);
}

/* Other bytes in all lanes. */
static inline void
chains_renew(struct chains *c)
{
	for (size_t i = 0; i + 4 <= c->bytes; i += 4)
		memcpy(c->arena + i, &(uint32_t){ chains_random(c) }, 4);
	memcpy(c->copy, c->arena, c->bytes);
}

/* Lanes lie in different cache lines modulo 4096, as the pipeline has it. */
static inline bool
chains_open(struct chains *c, const struct engine *engine, const char *words,
	    uint64_t seed, unsigned blocks)
{
	memset(c, 0, sizeof(*c));
	c->engine = engine;
	c->seed = seed;
	c->self = engine_open(engine, words, &c->limits, &c->why);
	if (!c->self)
		return false;
	c->lanes = c->limits.batches * c->limits.lanes;
	c->stride = ((size_t)blocks * SHA256_BLOCK_BYTES +
		     c->limits.slack_bytes + 4095) /
			    4096 * 4096 +
		    SHA256_BLOCK_BYTES;
	c->bytes = c->stride * c->lanes;
	c->arena = engine->alloc(c->self, c->bytes);
	c->copy = malloc(c->bytes);
	if (!c->arena || !c->copy)
		return false;
	chains_renew(c);
	for (unsigned lane = 0; lane < c->lanes; lane++)
		memcpy(c->chains[lane].state, sha256_initial,
		       sizeof(sha256_initial));
	return true;
}

static inline void
chains_close(struct chains *c)
{
	if (c->arena)
		c->engine->free(c->self, c->arena, c->bytes);
	if (c->self)
		c->engine->close(c->self);
	free(c->copy);
}

/* From the beginning of its buffer: n messages of this number of blocks, the last of
 * which ends in this step or goes on. */
static inline void
chains_fill(struct chains *c, unsigned lane, const uint32_t *lengths,
	    unsigned n, bool goes_on)
{
	struct batch *batch = &c->batches[lane / c->limits.lanes];
	struct chain *chain = &c->chains[lane];
	const unsigned column = lane % c->limits.lanes;
	uint32_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		at += lengths[i];
		chain->ends[i].block = at;
	}
	chain->hashed = 0;
	batch->data[column] = at ? c->arena + lane * c->stride : NULL;
	batch->nblocks[column] = at;
	batch->ends[column] = chain->ends;
	batch->nends[column] = goes_on && n > 0 ? n - 1 : n;
	batch_set_state(batch, column, chain->state);
}

/* The reference hashes what the engine has hashed in a lane. */
static inline void
chains_check_lane(struct chains *c, unsigned lane)
{
	struct batch *batch = &c->batches[lane / c->limits.lanes];
	struct chain *chain = &c->chains[lane];
	const unsigned column = lane % c->limits.lanes;
	const uint32_t done = batch->done[column];
	const uint8_t *data = c->copy + lane * c->stride +
			      (size_t)chain->hashed * SHA256_BLOCK_BYTES;
	uint32_t state[SHA256_STATE_WORDS];
	uint32_t at = 0, passed = 0;

	while (passed < batch->nends[column] &&
	       batch->ends[column][passed].block <= done) {
		struct batch_end *end = &batch->ends[column][passed++];

		sha256_blocks(chain->state, data, end->block - at);
		data += (size_t)(end->block - at) * SHA256_BLOCK_BYTES;
		at = end->block;
		c->wrong += memcmp(end->state, chain->state,
				   sizeof(end->state)) != 0;
		c->messages++;
		memcpy(chain->state, sha256_initial, sizeof(sha256_initial));
	}
	sha256_blocks(chain->state, data, done - at);
	batch_get_state(batch, column, state);
	c->wrong += memcmp(state, chain->state, sizeof(state)) != 0;
	c->wrong += done > batch->nblocks[column];
	c->blocks += done;

	chain->hashed += done;
	if (done > 0)
		batch->data[column] += (size_t)done * SHA256_BLOCK_BYTES;
	batch->nblocks[column] -= done;
	batch->ends[column] += passed;
	batch->nends[column] -= passed;
	for (uint32_t i = 0; i < batch->nends[column]; i++)
		batch->ends[column][i].block -= done;
}

/* The data that are not hashed yet are as they were; what comes after them is
 * the engine's, and is put in order for the next step. */
static inline void
chains_check_data(struct chains *c, unsigned lane)
{
	const struct batch *batch = &c->batches[lane / c->limits.lanes];
	const size_t left = batch->nblocks[lane % c->limits.lanes];
	const size_t from = lane * c->stride +
			    (size_t)c->chains[lane].hashed * SHA256_BLOCK_BYTES;

	c->touched += memcmp(c->arena + from, c->copy + from,
			     left * SHA256_BLOCK_BYTES) != 0;
	memcpy(c->arena + lane * c->stride, c->copy + lane * c->stride,
	       c->stride);
}

/* One step of the engine; what comes out is compared.  False: it failed, or
 * nothing advanced. */
static inline bool
chains_step(struct chains *c)
{
	const uint64_t before = c->blocks;
	enum engine_status status = c->engine->submit(
		c->self, c->batches, c->limits.batches, &c->why);

	if (status == ENGINE_OK)
		status = c->engine->wait(c->self, &c->why);
	if (status != ENGINE_OK)
		return false;
	for (unsigned lane = 0; lane < c->lanes; lane++) {
		chains_check_lane(c, lane);
		chains_check_data(c, lane);
	}
	return c->blocks > before;
}

static inline bool
chains_left(const struct chains *c)
{
	for (unsigned lane = 0; lane < c->lanes; lane++)
		if (c->batches[lane / c->limits.lanes]
			    .nblocks[lane % c->limits.lanes])
			return true;
	return false;
}

/* A figure of the engine, or 0. */
static inline double
chains_figure(const struct chains *c, const char *label)
{
	struct facts stats = { .n = 0 };

	c->engine->stats(c->self, &stats);
	for (unsigned i = 0; i < stats.n; i++)
		if (strcmp(facts_label(&stats, &stats.rows[i]), label) == 0)
			return stats.rows[i].value;
	return 0;
}

#endif
