/* SPDX-License-Identifier: MIT */
/*
 * status_line: the progress of the work, such as
 *
 *	24 %, 0:05 left, 1 of 4 files, 5.2 MB of 20.9 MB, 3.1 MB/s
 *
 * as a line on stderr for each SIGUSR1, and with --progress as a line on the
 * terminal that a thread updates in place five times a second.  Units are
 * powers of 1000.
 *
 * The signal handler itself writes its line.  It needs no thread, and the line
 * appears at once even while all workers wait.
 *
 * Messages, and results that go to a terminal, are written between
 * status_line_hide and status_line_release, which shows the line again.
 */
#ifndef SRC_OUTPUT_STATUS_LINE_H
#define SRC_OUTPUT_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What is known of the work that lies ahead.  The module that knows the inputs
 * looks for it in small steps; the counts are set when all is known, and read
 * by other threads and by the signal handler, so they are of a size that every
 * machine loads and stores in one piece.
 */
struct forecast {
	/* Survey files until this time (clock.h), and at least a few of them.
	 * Return false when there is nothing more to find. */
	bool (*count)(struct forecast *, uint64_t until_ns);
	/* Files to hash, and their KiB; 0 while unknown. */
	size_t files;
	size_t kib;
};

static inline size_t
forecast_get(const size_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static inline void
forecast_set(size_t *count, size_t value)
{
	__atomic_store_n(count, value, __ATOMIC_RELAXED);
}

/*
 * Time runs from now on.  SIGUSR1 prints a line, unless it was ignored when the
 * program started.  on_terminal: show the line if stderr is a terminal that
 * knows escape sequences and a thread can be started; only then is the
 * forecast's count called, on that thread.  The forecast has to outlive the
 * program's work.  Needs report_init; call it before other threads start.
 */
void
status_line_begin(struct forecast *forecast, bool on_terminal);

/* Return true if there is a line and standard output goes to a terminal. */
bool
status_line_shares_stdout(void);

/* Erase the line before something else is written; nothing is shown until it is
 * released. */
void
status_line_hide(void);

void
status_line_release(void);

/* Erase the line for good, without waiting for the end of the thread. */
void
status_line_close(void);

/* Close it, and wait for the thread.  SIGUSR1 still prints a line. */
void
status_line_end(void);

#endif
