/* SPDX-License-Identifier: MIT */
/*
 * diag: an error message from a library for its caller to print.
 *
 * The libraries (cpu/, qpu/) never print and never exit.  They return a
 * status and, where a human is needed, fill a struct diag; the program that
 * called them prints it.
 */
#ifndef SRC_BASE_DIAG_H
#define SRC_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct diag {
	char file[256];	 /* source or device the text is about, or "" */
	unsigned line;	 /* 1-based; 0 = no line */
	unsigned column; /* 1-based; 0 = no column */
	unsigned rule;	 /* number of the rule or message; 0 = none */
	char text[512];	 /* one sentence, no newline, no full stop */
};

/* Fill the text and clear the place; a null diag is allowed.  Return false. */
__attribute__((format(printf, 2, 3))) static inline bool
diag_set(struct diag *diag, const char *format, ...)
{
	if (!diag)
		return false;
	diag->file[0] = '\0';
	diag->line = 0;
	diag->column = 0;
	diag->rule = 0;

	va_list args;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	return false;
}

#endif
