/* SPDX-License-Identifier: MIT */
/*
 * sample: the reference hashes some random messages of each launch while the
 * QPUs work.  So a fault that lasts and often strikes is found after some
 * launches even if no known answer shows it.
 *
 * A message here is a lane's part of one in a launch.  The reference hashes
 * SAMPLE_BLOCKS of each of the first launches, and one block for each SAMPLE_ONE_OF
 * that the launches have, over time: below 1 % of a core of a Raspberry Pi 3.  A
 * message is chosen with a probability inverse to its blocks: then short ones,
 * which cost little, are seldom missed, and all lengths have the same share of the
 * time (README.md has the figures).
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
	/* Blocks that are wanted of a launch, at most, and that there is room for. */
	SAMPLE_BLOCKS = 1024,
	SAMPLE_ROOM = 2 * SAMPLE_BLOCKS
};

#define SAMPLE_PENDING ((int64_t)SAMPLE_ONE_OF * SAMPLE_FIRST)

struct sample {
	struct nonce nonce;
	/* Blocks of launches that no block of the reference stands for yet; begins
	 * as SAMPLE_PENDING. */
	int64_t pending;
	unsigned n;
	struct sample_message {
		unsigned lane;
		uint32_t end; /* its number in the lane; or it goes on */
		uint32_t blocks;
		uint32_t state[SHA256_STATE_WORDS];
	} messages[SAMPLE_ROOM];
	uint32_t blocks; /* of all of them */
	uint8_t data[SAMPLE_ROOM * SHA256_BLOCK_BYTES];
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
