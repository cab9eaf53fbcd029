/* SPDX-License-Identifier: MIT */
/*
 * board-command: the arguments and the answer of a command of test-board.c.
 */
#ifndef TESTS_VIRTUAL_BOARD_COMMAND_H
#define TESTS_VIRTUAL_BOARD_COMMAND_H

#include <stdint.h>

#include "tests/virtual/made-board.h"

enum { MOST_WORDS = 48 };

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

#endif
