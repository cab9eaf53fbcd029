/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/virtual_board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A process has one: an interposed call has no context but its arguments. */
static struct board the_board;
static atomic_uint progress; /* 0 before, 1 during, 2 none, 3 found */
static _Atomic(uint8_t *) mapped_memory;

/* Set what the options say, which are shared. */
static void
set_options(struct board *board)
{
	const struct board_options *options = &board->shared->options;

	board->profile = &profile_rows[options->profile];
	board->system = &system_rows[options->system];
	board->soc = profile_soc(board->profile);
	board->memory_bytes = (uint32_t)options->device.mem_mib << 20;
	board->memory_base =
		profile_memory_base(board->profile, options->device.mem_mib);
}

static bool
find_board(struct board *board)
{
	const char *dir = getenv(BOARD_VARIABLE);

	if (!dir || strlen(dir) >= sizeof(board->dir))
		return false;
	strcpy(board->dir, dir);
	board->shared = board_shared_map(dir);
	if (!board->shared)
		return false;
	board->shared->attached = true;
	set_options(board);
	return true;
}

/* A call that is made while the board is being found is not about it. */
const struct board *
board_get(void)
{
	unsigned expected = 0;

	if (atomic_load_explicit(&progress, memory_order_acquire) == 3)
		return &the_board;
	if (atomic_compare_exchange_strong(&progress, &expected, 1)) {
		const int error = errno;

		expected = find_board(&the_board) ? 3 : 2;
		atomic_store_explicit(&progress, expected,
				      memory_order_release);
		errno = error;
	}
	return expected == 3 ? &the_board : NULL;
}

/* The board is found before there are threads. */
__attribute__((constructor)) static void
find_early(void)
{
	board_get();
}

struct board *
board_new(const struct emulated_options *device, struct diag *why)
{
	enum {
		BASE = 0x00100000, /* the first pages are never given */
		GAPS = BOARD_BLOCKS * 2 * 4096
	};
	struct board *board = calloc(1, sizeof(*board));
	void *memory = MAP_FAILED;

	if (board && (board->shared = calloc(1, sizeof(*board->shared)))) {
		board_shared_init(board->shared,
				  &(struct board_options){ .device = *device });
		set_options(board);
		board->memory_base = BASE;
		board->memory_bytes += GAPS;
		memory = mmap(NULL, board->memory_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);
	}
	if (memory != MAP_FAILED) {
		board->memory = memory;
		return board;
	}
	diag_set(why, "out of memory");
	board_free(board);
	return NULL;
}

void
board_free(struct board *board)
{
	if (!board)
		return;
	if (board->memory)
		munmap(board->memory, board->memory_bytes);
	free(board->shared);
	free(board);
}

int
board_open(const struct board *board, const char *name, int flags)
{
	char path[BOARD_PATH];

	snprintf(path, sizeof(path), "%s/%s", board->dir, name);
	return open(path, flags | O_CLOEXEC, 0600);
}

int
board_open_numbered(const struct board *board, const char *kind,
		    unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u", kind, number);
	return board_open(board, name, O_RDWR);
}

bool
board_file_is_gone(const struct board *board, const char *kind, unsigned number)
{
	const int fd = board_open_numbered(board, kind, number);
	bool gone;

	if (fd < 0)
		return errno == ENOENT;
	gone = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	/* The interposed close() would come back here. */
	syscall(SYS_close, fd);
	return gone;
}

uint8_t *
board_gpu_memory(const struct board *board)
{
	uint8_t *memory = board->memory ? board->memory :
					  atomic_load(&mapped_memory);

	if (memory)
		return memory;

	const int fd = board_open(board, BOARD_MEMORY, O_RDWR);
	if (fd < 0)
		return NULL;
	memory = mmap(NULL, board->memory_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return NULL;
	atomic_store(&mapped_memory, memory);
	return memory;
}

void
board_say(const char *format, ...)
{
	const int error = errno;
	char line[1024] = "qpuemu: ";
	const size_t prefix = strlen(line);
	va_list args;
	size_t end;
	int len;

	va_start(args, format);
	len = vsnprintf(line + prefix, sizeof(line) - prefix - 1, format, args);
	va_end(args);
	end = prefix + (size_t)len;
	if (end > sizeof(line) - 2)
		end = sizeof(line) - 2;
	line[end] = '\n';
	/* Standard error is the program's; a line that cannot be written is
	 * lost. */
	(void)!write(STDERR_FILENO, line, end + 1);
	errno = error;
}
