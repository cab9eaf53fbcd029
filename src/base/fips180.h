/* SPDX-License-Identifier: MIT */
/* fips180: sizes and constants of SHA-256, FIPS 180-4. */
#ifndef SRC_BASE_FIPS180_H
#define SRC_BASE_FIPS180_H

#include <stdint.h>

enum {
	SHA256_BLOCK_BYTES = 64,
	SHA256_DIGEST_BYTES = 32,
	SHA256_STATE_WORDS = 8
};

/* The initial hash value (5.3.3), and the sixty-four round constants (4.2.2),
 * 64-byte aligned. */
extern const uint32_t sha256_initial[SHA256_STATE_WORDS];
extern const uint32_t sha256_k[64];

#endif
