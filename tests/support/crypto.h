/* SPDX-License-Identifier: MIT */
/*
 * crypto: an independent SHA-256 to compare with, OpenSSL's.  A build without
 * OpenSSL uses wrong-crypto.c, which has the same functions on top of the
 * reference: that tests how the second opinion is used, but not the reference.
 */
#ifndef TESTS_SUPPORT_CRYPTO_H
#define TESTS_SUPPORT_CRYPTO_H

#include "cpu/libcrypto.h"

#ifdef WITH_OPENSSL
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#else
int
SHA256_Init(SHA256_CTX *context);
int
SHA256_Update(SHA256_CTX *context, const void *data, size_t len);
int
SHA256_Final(unsigned char *digest, SHA256_CTX *context);
#endif

static inline void
crypto_digest(const void *message, size_t bytes, unsigned char *digest)
{
	SHA256_CTX context;

	SHA256_Init(&context);
	SHA256_Update(&context, message, bytes);
	SHA256_Final(digest, &context);
}

#endif
