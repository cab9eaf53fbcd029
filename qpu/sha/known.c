/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/known.h"

#include <string.h>
#include <sys/random.h>

#include "cpu/sha256.h"
#include "src/base/clock.h"

/* Kernels before 3.17 know no getrandom, and early in a boot it would wait. */
struct nonce
nonce_begin(void)
{
	struct nonce nonce;

	if (getrandom(&nonce.state, sizeof(nonce.state), GRND_NONBLOCK) !=
	    sizeof(nonce.state))
		nonce.state = clock_ns();
	return nonce;
}

/* Sebastiano Vigna's splitmix64; the upper half. */
uint32_t
nonce_next(struct nonce *nonce)
{
	uint64_t x = nonce->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((x ^ x >> 31) >> 32);
}

/* The state after a block. */
static void
hash_block(uint32_t to[SHA256_STATE_WORDS],
	   const uint32_t from[SHA256_STATE_WORDS], const uint8_t *block)
{
	memcpy(to, from, SHA256_STATE_WORDS * sizeof(*to));
	sha256_blocks(to, block, 1);
}

void
known_make(struct known *known, struct nonce nonce)
{
	uint8_t *inverse = known->data + KNOWN_BYTES / 2;

	for (size_t i = 0; i < KNOWN_BYTES / 2; i += 4) {
		const uint32_t word = nonce_next(&nonce);

		memcpy(known->data + i, &word, sizeof(word));
		memcpy(inverse + i, &(uint32_t){ ~word }, sizeof(word));
	}
	memcpy(known->chain[0], sha256_initial, sizeof(sha256_initial));
	for (unsigned i = 0; i < KNOWN_BLOCKS; i++)
		hash_block(known->chain[i + 1], known->chain[i],
			   known_block(known, i));
	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		hash_block(known->messages[i], sha256_initial,
			   known_block(known, i * KNOWN_STRIDE));
}
