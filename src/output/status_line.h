/* SPDX-License-Identifier: MIT */
/*
 * status_line: the progress of the work, such as
 *
 *	1 of 4 files, 5.2 MB of 20.9 MB, 1043.1 MB/s, 0:05 left
 *
 * as a line on stderr for each SIGUSR1, and with --progress as a line on the
 * terminal that a thread updates in place five times a second.  The total
 * number of files and their bytes are known if all are operands.
 *
 * The signal handler itself writes its line.  It needs no thread, and the line
 * appears at once even while all workers wait.
 *
 * Code that writes to stdout or stderr calls status_line_hide before and
 * status_line_release after it.  Only one thread calls these functions.
 */
#ifndef SRC_OUTPUT_STATUS_LINE_H
#define SRC_OUTPUT_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Time runs from now on.  names: all n files that are going to be hashed ("-"
 * is standard input), or NULL: they are not known.  SIGUSR1 prints a line,
 * unless it was ignored when the program started.  on_terminal: show the line
 * if stderr is a terminal and a thread can be started.  Needs report_init; call
 * it before other threads start.
 */
void
status_line_begin(char *const *names, size_t n, bool on_terminal);

/* Erase the line before a write to `fd` (STDOUT_FILENO or STDERR_FILENO);
 * nothing is shown until the same fd is released. */
void
status_line_hide(int fd);

void
status_line_release(int fd);

/* Erase the line for good.  The thread may still run. */
void
status_line_close(void);

/* Close it, and end the thread.  SIGUSR1 still prints a line. */
void
status_line_end(void);

#endif
