/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/known_answer.h"

#include <stddef.h>

enum {
	BLOCK_BYTES = 64,
	ROWS = KNOWN_SINGLES + KNOWN_BLOCKS / KNOWN_STEP
};

/* Written by tests/test-known-answer --write, which also checks it. */
static const uint32_t states[ROWS][KNOWN_STATE_WORDS] = {
#include "qpu/known_answer.def"
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
known_answer_fill(uint8_t *bytes, uint32_t nblocks)
{
	for (uint32_t i = 0; i < nblocks * BLOCK_BYTES / 4; i++) {
		const uint32_t word = known_word(i);

		for (unsigned byte = 0; byte < 4; byte++)
			*bytes++ = (uint8_t)(word >> 8 * byte);
	}
}

struct known_run
known_answer_run(uint32_t count, uint32_t nblocks)
{
	uint32_t end;

	if (count > nblocks)
		count = nblocks;
	end = (count + KNOWN_STEP - 1) / KNOWN_STEP * KNOWN_STEP;
	return (struct known_run){ .first = end - count, .count = count };
}

const uint32_t *
known_answer_state(uint32_t nblocks)
{
	if (nblocks < KNOWN_SINGLES)
		return states[nblocks];
	if (nblocks % KNOWN_STEP == 0 && nblocks <= KNOWN_BLOCKS)
		return states[KNOWN_SINGLES + nblocks / KNOWN_STEP - 1];
	return NULL;
}
