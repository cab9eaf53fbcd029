/* SPDX-License-Identifier: MIT */
/*
 * dma_heap: buffers of the kernel that the CPU sees through its caches.
 */
#ifndef QPU_DRIVER_DMA_HEAP_H
#define QPU_DRIVER_DMA_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/abi/dma_heap.h"

/* A buffer's descriptor, or -1 and errno. */
int
dma_heap_allocate(int heap, size_t bytes);

/* What the CPU has written can be seen by others: caches are written back.
 * False and errno. */
bool
dma_heap_flush(int buffer);

/* What others have written can be seen by the CPU: caches are forgotten, along
 * with what the CPU has written since dma_heap_flush. */
bool
dma_heap_refresh(int buffer);

#endif
