/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/cma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MIB = 1 << 20 };

bool
cma_is_gone(const struct board *board, unsigned number)
{
	return board_file_is_gone(board, CMA_FILE, number) &&
	       (board->shared->buffers[number].cache.ino == 0 ||
		board_file_is_gone(board, CMA_CACHE_FILE, number));
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

	for (unsigned i = 0; i < CMA_BUFFERS; i++)
		free_kib -= shared->buffers[i].range.bytes >> 10;
	len = snprintf(line, sizeof(line), BOARD_CMA_FREE, (unsigned)free_kib);
	if (fd >= 0 && lseek(fd, -len, SEEK_END) >= 0 &&
	    write(fd, line, (size_t)len) < 0)
		board_say("/proc/meminfo: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

bool
cma_collect(const struct board *board)
{
	struct board_shared *shared = board->shared;
	unsigned left = 0, gone = 0;

	for (unsigned i = 0; i < CMA_BUFFERS; i++) {
		struct cma_buffer *buffer = &shared->buffers[i];

		if (buffer->range.bytes && cma_is_gone(board, i)) {
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
cma_create_file(const struct board *board, const char *kind, unsigned number,
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
cma_reserve(const struct board *board, uint64_t wanted, unsigned *number)
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
	cma_collect(board);
	while (slot < CMA_BUFFERS && shared->buffers[slot].range.bytes)
		slot++;
	if (slot == CMA_BUFFERS || wanted > cma_bytes)
		return ENOMEM;
	range.bytes = (uint32_t)(wanted + PAGE - 1) / PAGE * PAGE;
	if (!board_shared_find_gap(cma, PAGE, PAGE, shared->buffers,
				   CMA_BUFFERS, sizeof(*shared->buffers),
				   &range))
		return ENOMEM;
	shared->buffers[slot] = (struct cma_buffer){ .range = range };
	*number = slot;
	show_free(board);
	return 0;
}

unsigned
cma_of_file(const struct board *board, const struct board_stand_in *file)
{
	const struct cma_buffer *buffer = board->shared->buffers;
	unsigned i = 0;

	while (i < CMA_BUFFERS &&
	       !(buffer[i].range.bytes &&
		 (board_stand_in_is(&buffer[i].file, file) ||
		  board_stand_in_is(&buffer[i].cache, file))))
		i++;
	return i;
}

void *
cma_map(const struct board *board, const char *kind, unsigned number)
{
	void *mapping = MAP_FAILED;
	const int fd = board_open_numbered(board, kind, number);

	if (fd < 0)
		return NULL;
	mapping = mmap(NULL, board->shared->buffers[number].range.bytes,
		       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mapping == MAP_FAILED ? NULL : mapping;
}
