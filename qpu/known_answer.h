/* SPDX-License-Identifier: MIT */
/*
 * known_answer: a message whose hash values are known beforehand, to find out
 * whether a device computes what it should.
 *
 * The message is pseudo-random and its blocks all differ.  The table holds
 * the hash value after each of its first 63 blocks and after each multiple of
 * 64, so that a run of any length can be checked to its last block: from
 * some block below 64 to the next end that the table has.
 */
#ifndef QPU_KNOWN_ANSWER_H
#define QPU_KNOWN_ANSWER_H

#include <stdint.h>

enum {
	KNOWN_SINGLES = 64,	/* every number of blocks below */
	KNOWN_STEP = 64,	/* and then every so many blocks */
	KNOWN_BLOCKS = 2112,	/* whole message; >= 1 step */
	KNOWN_STATE_WORDS = 8
};

/* Blocks [first, first + count) of the message. */
struct known_run {
	uint32_t first;
	uint32_t count;
};

/* Bytes of the blocks [0, nblocks), nblocks <= KNOWN_BLOCKS. */
void
known_answer_fill(uint8_t *bytes, uint32_t nblocks);

/* A run of `count` blocks inside the first `nblocks` (a multiple of 64) of
 * the message; a shorter one when there is none so long. */
struct known_run
known_answer_run(uint32_t count, uint32_t nblocks);

/* Hash value after so many blocks; NULL when the table does not have it. */
const uint32_t *
known_answer_state(uint32_t nblocks);

#endif
