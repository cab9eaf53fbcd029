/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/buffer.h"

/* Make a file: its descriptor or -1, and the numbers by which it is known. */
static int
make_file(const struct board *board, const char *name, unsigned number,
	  uint64_t *dev, uint64_t *ino)
{
	const int fd = buffer_create_file(board, name, number);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		*dev = status.st_dev;
		*ino = status.st_ino;
	}
	return fd;
}

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
	fd = make_file(board, BOARD_BUFFER, number, &buffer->dev, &buffer->ino);
	if (fd >= 0) {
		close(fd);
		fd = make_file(board, BOARD_CACHE, number, &buffer->cache.dev,
			       &buffer->cache.ino);
	}
	if (fd < 0) {
		buffer->bytes = 0;
		return errno == ENOMEM ? ENOMEM : EMFILE;
	}
	request->fd = (uint32_t)fd;
	return 0;
}

/* Copy the first file of a buffer to the second. */
static int
copy(const struct board *board, unsigned number, const char *first,
     const char *second)
{
	const size_t bytes = board->shared->buffers[number].bytes;
	uint8_t *from = buffer_map(board, first, number);
	uint8_t *to = buffer_map(board, second, number);

	if (from && to)
		memcpy(to, from, bytes);
	if (from)
		munmap(from, bytes);
	if (to)
		munmap(to, bytes);
	return from && to ? 0 : ENOMEM;
}

/* The kernel writes the caches back when it maps a buffer for a device. */
int
heap_import(const struct board *board, unsigned number,
	    struct vcsm_import *request)
{
	int error = copy(board, number, BOARD_CACHE, BOARD_BUFFER);

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
		return copy(board, number, BOARD_CACHE, BOARD_BUFFER);
	if (!ends && flags & DMA_HEAP_READS)
		return copy(board, number, BOARD_BUFFER, BOARD_CACHE);
	return 0;
}
