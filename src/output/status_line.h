/* SPDX-License-Identifier: MIT */
/*
 * status_line: the progress of the work (progress_words.h), as a line on stderr
 * for each SIGUSR1, and with --progress as a line on the terminal that a thread
 * updates in place five times a second.
 *
 * The signal handler itself writes its line.  It needs no thread, and the line
 * appears at once even while all workers wait.
 *
 * Messages are written between status_line_hide and status_line_release,
 * results by status_line_write.  On a terminal the line is erased and shown
 * again at once: with a few results in one write, so that it does not flicker.
 * Many of them keep it away for as long as the terminal needs to show them, but
 * for a moment after every 1.5 KB.  What is written to a pipe is most often
 * shown on the same terminal by the program that reads it, and so the line is
 * shown again only when that program has had time to do it.
 *
 * The line would be seen for a small part of the time if results came all the
 * time.  Therefore they are held (output.h) until it is updated.
 */
#ifndef SRC_OUTPUT_STATUS_LINE_H
#define SRC_OUTPUT_STATUS_LINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/output/forecast.h"

/*
 * Time runs from now on.  SIGUSR1 prints a line, unless it was ignored when the
 * program started.  on_terminal: show the line if stderr is a terminal and a
 * thread can be started; only then is the forecast's look called, on that
 * thread, and when the line is updated flush is called there to write what is
 * held.  The forecast has to outlive the program's work.  Needs report_init;
 * call it before other threads start.
 */
void
status_line_begin(struct forecast *forecast, bool on_terminal,
		  void (*flush)(void));

/* Results are to be held until flush is called. */
bool
status_line_holds(void);

/* Erase the line before a message on stderr; nothing is shown until it is
 * released. */
void
status_line_hide(void);

void
status_line_release(void);

/* Whole lines of results of at most as many bytes can be written to a terminal
 * together with the line. */
enum { STATUS_LINE_RESULTS = 1536 };

/* Write to stdout, like write(2), with the line out of the way. */
ssize_t
status_line_write(const char *bytes, size_t len);

/* Erase the line for good.  The thread may still run. */
void
status_line_close(void);

/* Close it, and end the thread.  SIGUSR1 still prints a line. */
void
status_line_end(void);

#endif
