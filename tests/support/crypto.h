/* SPDX-License-Identifier: MIT */
/*
 * crypto: SHA-256 of somebody else to compare with: OpenSSL's.  In a build
 * without OpenSSL it is that of wrong-crypto.c, which has the same functions on
 * top of the reference; there it shows what is done with the second opinion, and
 * not that the reference is right.
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
