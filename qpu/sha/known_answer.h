/* SPDX-License-Identifier: MIT */
/*
 * known_answer: short messages whose hash values are known before a launch, to
 * find out whether a device computes what it should.
 *
 * The messages are pseudo-random blocks, without padding, hashed from the
 * initial value (FIPS 180-4, 5.3.3); no two of them have a block in common.
 * Their hash values are computed by the reference (cpu/sha256.h), which shares
 * no code with the kernels of the CPU.
 */
#ifndef QPU_ENGINE_KNOWN_ANSWER_H
#define QPU_ENGINE_KNOWN_ANSWER_H

#include <stdint.h>

enum {
	KNOWN_MESSAGES = 256,
	KNOWN_LEAST_BLOCKS = 1, /* of a message, which may be cut to these */
	KNOWN_MOST_BLOCKS = 4,
	KNOWN_LENGTHS = KNOWN_MOST_BLOCKS - KNOWN_LEAST_BLOCKS + 1,
	KNOWN_STATE_WORDS = 8
};

struct known_answers {
	/* The hash value of a message that is cut to KNOWN_LEAST_BLOCKS, and
	 * then to one block more each. */
	uint32_t states[KNOWN_MESSAGES][KNOWN_LENGTHS][KNOWN_STATE_WORDS];
};

/* The first nblocks blocks of 64 bytes of a message. */
void
known_answer_fill(uint8_t *bytes, unsigned message, unsigned nblocks);

/* All answers; takes a few milliseconds at most. */
void
known_answers_compute(struct known_answers *);

/* Hash block number `block` of a message, from any state. */
void
known_answer_advance(uint32_t state[KNOWN_STATE_WORDS], unsigned message,
		     unsigned block);

/* The hash value of the first nblocks blocks of a message. */
static inline const uint32_t *
known_answer_state(const struct known_answers *known, unsigned message,
		   unsigned nblocks)
{
	return known->states[message][nblocks - KNOWN_LEAST_BLOCKS];
}

#endif
