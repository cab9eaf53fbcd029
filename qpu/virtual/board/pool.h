/* SPDX-License-Identifier: MIT */
/*
 * pool: the firmware's allocator of GPU memory: handles, addresses and locks.
 * Its functions are called with the board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_POOL_H
#define QPU_VIRTUAL_BOARD_POOL_H

#include <stdint.h>

#include "qpu/virtual/board/virtual_board.h"

/* Returns a handle, or 0; flags are those of the mailbox. */
uint32_t
pool_allocate(const struct board *, uint32_t bytes, uint32_t alignment,
	      uint32_t flags);

/* Returns the bus address, or 0. */
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

#endif
