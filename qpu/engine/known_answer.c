/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/engine/known_answer.h"

enum { BLOCK_WORDS = 16, LENGTHS = KNOWN_MOST_BLOCKS - KNOWN_LEAST_BLOCKS + 1 };

/* Written by tests/engine/test-known-answer --write, which also checks it. */
static const uint32_t states[KNOWN_MESSAGES * LENGTHS][KNOWN_STATE_WORDS] = {
#include "qpu/engine/known_answer.def"
};

/* A counter, mixed until every bit depends on every bit. */
static uint32_t
known_word(uint32_t i)
{
	uint32_t x = (i + 1) * UINT32_C(0x9e3779b1);

	x = (x ^ x >> 15) * UINT32_C(0x85ebca77);
	x = (x ^ x >> 13) * UINT32_C(0xc2b2ae3d);
	return x ^ x >> 16;
}

void
known_answer_fill(uint8_t *bytes, unsigned message, unsigned nblocks)
{
	const uint32_t first = message * KNOWN_MOST_BLOCKS * BLOCK_WORDS;

	for (uint32_t i = 0; i < nblocks * BLOCK_WORDS; i++) {
		const uint32_t word = known_word(first + i);

		for (unsigned byte = 0; byte < 4; byte++)
			*bytes++ = (uint8_t)(word >> 8 * byte);
	}
}

const uint32_t *
known_answer_state(unsigned message, unsigned nblocks)
{
	return states[message * LENGTHS + nblocks - KNOWN_LEAST_BLOCKS];
}
