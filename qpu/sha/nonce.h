/* SPDX-License-Identifier: MIT */
/*
 * nonce: numbers that nobody can have foreseen and no earlier process has
 * used, for patterns and for the choice of known answers.
 */
#ifndef QPU_TILES_NONCE_H
#define QPU_TILES_NONCE_H

#include <stdint.h>

struct nonce {
	uint64_t state;
};

/* Begin at random, where the system has randomness; else at the time. */
void
nonce_begin(struct nonce *);

uint32_t
nonce_next(struct nonce *);

/* A number below n, n >= 1. */
static inline uint32_t
nonce_below(struct nonce *nonce, uint32_t n)
{
	return (uint32_t)((uint64_t)nonce_next(nonce) * n >> 32);
}

#endif
