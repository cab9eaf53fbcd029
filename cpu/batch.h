/* SPDX-License-Identifier: MIT */
/*
 * batch: 16 lanes of SHA-256, the unit of work of every engine.
 *
 * A lane is one slot of a 16-wide vector and holds one message until that
 * message ends.  A row of `state` is exactly one AVX-512 register and exactly
 * one QPU vector.
 */
#ifndef CPU_BATCH_H
#define CPU_BATCH_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BATCH_LANES = 16,
	SHA256_BLOCK_BYTES = 64,
	SHA256_DIGEST_BYTES = 32,
	SHA256_STATE_WORDS = 8
};

struct batch {
	/* Hash value H(i) of FIPS 180-4, 6.2: word-major, a..h by lane. */
	alignas(64) uint32_t state[SHA256_STATE_WORDS][BATCH_LANES];
	/* Next whole block of each lane; any alignment; unused if idle. */
	const uint8_t *data[BATCH_LANES];
	/* Whole 64-byte blocks available at data[lane]; 0 = idle lane. */
	uint32_t nblocks[BATCH_LANES];
	/* Blocks the last step hashed, <= nblocks.  The engine writes it. */
	uint32_t done[BATCH_LANES];
};

_Static_assert(sizeof(((struct batch *)0)->state) == 512,
	       "a state is eight vectors of sixteen words");

/* Gather and scatter one lane's column of the state. */
static inline void
batch_get_state(const struct batch *batch, unsigned lane,
		uint32_t state[SHA256_STATE_WORDS])
{
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = batch->state[word][lane];
}

static inline void
batch_set_state(struct batch *batch, unsigned lane,
		const uint32_t state[SHA256_STATE_WORDS])
{
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		batch->state[word][lane] = state[word];
}

#endif
