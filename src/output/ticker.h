/* SPDX-License-Identifier: MIT */
/*
 * ticker: show the progress of the work: a line on stderr for each SIGUSR1,
 * and with --progress a line on the terminal that is updated all the time.
 *
 * The signal handler itself writes its line.  It needs no thread, and the line
 * appears at once even while all workers wait.
 */
#ifndef SRC_OUTPUT_TICKER_H
#define SRC_OUTPUT_TICKER_H

#include <stdbool.h>
#include <stddef.h>

/* Who knows the names of the files that are going to be hashed. */
struct forecast {
	/* The next one, valid until the next call; "-" is standard input, NULL
	 * means to ask again.  False: there are no more or, if it has set
	 * unknown, they cannot be told. */
	bool (*next)(struct forecast *, const char **name);
	bool unknown;
};

/*
 * Begin with `files` files to be hashed (0 = unknown).  From now on SIGUSR1
 * prints a line, unless it was ignored when the program started.
 * on_terminal: show a line there, with the totals of the forecast as soon as
 * all its names were looked up; a thread asks it, a little at a time.
 * Needs report_init.  Call it before other threads start.
 */
void
ticker_begin(size_t files, struct forecast *, bool on_terminal);

/* Call it when all other threads have ended; SIGUSR1 still prints a line. */
void
ticker_end(void);

#endif
