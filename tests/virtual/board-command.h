/* SPDX-License-Identifier: MIT */
/*
 * board-command: the virtual board of test-board.c, in a directory of its own,
 * and the arguments and the answer of a command.  What the board says on standard
 * error is kept in a file there.
 */
#ifndef TESTS_VIRTUAL_BOARD_COMMAND_H
#define TESTS_VIRTUAL_BOARD_COMMAND_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/virtual_board.h"
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

#endif
