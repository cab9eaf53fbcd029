/* SPDX-License-Identifier: MIT */
/*
 * vcsm: requests to /dev/vcsm-cma and /dev/dma_heap/linux,cma, which give buffers of
 * the kernel's contiguous memory (cma.h) to programs.
 *
 * The handle of a buffer is a descriptor of its file, which the program maps.  A
 * cached buffer, of the heap, has a second file: the program maps that one, as it
 * would see memory through caches, and the QPUs the first.  What one side writes is
 * on the other only after DMA_BUF_IOCTL_SYNC, and is lost if that comes too late: a
 * cache that never writes a line back by itself.  So a program that forgets a SYNC
 * computes with old data each time.
 *
 * Requests are answered with 0, or the errno of the kernel; called with the board's
 * lock held.
 */
#ifndef QPU_PI_VCSM_H
#define QPU_PI_VCSM_H

#include <stdint.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"
#include "qpu/pi/virtual_board.h"

/* VCSM_ALLOCATE. */
int
vcsm_allocate(const struct board *, struct vcsm_allocate *);

/* VCSM_IMPORT, of buffer `number`. */
int
vcsm_import(const struct board *, unsigned number, struct vcsm_import *);

/* DMA_HEAP_ALLOCATE. */
int
heap_allocate(const struct board *, struct dma_heap_allocate *);

/* DMA_BUF_IOCTL_SYNC, of buffer `number`; without an import it does nothing. */
int
heap_sync(const struct board *, unsigned number, uint64_t flags);

#endif
