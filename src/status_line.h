/* SPDX-License-Identifier: MIT */
/*
 * status_line: a line on the terminal that is written over again and again,
 * and is gone before anything else is written there.
 *
 * It belongs to stderr, and is shown only if that is a terminal.  Whoever
 * writes to stdout or stderr does so between status_line_hide and
 * status_line_release.  All but open and close are for any thread.
 */
#ifndef SRC_STATUS_LINE_H
#define SRC_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* False: there is no terminal, and nothing will be shown. */
bool
status_line_open(void);

/* Write this over what was shown before.  Where it is too long, only the first
 * of its parts, which commas separate. */
void
status_line_show(const char *text, size_t len);

/* Something is to be written to STDOUT_FILENO or STDERR_FILENO: nothing is
 * shown until the same one is released. */
void
status_line_hide(int fd);

void
status_line_release(int fd);

/* What a signal handler has to write first, to go over what is shown; `bytes`
 * has room for it.  Returns its length. */
enum { STATUS_LINE_ERASE_BYTES = 256 };
size_t
status_line_erasure(char bytes[STATUS_LINE_ERASE_BYTES]);

/* Nothing is shown any more. */
void
status_line_close(void);

#endif
