/* SPDX-License-Identifier: MIT */
/*
 * verify: the second and third opinion of --verify.  The blocks that an engine
 * has hashed go, from the same memory, to the CPU reference; the bytes of the
 * message go to libcrypto, which does its own padding.
 */
#ifndef SRC_LANES_VERIFY_H
#define SRC_LANES_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/libcrypto.h"
#include "src/lanes/job.h"

/* The opinions about one message; may be copied between two calls. */
struct verify {
	const struct libcrypto *crypto; /* NULL = not verifying */
	uint32_t state[SHA256_STATE_WORDS];
	struct libcrypto_sha256 other;
};

void
verify_start(struct verify *, const struct libcrypto *);

/* The engine has hashed nblocks blocks at data, of which the first
 * message_bytes bytes are the message and the others padding. */
void
verify_feed(struct verify *, const uint8_t *data, uint32_t nblocks,
	    size_t message_bytes);

/* The digest by the reference.  False: libcrypto disagrees. */
bool
verify_expected(struct verify *, uint8_t digest[SHA256_DIGEST_BYTES]);

/* Compare the digest of the engine with both opinions, and correct it. */
enum job_verdict
verify_finish(struct verify *, uint8_t digest[SHA256_DIGEST_BYTES]);

#endif
