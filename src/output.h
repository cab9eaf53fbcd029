/* SPDX-License-Identifier: MIT */
/*
 * output: stdout, in whole lines.
 *
 * Items (one line, or a few) are collected and written together; a write
 * never ends inside an item unless the item alone is larger than the buffer.
 * Nothing is written before the buffer is full: call output_flush before
 * waiting for input.  A failed write is remembered, the work goes on as with
 * GNU's, and output_close tells.  Once a write has failed midway nothing more
 * is written, so that only one line is torn.  SIGPIPE is left as it is.
 * For one thread at a time.
 */
#ifndef SRC_OUTPUT_H
#define SRC_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "src/text.h"

void
output_add(const void *bytes, size_t len);

/* What was made to tell of `name`; if memory was short (made is false) a
 * message says so. */
void
output_add_line(const struct text *line, bool made, const char *name);

/* Write what is collected; errno survives. */
void
output_flush(void);

/*
 * Flush and close stdout; a failure is reported in GNU's words, status 1.
 * The last thing that main does before it returns report_status().
 */
void
output_close(void);

#endif
