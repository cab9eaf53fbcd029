/* SPDX-License-Identifier: MIT */
/*
 * status_line: a line on the terminal that is updated in place, and erased
 * before anything else is written there.
 *
 * It is shown only if stderr is a terminal.  Code that writes to stdout or
 * stderr calls status_line_hide before and status_line_release after.  While
 * one thread calls these or close, another may call status_line_show.
 */
#ifndef SRC_OUTPUT_STATUS_LINE_H
#define SRC_OUTPUT_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* False: stderr is not a terminal, and nothing will be shown. */
bool
status_line_open(void);

/* Replace the line.  If the text is too long, only the first of its parts are
 * shown, which are separated by commas. */
void
status_line_show(const char *text, size_t len);

/* Erase the line before a write to `fd` (STDOUT_FILENO or STDERR_FILENO);
 * nothing is shown until the same fd is released. */
void
status_line_hide(int fd);

void
status_line_release(int fd);

/* The bytes that a signal handler must write first to erase the line.  Returns
 * their number. */
enum { STATUS_LINE_ERASE_BYTES = 256 };
size_t
status_line_erasure(char bytes[STATUS_LINE_ERASE_BYTES]);

/* Erase the line and end. */
void
status_line_close(void);

#endif
