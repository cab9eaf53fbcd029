/* SPDX-License-Identifier: MIT */
/*
 * opinion: a libcrypto whose digests the test chooses, and which counts bytes.
 * Header only.
 */
#ifndef TESTS_PIPELINE_OPINION_H
#define TESTS_PIPELINE_OPINION_H

#include <string.h>

#include "cpu/libcrypto.h"

static uint8_t opinion_digest[SHA256_DIGEST_BYTES];
static unsigned opinion_begun;
static size_t opinion_bytes; /* of the last message */

static int
opinion_init(SHA256_CTX *context)
{
	(void)context;
	opinion_begun++;
	opinion_bytes = 0;
	return 1;
}

static int
opinion_update(SHA256_CTX *context, const void *bytes, size_t len)
{
	(void)context;
	(void)bytes;
	opinion_bytes += len;
	return 1;
}

static int
opinion_final(unsigned char *digest, SHA256_CTX *context)
{
	(void)context;
	memcpy(digest, opinion_digest, sizeof(opinion_digest));
	return 1;
}

static const struct libcrypto opinion = { .sha256_init = opinion_init,
					  .sha256_update = opinion_update,
					  .sha256_final = opinion_final };

#endif
