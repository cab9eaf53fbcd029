/* SPDX-License-Identifier: MIT */
/*
 * dma_heap: memory of the kernel that the CPU sees through its caches.
 *
 * A buffer (a dma-buf) comes from the heap of the kernel's contiguous memory,
 * the same from which /dev/vcsm-cma takes.  Whoever else accesses it does not
 * see the caches: the CPU's part has to be written back before, and forgotten
 * after, another has written.  The kernel does so for those devices for which
 * the buffer is imported (include/uapi/linux/dma-heap.h and dma-buf.h of
 * Linux).
 */
#ifndef QPU_DRIVER_DMA_HEAP_H
#define QPU_DRIVER_DMA_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define DMA_HEAP_NODE "/dev/dma_heap/linux,cma"

struct dma_heap_allocate {
	uint64_t bytes;
	uint32_t fd;	   /* out; 0 before */
	uint32_t fd_flags; /* O_RDWR, O_CLOEXEC */
	uint64_t heap_flags;
};

#define DMA_HEAP_ALLOCATE _IOWR('H', 0, struct dma_heap_allocate)

/* The argument is a uint64_t of these. */
#define DMA_HEAP_SYNC _IOW('b', 0, uint64_t)

enum {
	DMA_HEAP_READS = 1, /* the CPU does */
	DMA_HEAP_WRITES = 2,
	DMA_HEAP_END = 4 /* of the CPU's access; else its beginning */
};

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
