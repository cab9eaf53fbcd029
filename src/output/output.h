/* SPDX-License-Identifier: MIT */
/*
 * output: stdout, in whole lines.
 *
 * Items are buffered and written together.  A write never ends inside a line,
 * which may be added in several items: an item that ends with a newline or NUL
 * ends a line.  A write to a pipe or socket has at most PIPE_BUF bytes, so that
 * lines of several processes on one of them stay whole, and a full one that
 * does not block takes a write or refuses it.  A line larger than that is
 * written alone.
 * Nothing is written before the buffer is full: call output_flush before
 * waiting for input.  As with GNU, a write that fails ends the program at once
 * with status 1 and the cause, by quick_exit.  The action of SIGPIPE is not
 * changed.  Only one thread at a time may call these functions.
 */
#ifndef SRC_OUTPUT_OUTPUT_H
#define SRC_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/text.h"

/* Wait for a stdout that does not block; without this it is a write error, as with
 * GNU. */
void
output_wait(void);

void
output_add(const void *bytes, size_t len);

/* Add the line about `name`; if memory was short (`made` is false) report
 * that instead. */
void
output_add_line(const struct text *line, bool made, const char *name);

/* Write the buffer, or end the program; errno is preserved. */
void
output_flush(void);

/*
 * Write what is left and close stdout; a failure is reported in GNU's words,
 * status 1.  Called by main just before report_status().
 */
void
output_close(void);

#endif
