/* SPDX-License-Identifier: MIT */
/*
 * batch: 16 lanes of SHA-256, the unit of work of every engine.
 *
 * A lane is one slot of a 16-wide vector.  Its blocks are consecutive, and
 * belong to one message, or to several padded messages one after the other:
 * then `ends` says where each of them ends.  A row of `state` is exactly one
 * AVX-512 register and exactly one QPU vector.
 */
#ifndef SRC_BASE_BATCH_H
#define SRC_BASE_BATCH_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BATCH_LANES = 16,
	SHA256_BLOCK_BYTES = 64,
	SHA256_DIGEST_BYTES = 32,
	SHA256_STATE_WORDS = 8
};

/* FIPS 180-4: the initial hash value (5.3.3), and the sixty-four round constants
 * (4.2.2), 64-byte aligned. */
extern const uint32_t sha256_initial[SHA256_STATE_WORDS];
extern const uint32_t sha256_k[64];

/* The end of a message inside a lane. */
struct batch_end {
	/* Blocks of the lane's data up to the end of the message, >= 1. */
	uint32_t block;
	/* Its final hash value; the engine writes it. */
	uint32_t state[SHA256_STATE_WORDS];
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
	/* The engine's own, 0 at first: a bit for each lane to begin with. */
	uint32_t first_lanes;
	/*
	 * Where messages end in a lane, in ascending order, up to nblocks.
	 * Behind each end the lane goes on from the initial hash value (FIPS
	 * 180-4, 5.3.3); the column of `state` is in the end that of the
	 * message that is still open, or the initial value.  Ends up to done
	 * are valid after a step.  Only for engines whose limits say chained.
	 */
	struct batch_end *ends[BATCH_LANES];
	uint32_t nends[BATCH_LANES]; /* 0 = the blocks of one message */
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
