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

/* The hash values after 0, 1, ... n blocks of data. */
static void
hash_each(uint32_t states[][SHA256_STATE_WORDS], const uint8_t *data,
	  unsigned n)
{
	memcpy(states[0], sha256_initial, sizeof(sha256_initial));
	for (unsigned i = 0; i < n; i++) {
		memcpy(states[i + 1], states[i], sizeof(states[i]));
		sha256_blocks(states[i + 1], data + i * SHA256_BLOCK_BYTES, 1);
	}
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
	hash_each(known->chain, known->data, KNOWN_BLOCKS);
	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		hash_each(known->messages[i],
			  known_block(known, i * KNOWN_STRIDE),
			  KNOWN_MOST_BLOCKS);
}

void
known_hash(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data, size_t n)
{
	sha256_blocks(state, data, n);
}
