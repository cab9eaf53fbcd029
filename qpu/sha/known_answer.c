/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/known_answer.h"

#include <string.h>

#include "cpu/sha256.h"

enum { BLOCK_WORDS = 16 };

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

void
known_answer_advance(uint32_t state[KNOWN_STATE_WORDS], unsigned message,
		     unsigned block)
{
	uint8_t bytes[KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES];

	known_answer_fill(bytes, message, block + 1);
	sha256_blocks(state, bytes + block * SHA256_BLOCK_BYTES, 1);
}

void
known_answers_compute(struct known_answers *known)
{
	uint8_t bytes[KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES];

	for (unsigned i = 0; i < KNOWN_MESSAGES; i++) {
		uint32_t state[SHA256_STATE_WORDS];
		unsigned done = 0;

		known_answer_fill(bytes, i, KNOWN_MOST_BLOCKS);
		memcpy(state, sha256_initial, sizeof(state));
		for (unsigned n = KNOWN_LEAST_BLOCKS; n <= KNOWN_MOST_BLOCKS;
		     done = n++) {
			sha256_blocks(state, bytes + done * SHA256_BLOCK_BYTES,
				      n - done);
			memcpy(known->states[i][n - KNOWN_LEAST_BLOCKS], state,
			       sizeof(state));
		}
	}
}
