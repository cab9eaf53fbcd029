/* SPDX-License-Identifier: MIT */
/*
 * board-parts: the parts of a program that runs on a virtual board.  Its first
 * argument is the name of the part to run.
 *
 *	static const struct board_part parts[] = {
 *		{ "nodes", nodes },
 *		{ NULL, NULL },
 *	};
 *
 *	return board_part_run(argc, argv, parts);
 */
#ifndef TESTS_VIRTUAL_BOARD_PARTS_H
#define TESTS_VIRTUAL_BOARD_PARTS_H

#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

struct board_part {
	const char *name;
	void (*run)(void);
};

/* These arguments follow the name of the part; the last one is NULL. */
static char **part_words;

/* The part prints TAP.  The result is the exit status of main(). */
static int
board_part_run(int argc, char **argv, const struct board_part *part)
{
	close(STDIN_FILENO); /* 0 is a good descriptor */
	for (; argc > 1 && part->name; part++)
		if (strcmp(argv[1], part->name) == 0) {
			part_words = argv + 2;
			part->run();
			return tap_done();
		}
	return 2;
}

#endif
