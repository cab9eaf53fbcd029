/* SPDX-License-Identifier: MIT */
/*
 * source_text: the source files that a line map names, and places in them.
 *
 * Files are read when they are first asked for.  One that cannot be read is
 * replaced by what the line map itself has of it.
 */
#ifndef QPU_DEBUGGER_SOURCE_TEXT_H
#define QPU_DEBUGGER_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/debugger/control.h"
#include "src/base/text.h"

/* A file in memory; its lines are strings. */
struct source_file {
	const char *name; /* as in the line map, which owns it */
	bool readable;
	struct text text;
	char **lines;
	size_t nlines;
};

struct source_text {
	const struct trace_lines *map;
	struct source_file *files;
	size_t nfiles;
};

/* The text of a line, counted from 1; null where none is known. */
const char *
source_text_line(struct source_text *source, const char *file, unsigned line);

/*
 * A place as users write it: *ADDR, LINE, FILE:LINE or a label.  LINE alone is
 * of `file`.  A line without instructions stands for the next one that has
 * some, and a label for the first instruction after it.
 */
bool
source_text_place(struct source_text *source, const char *text,
		  const char *file, struct place *place, struct diag *why);

void
source_text_free(struct source_text *source);

#endif
