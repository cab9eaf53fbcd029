/* SPDX-License-Identifier: MIT */
/*
 * board-memory: the virtual board of test-board.c, in a directory of its own;
 * its commands, with the ones about the GPU's memory and the kernel's buffers.
 * Descriptors of buffers are called a, b, c, and so on, in the order in which
 * they were given.  The board's standard error is kept in a file.
 */
#ifndef TESTS_VIRTUAL_BOARD_MEMORY_H
#define TESTS_VIRTUAL_BOARD_MEMORY_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/pi/board_memory.h"
#include "qpu/pi/vcsm.h"
#include "qpu/pi/virtual_board.h"
#include "tests/support/tap.h"

enum { MOST_WORDS = 48 };

static struct board board = { .dir = "/dev/shm/test-virtual-XXXXXX" };
static int messages = -1;
static FILE *out; /* the answer */
static unsigned nargs;
static char *args[MOST_WORDS]; /* args[0] is the name of the command */

/* The argument, which may be missing. */
static uint32_t
number(unsigned i)
{
	return i < nargs ? (uint32_t)strtoul(args[i], NULL, 0) : 0;
}

static const char *
word(unsigned i)
{
	return i < nargs ? args[i] : "";
}

static void
put_error(int error)
{
	fputs(error ? strerror(error) : "good", out);
}

/* A name in the directory; valid until the next call. */
static const char *
made_path(const char *name)
{
	static char path[BOARD_PATH];

	snprintf(path, sizeof(path), "%s/%s", board.dir, name);
	return path;
}

/* Make the board, in memory where that is possible; false on failure. */
static bool
make_board(const struct board_options *options)
{
	const unsigned mib = options->device.mem_mib;
	struct diag why;
	int fd;

	if (!mkdtemp(board.dir) &&
	    !mkdtemp(strcpy(board.dir, "test-virtual-XXXXXX")))
		return false;
	board.shared = board_shared_create(board.dir, options, &why);
	board.profile = &profile_rows[options->profile];
	board.system = &system_rows[options->system];
	board.soc = profile_soc(board.profile);
	board.memory_bytes = mib << 20;
	board.memory_base = profile_memory_base(board.profile, mib);
	fd = board_open(&board, BOARD_MEMORY, O_RDWR | O_CREAT);
	messages = board_open(&board, "messages", O_RDWR | O_CREAT);
	if (!board.shared || fd < 0 || messages < 0 ||
	    ftruncate(fd, board.memory_bytes) != 0 || close(fd) != 0 ||
	    mkdir(made_path("root"), 0700) != 0 ||
	    mkdir(made_path("root/proc"), 0700) != 0)
		return false;
	dup2(messages, STDERR_FILENO);
	close(STDIN_FILENO); /* 0 is a good descriptor */
	return true;
}

/* Buffers of the kernel ---------------------------------------------------- */

enum { PAGE = 4096, MOST_FILES = 26 };

static int files[MOST_FILES];
static unsigned nfiles;

/* A full file system reports it when space is reserved. */
static int room = -1; /* calls of fallocate() that succeed; -1: all */

int
fallocate(int fd, int mode, off_t at, off_t bytes)
{
	struct stat status;

	(void)mode;
	if (room == 0 || fstat(fd, &status) != 0 ||
	    at + bytes > status.st_size) {
		errno = ENOSPC;
		return -1;
	}
	room -= room > 0;
	return 0;
}

/* The file with the letter of the first argument. */
static unsigned
letter(void)
{
	const unsigned file = (unsigned)(*word(1) - 'a');

	if (file >= nfiles)
		exit(99);
	return file;
}

static char
add_file(int fd)
{
	if (nfiles == MOST_FILES)
		exit(99);
	files[nfiles] = fd;
	return (char)('a' + nfiles++);
}

/* GPU memory ----------------------------------------------------------------- */

static void
put_block(uint32_t handle)
{
	const struct board_block *block = pool_find(&board, handle);

	if (block)
		fprintf(out, "%u: %u bytes at 0x%x", handle, block->bytes,
			block->offset);
	else
		fputs("none", out);
}

static void
take_memory(void)
{
	const uint32_t flags = nargs > 3 ? number(3) : 32;

	put_block(pool_allocate(&board, number(1), number(2), flags));
}

/* Take memory until there is no more, as the arguments say. */
static void
take_all(void)
{
	unsigned n = 0;

	while (pool_allocate(&board, number(1), number(2), 32))
		n++;
	fprintf(out, "%u times", n);
}

static void
change_memory(void)
{
	const uint32_t changes = board.shared->changes;
	const uint32_t handle = number(1);

	fprintf(out, "%x",
		*word(0) == 'l' ? pool_lock(&board, handle) :
		*word(0) == 'u' ? pool_unlock(&board, handle) :
				  pool_release(&board, handle));
	if (board.shared->changes != changes)
		fputs(", all hear of it", out);
}

static void
fill_memory(void)
{
	memset(board_gpu_memory(&board), (int)number(1), 256);
}

static void
poke_memory(void)
{
	uint8_t *at = board_gpu_memory(&board) + number(1);

	for (unsigned i = 2; i < nargs; i++)
		*at++ = (uint8_t)strtoul(args[i], NULL, 16);
}

/* Bytes of GPU memory: "55, 32 x ff, 55". */
static void
show_memory(void)
{
	const uint8_t *at = board_gpu_memory(&board) + number(1);
	const unsigned n = number(2);
	unsigned same;

	for (unsigned i = 0; i < n; i += same) {
		for (same = 1; i + same < n && at[i + same] == at[i];)
			same++;
		fprintf(out, "%s%u x %02x", i ? ", " : "", same, at[i]);
	}
}

/* Buffers -------------------------------------------------------------------- */

static void
take_vcsm(void)
{
	struct vcsm_allocate request = { .size = number(1),
					 .num = nargs > 2 ? number(2) : 1,
					 .cached = number(3) };
	const int error = buffer_allocate(&board, &request);
	struct stat status;

	put_error(error);
	if (!error && fstat(request.handle, &status) == 0)
		fprintf(out, ": %c, handle %u, %u bytes at 0x%llx",
			add_file(request.handle), request.vc_handle,
			(unsigned)status.st_size,
			(unsigned long long)request.dma_addr);
}

static void
take_heap(void)
{
	struct dma_heap_allocate request = { .bytes =
						     strtoull(word(1), NULL, 0),
					     .fd = number(2),
					     .fd_flags = O_RDWR | number(3),
					     .heap_flags = number(4) };
	const int error = buffer_allocate_cached(&board, &request);
	struct stat status;

	put_error(error);
	if (!error && fstat((int)request.fd, &status) == 0)
		fprintf(out, ": %c, %u bytes", add_file((int)request.fd),
			(unsigned)status.st_size);
}

static void
close_file(void)
{
	close(files[letter()]);
}

static void
collect(void)
{
	fputs(buffer_collect(&board) ? "some are left" : "none is left", out);
}

static void
show_meminfo(void)
{
	const int fd = open(made_path("root/proc/meminfo"),
			    O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char text[128] = "CmaFree:            8192 kB\n";

	if (pread(fd, text, sizeof(text) - 1, 0) == 0 &&
	    pwrite(fd, text, strlen(text), 0) < 0)
		exit(99);
	close(fd);
	text[strlen(text) - 1] = '\0';
	fputs(text, out);
}

static void
remove_file(void)
{
	if (unlink(made_path(word(1))) != 0)
		put_error(errno);
}

static void
set_room(void)
{
	room = *word(1) == '-' ? -1 : (int)number(1);
}

#endif
