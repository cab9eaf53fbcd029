/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/dma_heap.h"

#include <errno.h>
#include <fcntl.h>

int
dma_heap_allocate(int heap, size_t bytes)
{
	struct dma_heap_allocate allocate = { .bytes = bytes,
					      .fd_flags = O_RDWR | O_CLOEXEC };

	return ioctl(heap, DMA_HEAP_ALLOCATE, &allocate) == 0 ?
		       (int)allocate.fd :
		       -1;
}

/* A signal may interrupt it. */
static bool
sync_buffer(int buffer, uint64_t flags)
{
	int result;

	do
		result = ioctl(buffer, DMA_HEAP_SYNC, &flags);
	while (result < 0 && (errno == EINTR || errno == EAGAIN));
	return result == 0;
}

bool
dma_heap_flush(int buffer)
{
	return sync_buffer(buffer, DMA_HEAP_WRITES | DMA_HEAP_END);
}

bool
dma_heap_refresh(int buffer)
{
	return sync_buffer(buffer, DMA_HEAP_READS);
}
