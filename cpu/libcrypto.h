/* SPDX-License-Identifier: MIT */
/*
 * libcrypto: OpenSSL's SHA-256, loaded at run time by those who need it.
 *
 * The program is not linked to libcrypto, because starting with it costs
 * every run a third of a millisecond.  Two need it: --verify, as somebody
 * else's opinion, and the cpu engine on a CPU without SHA extensions, where
 * OpenSSL's code for one message is the fastest there is.
 *
 * The low-level SHA256_ functions are meant here: EVP costs another
 * millisecond at first use, and does not let us set the hash value.
 */
#ifndef CPU_LIBCRYPTO_H
#define CPU_LIBCRYPTO_H

#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/base/diag.h"

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

/* One message from begin to end. */
void
libcrypto_init(const struct libcrypto *crypto, struct libcrypto_sha256 *hash);

void
libcrypto_update(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		 const void *bytes, size_t len);

void
libcrypto_final(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		uint8_t digest[SHA256_DIGEST_BYTES]);

/* Whole blocks from a given hash value on, like sha256_blocks. */
void
libcrypto_blocks(const struct libcrypto *crypto,
		 uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t nblocks);

#endif
