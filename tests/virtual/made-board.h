/* SPDX-License-Identifier: MIT */
/*
 * made-board: a virtual board in a directory of its own, for tests of its
 * modules.  What it says on standard error is kept in a file there.
 */
#ifndef TESTS_VIRTUAL_MADE_BOARD_H
#define TESTS_VIRTUAL_MADE_BOARD_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/board.h"
#include "tests/support/tap.h"

enum { MADE_MIB = 1 << 20 };

static struct board board = { .dir = "/dev/shm/test-virtual-XXXXXX" };
static int made_messages = -1;

/* Make the directory, in memory where that is possible. */
__attribute__((unused)) static bool
made_directory(void)
{
	return mkdtemp(board.dir) ||
	       mkdtemp(strcpy(board.dir, "test-virtual-XXXXXX"));
}

/* A name in the directory; valid until the next call. */
__attribute__((unused)) static const char *
made_path(const char *name)
{
	static char path[BOARD_PATH];

	snprintf(path, sizeof(path), "%s/%s", board.dir, name);
	return path;
}

/* Make the board of a name; false with a failed case. */
__attribute__((unused)) static bool
made_begin(const char *name, const struct board_options *options)
{
	struct board_options all = *options;
	struct diag why;
	int fd;

	board.profile = profile_of_name(name);
	all.profile = (unsigned)(board.profile - profile_rows);
	if (!made_directory())
		return ok(false, "a directory for a board");
	board.shared = board_shared_create(board.dir, &all, &why);
	board.system = &system_rows[all.system];
	board.soc = profile_soc(board.profile);
	board.memory_bytes = all.device.mem_mib * MADE_MIB;
	board.memory_base =
		profile_memory_base(board.profile, all.device.mem_mib);
	fd = board_open(&board, BOARD_MEMORY, O_RDWR | O_CREAT);
	made_messages = board_open(&board, "messages", O_RDWR | O_CREAT);
	if (!board.shared || fd < 0 || made_messages < 0 ||
	    ftruncate(fd, board.memory_bytes) != 0 || close(fd) != 0 ||
	    mkdir(made_path("root"), 0700) != 0 ||
	    mkdir(made_path("root/proc"), 0700) != 0)
		return ok(false, "a board is made");
	dup2(made_messages, STDERR_FILENO);
	close(STDIN_FILENO); /* 0 is a good descriptor */
	return true;
}

/* The lines that the board has said since the last call. */
__attribute__((unused)) static const char *
made_says(void)
{
	static char text[8192];
	const ssize_t n = pread(made_messages, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (ftruncate(made_messages, 0) != 0 ||
	    lseek(made_messages, 0, SEEK_SET) != 0)
		exit(99);
	return text;
}

__attribute__((unused)) static bool
made_remove(void)
{
	char command[64 + sizeof(board.dir)];

	board_shared_unmap(board.shared);
	snprintf(command, sizeof(command), "rm -rf %s", board.dir);
	return system(command) == 0;
}

__attribute__((unused)) static int
made_end(void)
{
	return made_remove() ? tap_done() : 99;
}

#endif
