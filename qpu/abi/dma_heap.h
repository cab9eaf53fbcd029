/* SPDX-License-Identifier: MIT */
/*
 * dma_heap: memory of the kernel that the CPU sees through its caches.
 *
 * A buffer (a dma-buf) comes from the heap of the kernel's contiguous memory,
 * which /dev/vcsm-cma shares.  The CPU's caches are invisible to other
 * devices: they have to be written back before a device reads the buffer, and
 * invalidated after it has written.  The kernel does so for those devices for
 * which the buffer is imported (include/uapi/linux/dma-heap.h and dma-buf.h of
 * Linux).
 */
#ifndef QPU_ABI_DMA_HEAP_H
#define QPU_ABI_DMA_HEAP_H

#include <stdint.h>
#include <sys/ioctl.h>

/* The heap of the contiguous memory; other names exist. */
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
	DMA_HEAP_READS = 1, /* what the CPU does */
	DMA_HEAP_WRITES = 2,
	DMA_HEAP_END = 4 /* of the CPU's access; else its beginning */
};

#endif
