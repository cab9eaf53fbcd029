/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/virtual/board/buffer.h"

int
heap_allocate(const struct board *board, struct dma_heap_allocate *request)
{
	struct board_buffer *buffer;
	unsigned number;
	int error, fd;

	if (request->fd != 0 || request->heap_flags != 0 ||
	    request->fd_flags & ~(uint32_t)(O_CLOEXEC | O_ACCMODE) ||
	    request->bytes == 0)
		return EINVAL;
	error = buffer_reserve(board, request->bytes, &number);
	if (error)
		return error;
	buffer = &board->shared->buffers[number];
	fd = buffer_create_file(board, BOARD_BUFFER, number, &buffer->file);
	if (fd >= 0) {
		close(fd);
		fd = buffer_create_file(board, BOARD_CACHE, number,
					&buffer->cache);
	}
	if (fd < 0) {
		buffer->bytes = 0;
		return errno == ENOMEM ? ENOMEM : EMFILE;
	}
	request->fd = (uint32_t)fd;
	return 0;
}

/* Map a cached buffer as the CPU sees it, and its memory. */
struct views {
	uint8_t *cpu, *memory;
	size_t bytes;
};

static void
close_views(const struct views *views)
{
	if (views->cpu)
		munmap(views->cpu, views->bytes);
	if (views->memory)
		munmap(views->memory, views->bytes);
}

static bool
open_views(const struct board *board, unsigned number, struct views *views)
{
	views->bytes = board->shared->buffers[number].bytes;
	views->cpu = buffer_map(board, BOARD_CACHE, number);
	views->memory = buffer_map(board, BOARD_BUFFER, number);
	if (views->cpu && views->memory)
		return true;
	close_views(views);
	return false;
}

/* Write all lines of the caches to memory, or forget them. */
static int
copy(const struct board *board, unsigned number, bool to_memory)
{
	struct views views;

	if (!open_views(board, number, &views))
		return ENOMEM;
	if (to_memory)
		memcpy(views.memory, views.cpu, views.bytes);
	else
		memcpy(views.cpu, views.memory, views.bytes);
	close_views(&views);
	return 0;
}

/* The kernel writes the caches back when it maps a buffer for a device. */
int
heap_import(const struct board *board, unsigned number,
	    struct vcsm_import *request)
{
	int error = copy(board, number, true);

	if (error)
		return error;
	request->handle = buffer_open_file(board, BOARD_BUFFER, number);
	if (request->handle < 0)
		return EFAULT;
	request->size = board->shared->buffers[number].bytes;
	request->vc_handle = board->shared->next_handle++;
	request->dma_addr = buffer_dma_address(board, number);
	return 0;
}

int
heap_sync(const struct board *board, unsigned number, uint64_t flags)
{
	const bool ends = flags & DMA_HEAP_END;

	if (buffer_file_is_gone(board, BOARD_BUFFER, number))
		return 0;
	if (ends && flags & DMA_HEAP_WRITES)
		return copy(board, number, true);
	if (!ends && flags & DMA_HEAP_READS)
		return copy(board, number, false);
	return 0;
}
