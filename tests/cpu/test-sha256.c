/* SPDX-License-Identifier: MIT */
/* Promise: the reference compression computes SHA-256 as libcrypto does. */
#include "config.h"

#include "cpu/sha256.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "tests/support/tap.h"

/* FIPS 180-4, 5.1.1, done the slow and obvious way. */
static void
reference_digest(const uint8_t *message, size_t len,
		 uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint32_t state[SHA256_STATE_WORDS];
	size_t nblocks = (len + 8) / SHA256_BLOCK_BYTES + 1;
	uint8_t *padded = calloc(nblocks, SHA256_BLOCK_BYTES);

	memcpy(padded, message, len);
	padded[len] = 0x80;
	for (int i = 0; i < 8; i++)
		padded[nblocks * SHA256_BLOCK_BYTES - 1 - i] =
			(uint8_t)((uint64_t)len * 8 >> 8 * i);
	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, padded, nblocks);
	sha256_digest(state, digest);
	free(padded);
}

static bool
agrees(const uint8_t *message, size_t len)
{
	uint8_t ours[SHA256_DIGEST_BYTES], theirs[SHA256_DIGEST_BYTES];

	reference_digest(message, len, ours);
	EVP_Digest(message, len, theirs, NULL, EVP_sha256(), NULL);
	return memcmp(ours, theirs, sizeof(ours)) == 0;
}

int
main(void)
{
	static uint8_t message[1 << 16];
	uint32_t seed = 1;
	unsigned good = 0;

	for (size_t i = 0; i < sizeof(message); i++) {
		seed = seed * 1664525 + 1013904223;
		message[i] = (uint8_t)(seed >> 24);
	}
	for (size_t len = 0; len <= 300; len++)
		good += agrees(message, len);
	ok(good == 301, "lengths 0 to 300 equal libcrypto");

	good = 0;
	for (int i = 0; i < 200; i++) {
		seed = seed * 1664525 + 1013904223;
		good += agrees(message + (seed >> 8) % 64,
			       (seed >> 16) % (sizeof(message) - 64));
	}
	ok(good == 200, "200 random lengths, any alignment, equal libcrypto");
	return tap_done();
}
