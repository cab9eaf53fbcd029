/* SPDX-License-Identifier: MIT */
/*
 * classic: /dev/vcsm, the module of older kernels that shares the firmware's
 * memory with programs.  A buffer is a block of the pool; programs know it by a
 * handle, which is also its offset in the node for mmap().  Numbers and layouts
 * are those of linux/broadcom/vmcs_sm_ioctl.h, addresses have 32 bits.
 *
 * Called with the board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_CLASSIC_H
#define QPU_VIRTUAL_BOARD_CLASSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/virtual/board/board.h"

/* The type of all requests, and the most words of an argument. */
enum { CLASSIC_TYPE = 'I', CLASSIC_WORDS = 32 };

/* Answer a request by its number; 0 or an errno. */
int
classic_answer(const struct board *, unsigned number,
	       uint32_t words[CLASSIC_WORDS]);

/* Where a buffer is in GPU memory; false if there is none of this handle. */
bool
classic_place(const struct board *, uint64_t handle, uint32_t *offset,
	      uint32_t *bytes);

/* A mapping of this process; one that is removed may be of anything. */
void
classic_mapped(uint32_t handle, void *address);
void
classic_unmapped(const void *address);

#endif
