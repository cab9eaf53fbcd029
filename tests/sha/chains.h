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
#include "qpu/kernel/abi.h"
#include "qpu/sha/engine_qpu.h"

enum {
	CHAINS_LANES = 192, /* of an engine, at most */
	CHAINS_BLOCKS = 512 /* of a lane and step, at most */
};

/* A lane: what it has still to hash, and how far the reference is. */
struct chain {
	struct engine_end ends[CHAINS_BLOCKS];
	uint32_t state[SHA256_STATE_WORDS];
	uint32_t hashed; /* blocks of the lane */
};

struct chains {
	const struct engine *engine;
	void *self;
	struct engine_limits limits;
	uint8_t *arena, *copy; /* a lane each `stride` bytes */
	size_t stride, bytes;
	struct engine_lane lanes[CHAINS_LANES];
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
	c->stride = ((size_t)blocks * SHA256_BLOCK_BYTES +
		     c->limits.slack_bytes + 4095) /
			    4096 * 4096 +
		    SHA256_BLOCK_BYTES;
	c->bytes = c->stride * c->limits.lanes;
	c->arena = engine->alloc(c->self, c->bytes);
	c->copy = malloc(c->bytes);
	if (!c->arena || !c->copy)
		return false;
	chains_renew(c);
	for (unsigned lane = 0; lane < c->limits.lanes; lane++)
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

/* Fill a lane from the beginning of its buffer with n messages of these numbers
 * of blocks. The last one continues after this step if goes_on. */
static inline void
chains_fill(struct chains *c, unsigned number, const uint32_t *lengths,
	    unsigned n, bool goes_on)
{
	struct engine_lane *lane = &c->lanes[number];
	struct chain *chain = &c->chains[number];
	uint32_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		at += lengths[i];
		chain->ends[i].block = at;
	}
	chain->hashed = 0;
	lane->data = at ? c->arena + number * c->stride : NULL;
	lane->nblocks = at;
	lane->ends = chain->ends;
	lane->nends = goes_on && n > 0 ? n - 1 : n;
	memcpy(lane->state, chain->state, sizeof(lane->state));
}

/* The reference hashes what the engine has hashed in a lane. */
static inline void
chains_check_lane(struct chains *c, unsigned number)
{
	struct engine_lane *lane = &c->lanes[number];
	struct chain *chain = &c->chains[number];
	const uint32_t done = lane->done;
	const uint8_t *data = c->copy + number * c->stride +
			      (size_t)chain->hashed * SHA256_BLOCK_BYTES;
	uint32_t at = 0, passed = 0;

	while (passed < lane->nends && lane->ends[passed].block <= done) {
		struct engine_end *end = &lane->ends[passed++];

		sha256_blocks(chain->state, data, end->block - at);
		data += (size_t)(end->block - at) * SHA256_BLOCK_BYTES;
		at = end->block;
		c->wrong += memcmp(end->state, chain->state,
				   sizeof(end->state)) != 0;
		c->messages++;
		memcpy(chain->state, sha256_initial, sizeof(sha256_initial));
	}
	sha256_blocks(chain->state, data, done - at);
	c->wrong += memcmp(lane->state, chain->state, sizeof(lane->state)) != 0;
	c->wrong += done > lane->nblocks;
	c->blocks += done;

	chain->hashed += done;
	if (done > 0)
		lane->data += (size_t)done * SHA256_BLOCK_BYTES;
	lane->nblocks -= done;
	lane->ends += passed;
	lane->nends -= passed;
	for (uint32_t i = 0; i < lane->nends; i++)
		lane->ends[i].block -= done;
}

/* The data that are not hashed yet are as they were; what comes after them is
 * the engine's, and is put in order for the next step. */
static inline void
chains_check_data(struct chains *c, unsigned lane)
{
	const size_t left = c->lanes[lane].nblocks;
	const size_t from = lane * c->stride +
			    (size_t)c->chains[lane].hashed * SHA256_BLOCK_BYTES;

	c->touched += memcmp(c->arena + from, c->copy + from,
			     left * SHA256_BLOCK_BYTES) != 0;
	memcpy(c->arena + lane * c->stride, c->copy + lane * c->stride,
	       c->stride);
}

/* Run one step of the engine and compare its results. Return false if it
 * failed, or nothing advanced. */
static inline bool
chains_step(struct chains *c)
{
	const uint64_t before = c->blocks;
	enum engine_status status =
		c->engine->submit(c->self, c->lanes, c->limits.lanes, &c->why);

	if (status == ENGINE_OK)
		status = c->engine->wait(c->self, &c->why);
	if (status != ENGINE_OK)
		return false;
	for (unsigned lane = 0; lane < c->limits.lanes; lane++) {
		chains_check_lane(c, lane);
		chains_check_data(c, lane);
	}
	return c->blocks > before;
}

static inline bool
chains_left(const struct chains *c)
{
	for (unsigned lane = 0; lane < c->limits.lanes; lane++)
		if (c->lanes[lane].nblocks)
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
