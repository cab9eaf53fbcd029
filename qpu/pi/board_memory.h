/* SPDX-License-Identifier: MIT */
/*
 * board_memory: the firmware's allocator of GPU memory (handles, addresses and
 * locks), and the memory that QPU programs of this process can reach, kept in step
 * with what is locked.  Called with the board's lock held.
 */
#ifndef QPU_PI_BOARD_MEMORY_H
#define QPU_PI_BOARD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* Return a handle, or 0; the flags are the mailbox's. */
uint32_t
pool_allocate(const struct board *, uint32_t bytes, uint32_t alignment,
	      uint32_t flags);

/* Return the bus address, or 0. */
uint32_t
pool_lock(const struct board *, uint32_t handle);

/* Return 0, or the firmware's answer when it refuses. */
uint32_t
pool_unlock(const struct board *, uint32_t handle);
uint32_t
pool_release(const struct board *, uint32_t handle);

/* Null when no block has this handle. */
struct board_block *
pool_find(const struct board *, uint32_t handle);

/* The block that has these bytes at a bus address, or NULL. */
struct board_block *
pool_find_at(const struct board *, uint32_t bus, uint32_t bytes);

enum { BOARD_REGIONS = BOARD_BLOCKS + CMA_BUFFERS };

struct board_region {
	uint32_t physical;
	uint32_t bytes;
	uint8_t *host;
	bool buffer; /* mapped for this launch only */
};

struct board_memory {
	struct board_region regions[BOARD_REGIONS];
	unsigned nregions;
	uint32_t changes; /* of struct board_shared, when last seen */
};

/* Let the machine reach everything that is locked or a buffer now. */
bool
board_memory_enter(struct board_memory *, const struct board *,
		   struct machine *, struct diag *why);

/* Unmap the buffers, which may be freed before the next launch. */
void
board_memory_leave(struct board_memory *, struct machine *);

#endif
