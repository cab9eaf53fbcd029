/* SPDX-License-Identifier: MIT */
/*
 * known_chain: pseudo-random blocks whose hash value after each block is known,
 * to find out whether a device computes what it should.
 *
 * Any run of blocks of the chain is a known answer: it begins with the hash
 * value before the run, and must end with the one after it.  So there is one of
 * any length, and hundreds of each.  The reference (cpu/sha256.h) computes
 * them; it shares no code with the kernels of the CPU.
 */
#ifndef QPU_TILES_KNOWN_CHAIN_H
#define QPU_TILES_KNOWN_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"

enum {
	KNOWN_CHAIN_BLOCKS = 768,
	KNOWN_CHAIN_BYTES = KNOWN_CHAIN_BLOCKS * SHA256_BLOCK_BYTES
};

struct known_chain {
	uint8_t data[KNOWN_CHAIN_BYTES];
	/* After 0, 1, ... blocks. */
	uint32_t states[KNOWN_CHAIN_BLOCKS + 1][SHA256_STATE_WORDS];
};

/* Another seed makes another chain.  Takes some milliseconds. */
void
known_chain_make(struct known_chain *, uint64_t seed);

/* What the reference makes of n blocks from a state on. */
void
known_chain_hash(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t n);

#endif
