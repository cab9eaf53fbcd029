/* SPDX-License-Identifier: MIT */
/*
 * slots: messages side by side in the lanes of the fastest kernel, each of its
 * own length.  A slot that has ended takes the next message at once.
 */
#ifndef CPU_SLOTS_H
#define CPU_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"

enum {
	/* Blocks that a slot has room for. */
	SLOT_BLOCKS = 4
};

/* What is to be hashed of one message: blocks in two places, the first of which
 * has one block at least, the second may have none. */
struct slot {
	const uint8_t *data[2];
	size_t nblocks[2];
	size_t item; /* whose it is, for the supply */
	/* The hash value (FIPS 180-4, 6.2) before the blocks, and after them. */
	uint32_t state[SHA256_STATE_WORDS];
	/* For blocks that are not in memory as they have to be hashed. */
	uint8_t bytes[SLOT_BLOCKS * SHA256_BLOCK_BYTES];
};

struct slot_supply {
	void *self;
	/* Fill a slot.  False: there is nothing to do; it is asked again when a
	 * slot has ended. */
	bool (*next)(void *self, struct slot *slot);
	void (*ended)(void *self, const struct slot *slot);
};

/* Hash what the supply has on a CPU with these features, with at most 1 to 16
 * slots at a time. */
void
slots_run(uint32_t features, unsigned most, const struct slot_supply *supply);

#endif
