/* SPDX-License-Identifier: MIT */
/*
 * pool: the memory that the firmware gives to programs: handles, addresses
 * and locks.  Called with the state's lock held.
 */
#ifndef QPU_VIRTUAL_POOL_H
#define QPU_VIRTUAL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/virtual/world.h"

/* A handle, or 0; flags are those of the mailbox. */
uint32_t
pool_allocate(const struct world *, uint32_t bytes, uint32_t alignment,
	      uint32_t flags);

/* Its bus address, or 0. */
uint32_t
pool_lock(const struct world *, uint32_t handle);

/* 0, or what the firmware answers when it cannot. */
uint32_t
pool_unlock(const struct world *, uint32_t handle);
uint32_t
pool_release(const struct world *, uint32_t handle);

#endif
