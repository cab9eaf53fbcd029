/* SPDX-License-Identifier: MIT */
/*
 * wrong-crypto: a libcrypto that errs on demand, so that --verify has
 * something to find.  extensions.bats loads it instead of the real one.
 *
 * WRONG_CRYPTO=digest	every digest is wrong, as if libcrypto were broken
 * WRONG_CRYPTO=blocks	only hashing from a given state on is wrong, as if the
 *			engine that uses libcrypto for it were broken
 * otherwise		all is right
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "tests/support/crypto.h"

/* Marks a context that SHA256_Init has made. */
enum { INITIALISED = 1000 };

static bool
errs_in(const char *part)
{
	const char *wanted = getenv("WRONG_CRYPTO");

	return wanted && strcmp(wanted, part) == 0;
}

int
SHA256_Init(SHA256_CTX *context)
{
	memset(context, 0, sizeof(*context));
	memcpy(context->h, sha256_initial, sizeof(context->h));
	context->md_len = INITIALISED;
	return 1;
}

int
SHA256_Update(SHA256_CTX *context, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	uint8_t *buffer = (uint8_t *)context->data;
	uint64_t total = ((uint64_t)context->Nh << 32 | context->Nl) + len;

	context->Nl = (unsigned)total;
	context->Nh = (unsigned)(total >> 32);
	for (; len > 0; len--) {
		buffer[context->num++] = *bytes++;
		if (context->num == SHA256_BLOCK_BYTES) {
			sha256_blocks(context->h, buffer, 1);
			context->num = 0;
		}
	}
	if (context->md_len != INITIALISED && errs_in("blocks"))
		context->h[3] ^= 0x00400000;
	return 1;
}

int
SHA256_Final(unsigned char *digest, SHA256_CTX *context)
{
	uint64_t bits = ((uint64_t)context->Nh << 32 | context->Nl) * 8;
	const uint8_t one = 0x80, zero = 0;
	uint8_t length[8];

	for (int i = 7; i >= 0; i--, bits >>= 8)
		length[i] = (uint8_t)bits;
	SHA256_Update(context, &one, 1);
	while (context->num != SHA256_BLOCK_BYTES - sizeof(length))
		SHA256_Update(context, &zero, 1);
	SHA256_Update(context, length, sizeof(length));
	sha256_digest(context->h, digest);
	if (errs_in("digest"))
		digest[31] ^= 1;
	return 1;
}
