/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/verify.h"

#include <string.h>

#include "cpu/sha256.h"

void
verify_start(struct verify *verify, const struct libcrypto *crypto)
{
	verify->crypto = crypto;
	if (!crypto)
		return;
	memcpy(verify->state, sha256_initial, sizeof(verify->state));
	libcrypto_init(crypto, &verify->other);
}

void
verify_feed(struct verify *verify, const uint8_t *data, uint32_t nblocks,
	    size_t message_bytes)
{
	if (!verify->crypto)
		return;
	sha256_blocks(verify->state, data, nblocks);
	libcrypto_update(verify->crypto, &verify->other, data, message_bytes);
}

bool
verify_expected(struct verify *verify, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint8_t other[SHA256_DIGEST_BYTES];

	sha256_digest(verify->state, digest);
	libcrypto_final(verify->crypto, &verify->other, other);
	return memcmp(digest, other, sizeof(other)) == 0;
}

enum job_verdict
verify_finish(struct verify *verify, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint8_t expected[SHA256_DIGEST_BYTES];

	if (!verify->crypto)
		return JOB_TRUSTED;
	if (!verify_expected(verify, expected))
		return JOB_DISPUTED;
	if (memcmp(expected, digest, sizeof(expected)) == 0)
		return JOB_TRUSTED;
	memcpy(digest, expected, sizeof(expected));
	return JOB_CORRECTED;
}
