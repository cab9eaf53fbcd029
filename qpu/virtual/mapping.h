/* SPDX-License-Identifier: MIT */
/*
 * mapping: /dev/mem of the virtual board: GPU memory, and the window of the
 * peripherals, in which the registers of the V3D answer.
 */
#ifndef QPU_VIRTUAL_MAPPING_H
#define QPU_VIRTUAL_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "qpu/virtual/world.h"

/* mmap() as the kernel does it, past all that is interposed. */
void *
mapping_of_kernel(void *address, size_t bytes, int protection, int flags,
		  int fd, uint64_t offset);

/* mmap() of the board's memory at a physical address. */
void *
mapping_create(const struct world *, void *address, size_t bytes,
	       int protection, int flags, uint64_t physical);

/* munmap(), of anything. */
int
mapping_remove(void *address, size_t bytes);

#endif
