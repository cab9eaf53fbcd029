/* SPDX-License-Identifier: MIT */
/*
 * verify: what --verify does beside the engine.  The blocks that an engine
 * has hashed are fed, from memory, to the CPU reference; the bytes of the
 * message to libcrypto, which does its own padding.
 */
#ifndef SRC_VERIFY_H
#define SRC_VERIFY_H

#include <stdint.h>

#include "cpu/libcrypto.h"
#include "src/job.h"

/* One message; may be copied between two calls. */
struct verify {
	const struct libcrypto *crypto;	/* NULL = not verifying */
	uint32_t state[SHA256_STATE_WORDS];
	struct libcrypto_sha256 other;
};

void
verify_start(struct verify *, const struct libcrypto *);

/* nblocks blocks at data, the first message_bytes of them message. */
void
verify_feed(struct verify *, const uint8_t *data, uint32_t nblocks,
	    size_t message_bytes);

/* Compare; the digest is corrected where the engine was wrong. */
enum job_verdict
verify_finish(struct verify *, uint8_t digest[SHA256_DIGEST_BYTES]);

#endif
