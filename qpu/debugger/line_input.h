/* SPDX-License-Identifier: MIT */
/*
 * line_input: lines from a terminal or from a script.
 */
#ifndef QPU_DEBUGGER_LINE_INPUT_H
#define QPU_DEBUGGER_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct line_input {
	FILE *stream, *out;
	bool terminal; /* both are one */
	char *line;
	size_t room;
};

void
line_input_open(struct line_input *input, FILE *stream, FILE *out);

/*
 * The next line without its end, until the next call; null at the end.  The
 * lines of a script are written after the prompt, as if they were typed.  On a
 * terminal the interrupt key begins a new line.
 */
char *
line_input_read(struct line_input *input, const char *prompt);

/* Closes the stream unless it is standard input. */
void
line_input_close(struct line_input *input);

#endif
