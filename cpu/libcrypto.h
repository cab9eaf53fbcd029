/* SPDX-License-Identifier: MIT */
/*
 * libcrypto: OpenSSL's SHA-256, loaded at run time if it is needed.
 *
 * The program is not linked to libcrypto, because starting with it costs
 * every run a third of a millisecond.  Two callers need it: --verify, as an
 * independent implementation, and the cpu engine on a CPU without SHA extensions,
 * where OpenSSL's code is the fastest for one message.
 *
 * It calls the low-level SHA256_ functions: EVP costs another millisecond at
 * first use, and cannot set the hash value.
 *
 * If configured --without-openssl, libcrypto_load fails, and none of the other
 * functions is called.
 */
#ifndef CPU_LIBCRYPTO_H
#define CPU_LIBCRYPTO_H

#ifdef WITH_OPENSSL
#include <openssl/sha.h>
#else
/* The same members as OpenSSL's. */
typedef struct {
	unsigned h[8], Nl, Nh, data[16], num, md_len;
} SHA256_CTX;
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/fips180.h"

/* An opened library; all zero is a closed one. */
struct libcrypto {
	void *handle;
	int (*sha256_init)(SHA256_CTX *);
	int (*sha256_update)(SHA256_CTX *, const void *, size_t);
	int (*sha256_final)(unsigned char *, SHA256_CTX *);
};

struct libcrypto_sha256 {
	SHA256_CTX context;
};

bool
libcrypto_load(struct libcrypto *crypto, struct diag *why_not);

void
libcrypto_unload(struct libcrypto *crypto);

/* Hash one message from its beginning to its end. */
void
libcrypto_init(const struct libcrypto *crypto, struct libcrypto_sha256 *hash);

void
libcrypto_update(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		 const void *bytes, size_t len);

void
libcrypto_final(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		uint8_t digest[SHA256_DIGEST_BYTES]);

/* Advance a hash value by whole blocks, as sha256_blocks does. */
void
libcrypto_blocks(const struct libcrypto *crypto,
		 uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t nblocks);

#endif
