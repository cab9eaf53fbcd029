/* SPDX-License-Identifier: MIT */
/*
 * heap: cached memory that the kernel gives to programs, /dev/dma_heap/linux,cma.
 *
 * A cached buffer (buffer.h) has a second file: the program maps that one, as it
 * would see memory through caches, and the QPUs the first.  What one side writes
 * is on the other only after DMA_BUF_IOCTL_SYNC, and is lost if that comes too
 * late: a cache that never writes a line back by itself.  So a program that
 * forgets a SYNC computes with old data each time.
 *
 * Called with the board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_HEAP_H
#define QPU_VIRTUAL_BOARD_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"
#include "qpu/virtual/board/board.h"

/* Answer DMA_HEAP_ALLOCATE: 0, or the errno of the kernel. */
int
heap_allocate(const struct board *, struct dma_heap_allocate *);

/* Answer VCSM_IMPORT for buffer `number`: 0, or the errno of the kernel. */
int
heap_import(const struct board *, unsigned number, struct vcsm_import *);

/* DMA_BUF_IOCTL_SYNC of buffer `number`; without an import it does nothing. */
int
heap_sync(const struct board *, unsigned number, uint64_t flags);

#endif
