/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vcsm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/pi/cma.h"

#define DMA_ALIAS_OF_FIRST UINT32_C(0x80000000) /* BCM2835 */

/* Return a buffer's DMA address.  The kernel's dma-ranges do not always have
 * the alias that programs need: programs use the alias of their chip. */
static uint32_t
dma_address(const struct board *board, unsigned number)
{
	return board->shared->buffers[number].range.at |
	       (strcmp(board->soc->name, "BCM2835") == 0 ?
			DMA_ALIAS_OF_FIRST :
			board->soc->bus_alias);
}

int
vcsm_allocate(const struct board *board, struct vcsm_allocate *request)
{
	struct board_shared *shared = board->shared;
	const uint64_t wanted = (uint64_t)request->size * request->num;
	unsigned slot;
	int error;

	if (!wanted || request->cached > VCSM_CACHED_BOTH)
		return EINVAL;
	error = cma_reserve(board, wanted, &slot);
	if (error)
		return error;
	request->handle = cma_create_file(board, CMA_FILE, slot,
					  &shared->buffers[slot].file);
	if (request->handle < 0) {
		shared->buffers[slot].range.bytes = 0;
		return ENOMEM;
	}
	request->vc_handle = shared->next_handle++;
	request->dma_addr = dma_address(board, slot);
	return 0;
}

/* Cached memory --------------------------------------------------------------- */

int
heap_allocate(const struct board *board, struct dma_heap_allocate *request)
{
	struct cma_buffer *buffer;
	unsigned number;
	int error, fd;

	if (request->fd != 0 || request->heap_flags != 0 ||
	    request->fd_flags & ~(uint32_t)(O_CLOEXEC | O_ACCMODE) ||
	    request->bytes == 0)
		return EINVAL;
	error = cma_reserve(board, request->bytes, &number);
	if (error)
		return error;
	buffer = &board->shared->buffers[number];
	fd = cma_create_file(board, CMA_FILE, number, &buffer->file);
	if (fd >= 0) {
		close(fd);
		fd = cma_create_file(board, CMA_CACHE_FILE, number,
				     &buffer->cache);
	}
	if (fd < 0) {
		buffer->range.bytes = 0;
		return errno == ENOMEM ? ENOMEM : EMFILE;
	}
	request->fd = (uint32_t)fd;
	return 0;
}

/* Write all lines of the caches to memory, or forget them. */
static int
copy(const struct board *board, unsigned number, bool to_memory)
{
	const size_t bytes = board->shared->buffers[number].range.bytes;
	void *cpu = cma_map(board, CMA_CACHE_FILE, number);
	void *memory = cma_map(board, CMA_FILE, number);
	const int error = cpu && memory ? 0 : ENOMEM;

	if (!error)
		memcpy(to_memory ? memory : cpu, to_memory ? cpu : memory,
		       bytes);
	if (cpu)
		munmap(cpu, bytes);
	if (memory)
		munmap(memory, bytes);
	return error;
}

/* The kernel writes the caches back when it maps a buffer for a device. */
int
vcsm_import(const struct board *board, unsigned number,
	    struct vcsm_import *request)
{
	int error = copy(board, number, true);

	if (error)
		return error;
	request->handle = board_open_numbered(board, CMA_FILE, number);
	if (request->handle < 0)
		return EFAULT;
	request->size = board->shared->buffers[number].range.bytes;
	request->vc_handle = board->shared->next_handle++;
	request->dma_addr = dma_address(board, number);
	return 0;
}

int
heap_sync(const struct board *board, unsigned number, uint64_t flags)
{
	const bool ends = flags & DMA_HEAP_END;

	if (board_file_is_gone(board, CMA_FILE, number))
		return 0;
	if (ends && flags & DMA_HEAP_WRITES)
		return copy(board, number, true);
	if (!ends && flags & DMA_HEAP_READS)
		return copy(board, number, false);
	return 0;
}
