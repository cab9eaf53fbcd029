/* SPDX-License-Identifier: MIT */
/*
 * known_answer: short messages whose hash values are known beforehand, to find
 * out whether a device computes what it should.
 *
 * The messages are pseudo-random blocks, without padding, hashed from the
 * initial value (FIPS 180-4, 5.3.3); no two of them have a block in common.
 */
#ifndef QPU_ENGINE_KNOWN_ANSWER_H
#define QPU_ENGINE_KNOWN_ANSWER_H

#include <stdint.h>

enum {
	KNOWN_MESSAGES = 256,
	KNOWN_LEAST_BLOCKS = 2, /* of a message; it may be cut to these */
	KNOWN_MOST_BLOCKS = 4,
	KNOWN_STATE_WORDS = 8
};

/* The first bytes of a message: nblocks blocks of 64. */
void
known_answer_fill(uint8_t *bytes, unsigned message, unsigned nblocks);

/* Hash value after so many blocks, of which it has one. */
const uint32_t *
known_answer_state(unsigned message, unsigned nblocks);

#endif
