/* SPDX-License-Identifier: MIT */
/*
 * sample: the reference hashes some random messages of each launch while the
 * QPUs work.  So a fault that lasts and often strikes is found after some
 * launches even if no known answer shows it.
 *
 * A message here is a lane's part of one in a launch.  The reference hashes
 * SAMPLE_BLOCKS of each of the first launches, and one block for each SAMPLE_ONE_OF
 * that the launches have, over time: below 1 % of a core of a Raspberry Pi 3.
 */
#ifndef QPU_SHA_SAMPLE_H
#define QPU_SHA_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/sha/known.h"
#include "src/base/engine.h"

enum {
	SAMPLE_ONE_OF = 1024,
	SAMPLE_FIRST = 4096, /* blocks in addition, of the first launches */
	/* The most that are taken of a launch. */
	SAMPLE_MESSAGES = 96,
	SAMPLE_BLOCKS = 1024
};

#define SAMPLE_OWED ((int64_t)SAMPLE_ONE_OF * SAMPLE_FIRST)

struct sample {
	struct nonce nonce;
	/* Blocks of launches that no block of the reference stands for yet; begins
	 * as SAMPLE_OWED. */
	int64_t owed;
	unsigned n;
	struct sample_message {
		unsigned lane;
		uint32_t end; /* its number in the lane; or it goes on */
		uint32_t blocks;
		uint32_t state[SHA256_STATE_WORDS];
	} messages[SAMPLE_MESSAGES];
	uint8_t data[SAMPLE_BLOCKS * SHA256_BLOCK_BYTES]; /* of all of them */
};

/* Choose random messages of a planned launch, whose `done` says what lanes will
 * hash, and copy them before the device can touch them. */
void
sample_take(struct sample *, const struct engine_lane *, unsigned n);

/* Hash them, while the launch runs. */
void
sample_hash(struct sample *);

/* Return a message whose hash value differs from the launch's, or NULL. */
const struct sample_message *
sample_wrong(const struct sample *, const struct engine_lane *);

#endif
