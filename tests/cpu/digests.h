/* SPDX-License-Identifier: MIT */
/* digests: digests of messages by the reference, to compare others with. */
#ifndef TESTS_CPU_DIGESTS_H
#define TESTS_CPU_DIGESTS_H

#include <stdbool.h>
#include <string.h>

#include "cpu/sha256.h"

static inline void
reference_digest(const uint8_t *message, size_t bytes,
		 uint8_t digest[SHA256_DIGEST_BYTES])
{
	const size_t tail = bytes % SHA256_BLOCK_BYTES;
	uint8_t end[2 * SHA256_BLOCK_BYTES];
	uint32_t state[SHA256_STATE_WORDS];

	if (tail > 0)
		memcpy(end, message + bytes - tail, tail);
	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, message, bytes / SHA256_BLOCK_BYTES);
	sha256_blocks(state, end, sha256_pad(end, tail, bytes));
	sha256_digest(state, digest);
}

static inline bool
is_digest(const uint8_t *digest, const uint8_t *message, size_t bytes)
{
	uint8_t right[SHA256_DIGEST_BYTES];

	reference_digest(message, bytes, right);
	return memcmp(digest, right, sizeof(right)) == 0;
}

#endif
