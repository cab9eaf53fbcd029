/* SPDX-License-Identifier: MIT */
/*
 * known: unpredictable numbers, and blocks of them whose hash values are known
 * before a launch, to check that a device computes what it should.
 *
 * The blocks are hashed in two ways by the reference (cpu/sha256.h), which
 * shares no code with the kernels of the CPU:
 *
 *	chain		all of them, one after the other.  Any run of blocks is a
 *			known answer: it begins with the hash value before it, and
 *			must end with the one after it
 *	messages	the first of each sixteen, from the initial value (FIPS
 *			180-4, 5.3.3)
 *
 * The blocks of the second half are the complements of those of the first, so
 * that a stuck bit of a memory or cache has to show.
 */
#ifndef QPU_SHA_KNOWN_H
#define QPU_SHA_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"

/* Numbers ------------------------------------------------------------------ */

struct nonce {
	uint64_t state;
};

/* Begin at random, where the system has randomness; else at the time. */
struct nonce
nonce_begin(void);

uint32_t
nonce_next(struct nonce *);

/* A number below n, n >= 1. */
static inline uint32_t
nonce_below(struct nonce *nonce, uint32_t n)
{
	return (uint32_t)((uint64_t)nonce_next(nonce) * n >> 32);
}

/* Blocks ------------------------------------------------------------------- */

enum {
	KNOWN_MESSAGES = 64,
	KNOWN_STRIDE = 16, /* blocks between two of them */
	KNOWN_BLOCKS = KNOWN_MESSAGES * KNOWN_STRIDE,
	KNOWN_BYTES = KNOWN_BLOCKS * SHA256_BLOCK_BYTES
};

struct known {
	uint8_t data[KNOWN_BYTES];
	/* The chain's hash values after 0, 1, ... blocks. */
	uint32_t chain[KNOWN_BLOCKS + 1][SHA256_STATE_WORDS];
	uint32_t messages[KNOWN_MESSAGES][SHA256_STATE_WORDS];
};

/* Another nonce makes other blocks.  Takes a few milliseconds. */
void
known_make(struct known *, struct nonce);

static inline const uint8_t *
known_block(const struct known *known, unsigned block)
{
	return known->data + block * SHA256_BLOCK_BYTES;
}

#endif
