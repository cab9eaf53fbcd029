/* SPDX-License-Identifier: MIT */
/*
 * sha256: the reference compression of FIPS 180-4, one lane, plain C.
 *
 * It defines what every other implementation must compute: engines are tested
 * against it, --verify compares with it, and it is itself tested against
 * libcrypto.  Written to be read, not to be fast.
 */
#ifndef CPU_SHA256_H
#define CPU_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"

/* FIPS 180-4, 6.2.2: run the compression function over whole blocks. */
void
sha256_blocks(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
	      size_t nblocks);

/*
 * FIPS 180-4, 5.1.1: write the padding of a message of `length` bytes after
 * its last `tail_bytes` (< 64) bytes at `tail`.  Return the number of blocks
 * that start at `tail`: 1 or 2.
 */
uint32_t
sha256_pad(uint8_t *tail, size_t tail_bytes, uint64_t length);

/* Write the final hash value as the 32 bytes of the digest, big-endian. */
void
sha256_digest(const uint32_t state[SHA256_STATE_WORDS],
	      uint8_t digest[SHA256_DIGEST_BYTES]);

#endif
