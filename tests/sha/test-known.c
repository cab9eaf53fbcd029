/* SPDX-License-Identifier: MIT */
/*
 * Promise: known answers are the hash values of blocks of which no two are
 * alike, in one process or in two.
 */
#include "config.h"

#include "qpu/sha/known.h"

#include <string.h>

#include "cpu/sha256.h"
#include "tests/support/tap.h"

static struct known known, other;

static bool
is_hash_of(const uint32_t right[SHA256_STATE_WORDS], const uint8_t *data,
	   unsigned nblocks)
{
	uint32_t state[SHA256_STATE_WORDS];

	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, data, nblocks);
	return memcmp(state, right, sizeof(state)) == 0;
}

static void
test_answers(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		wrong += !is_hash_of(known.messages[i],
				     known_block(&known, i * KNOWN_STRIDE), 1);
	ok(wrong == 0, "all messages have their hash values");
	for (unsigned n = 0; n <= KNOWN_BLOCKS; n += 31)
		wrong += !is_hash_of(known.chain[n], known.data, n);
	ok(wrong == 0, "so has the chain of all blocks after each of them");
}

/* Of two sets of blocks, how many pairs are alike? */
static unsigned
count_alike(const struct known *a, const struct known *b)
{
	unsigned alike = 0;

	for (unsigned i = 0; i < KNOWN_BLOCKS; i++)
		for (unsigned k = 0; k < KNOWN_BLOCKS; k++)
			alike += memcmp(a->data + i * SHA256_BLOCK_BYTES,
					b->data + k * SHA256_BLOCK_BYTES,
					SHA256_BLOCK_BYTES) == 0;
	return alike;
}

int
main(void)
{
	known_make(&known, nonce_begin());
	known_make(&other, nonce_begin());
	test_answers();
	ok(count_alike(&known, &known) == KNOWN_BLOCKS,
	   "no two blocks are alike");
	ok(count_alike(&known, &other) == 0,
	   "another process has other blocks");
	known_make(&other, (struct nonce){ .state = 5 });
	known_make(&known, (struct nonce){ .state = 5 });
	ok(memcmp(&known, &other, sizeof(known)) == 0,
	   "a seed makes the same blocks each time");
	return tap_done();
}
