/* SPDX-License-Identifier: MIT */
/*
 * mapping: /dev/mem of the virtual board: GPU memory, and the peripherals with
 * the registers of the V3D.
 */
#ifndef QPU_VIRTUAL_PRELOAD_MAPPING_H
#define QPU_VIRTUAL_PRELOAD_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* mmap() by a system call, past interposed functions. */
void *
mapping_of_kernel(void *address, size_t bytes, int protection, int flags,
		  int fd, uint64_t offset);

/* mmap() of the board's memory at a physical address. */
void *
mapping_create(const struct board *, void *address, size_t bytes,
	       int protection, int flags, uint64_t physical);

/* munmap(), of anything. */
int
mapping_remove(void *address, size_t bytes);

#endif
