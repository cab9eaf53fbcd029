/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vcsm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MIB = 1 << 20 };

#define DMA_ALIAS_OF_FIRST UINT32_C(0x80000000) /* BCM2835 */

int
vcsm_open_file(const struct board *board, const char *kind, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u", kind, number);
	return board_open(board, name, O_RDWR);
}

bool
vcsm_file_is_gone(const struct board *board, const char *kind, unsigned number)
{
	const int fd = vcsm_open_file(board, kind, number);
	bool gone;

	if (fd < 0)
		return errno == ENOENT;
	gone = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	/* The interposed close() would come back here. */
	syscall(SYS_close, fd);
	return gone;
}

bool
vcsm_is_gone(const struct board *board, unsigned number)
{
	return vcsm_file_is_gone(board, BOARD_BUFFER, number) &&
	       (board->shared->buffers[number].cache.ino == 0 ||
		vcsm_file_is_gone(board, BOARD_CACHE, number));
}

/* Write the free memory to the last line of /proc/meminfo. */
static void
show_free(const struct board *board)
{
	const struct board_shared *shared = board->shared;
	uint32_t free_kib = shared->options.cma_mib << 10;
	const int fd = board_open(board, BOARD_ROOT "/proc/meminfo", O_WRONLY);
	char line[32];
	int len;

	for (unsigned i = 0; i < BOARD_BUFFERS; i++)
		free_kib -= shared->buffers[i].range.bytes >> 10;
	len = snprintf(line, sizeof(line), BOARD_CMA_FREE, (unsigned)free_kib);
	if (fd >= 0 && lseek(fd, -len, SEEK_END) >= 0 &&
	    write(fd, line, (size_t)len) < 0)
		board_say("/proc/meminfo: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

bool
vcsm_collect(const struct board *board)
{
	struct board_shared *shared = board->shared;
	unsigned left = 0, gone = 0;

	for (unsigned i = 0; i < BOARD_BUFFERS; i++) {
		struct board_buffer *buffer = &shared->buffers[i];

		if (buffer->range.bytes && vcsm_is_gone(board, i)) {
			/* Programs that hang go on writing to it. */
			if (buffer->doomed && shared->hung) {
				board_say("memory at 0x%08x was freed, but "
					  "programs that do not end may write "
					  "to it",
					  (unsigned)buffer->range.at);
				shared->lost = true;
			}
			buffer->range.bytes = 0;
			gone++;
		}
		left += buffer->range.bytes != 0;
	}
	if (gone)
		show_free(board);
	return left > 0;
}

/* The file is a new one each time: a process may still use the one before. */
int
vcsm_create_file(const struct board *board, const char *kind, unsigned number,
		 struct board_stand_in *file)
{
	const off_t bytes = board->shared->buffers[number].range.bytes;
	char name[32], path[BOARD_PATH];
	struct stat status;
	int fd;

	snprintf(name, sizeof(name), "%s%u", kind, number);
	snprintf(path, sizeof(path), "%s/%s", board->dir, name);
	unlink(path);
	fd = board_open(board, name, O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, bytes) == 0 &&
	    board_shared_reserve(fd, 0, (uint64_t)bytes) &&
	    fstat(fd, &status) == 0) {
		file->dev = status.st_dev;
		file->ino = status.st_ino;
		return fd;
	}
	board_say("a buffer: %s: %s", path, strerror(errno));
	close(fd);
	unlink(path);
	errno = ENOMEM;
	return -1;
}

int
vcsm_reserve(const struct board *board, uint64_t wanted, unsigned *number)
{
	struct board_shared *shared = board->shared;
	const uint32_t cma_bytes = shared->options.cma_mib * MIB;
	const struct board_range cma = { board->memory_base - cma_bytes,
					 cma_bytes };
	struct board_range range;
	unsigned slot = 0;

	if (pi_fault_strikes(&shared->options.device.fault, PI_NO_MEMORY,
			     ++shared->nallocations))
		return ENOMEM;
	vcsm_collect(board);
	while (slot < BOARD_BUFFERS && shared->buffers[slot].range.bytes)
		slot++;
	if (slot == BOARD_BUFFERS || wanted > cma_bytes)
		return ENOMEM;
	range.bytes = (uint32_t)(wanted + PAGE - 1) / PAGE * PAGE;
	if (!board_shared_find_gap(cma, PAGE, PAGE, shared->buffers,
				   BOARD_BUFFERS, sizeof(*shared->buffers),
				   &range))
		return ENOMEM;
	shared->buffers[slot] = (struct board_buffer){ .range = range };
	*number = slot;
	show_free(board);
	return 0;
}

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
	error = vcsm_reserve(board, wanted, &slot);
	if (error)
		return error;
	request->handle = vcsm_create_file(board, BOARD_BUFFER, slot,
					   &shared->buffers[slot].file);
	if (request->handle < 0) {
		shared->buffers[slot].range.bytes = 0;
		return ENOMEM;
	}
	request->vc_handle = shared->next_handle++;
	request->dma_addr = dma_address(board, slot);
	return 0;
}

unsigned
vcsm_of_file(const struct board *board, const struct board_stand_in *file)
{
	const struct board_buffer *buffer = board->shared->buffers;
	unsigned i = 0;

	while (i < BOARD_BUFFERS &&
	       !(buffer[i].range.bytes &&
		 (board_stand_in_is(&buffer[i].file, file) ||
		  board_stand_in_is(&buffer[i].cache, file))))
		i++;
	return i;
}

void *
vcsm_map(const struct board *board, const char *kind, unsigned number)
{
	void *mapping = MAP_FAILED;
	const int fd = vcsm_open_file(board, kind, number);

	if (fd < 0)
		return NULL;
	mapping = mmap(NULL, board->shared->buffers[number].range.bytes,
		       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mapping == MAP_FAILED ? NULL : mapping;
}

/* Cached memory --------------------------------------------------------------- */

int
vcsm_allocate_cached(const struct board *board,
		     struct dma_heap_allocate *request)
{
	struct board_buffer *buffer;
	unsigned number;
	int error, fd;

	if (request->fd != 0 || request->heap_flags != 0 ||
	    request->fd_flags & ~(uint32_t)(O_CLOEXEC | O_ACCMODE) ||
	    request->bytes == 0)
		return EINVAL;
	error = vcsm_reserve(board, request->bytes, &number);
	if (error)
		return error;
	buffer = &board->shared->buffers[number];
	fd = vcsm_create_file(board, BOARD_BUFFER, number, &buffer->file);
	if (fd >= 0) {
		close(fd);
		fd = vcsm_create_file(board, BOARD_CACHE, number,
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
	void *cpu = vcsm_map(board, BOARD_CACHE, number);
	void *memory = vcsm_map(board, BOARD_BUFFER, number);
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
	request->handle = vcsm_open_file(board, BOARD_BUFFER, number);
	if (request->handle < 0)
		return EFAULT;
	request->size = board->shared->buffers[number].range.bytes;
	request->vc_handle = board->shared->next_handle++;
	request->dma_addr = dma_address(board, number);
	return 0;
}

int
vcsm_sync(const struct board *board, unsigned number, uint64_t flags)
{
	const bool ends = flags & DMA_HEAP_END;

	if (vcsm_file_is_gone(board, BOARD_BUFFER, number))
		return 0;
	if (ends && flags & DMA_HEAP_WRITES)
		return copy(board, number, true);
	if (!ends && flags & DMA_HEAP_READS)
		return copy(board, number, false);
	return 0;
}
