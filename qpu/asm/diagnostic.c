/* SPDX-License-Identifier: MIT */
/*
 * diagnostic: collects errors, warnings and notes.
 */
#include "config.h"

#include "qpu/asm/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/source.h"

/* Count repeated warnings of a line that a macro or a loop assembles many times
 * in one row, if few other warnings lie between. Return true if the last row
 * counts one more. */
static bool
is_counted(struct asm_diagnostics *diagnostics)
{
	enum { BACK = 64 };
	const struct asm_diagnostic *last =
		&diagnostics->rows[diagnostics->nrows - 1];

	for (size_t i = 2; i <= BACK && i <= diagnostics->nrows; i++) {
		struct asm_diagnostic *row =
			&diagnostics->rows[diagnostics->nrows - i];

		if (row->diag.rule != last->diag.rule ||
		    row->severity != last->severity ||
		    row->diag.line != last->diag.line ||
		    row->diag.column != last->diag.column ||
		    strcmp(row->diag.file, last->diag.file) != 0 ||
		    strcmp(row->diag.text, last->diag.text) != 0)
			continue;
		row->count++;
		return true;
	}
	return false;
}

void
asm_diagnostic_add(struct asm_diagnostics *diagnostics,
		   enum asm_severity severity, unsigned number,
		   const struct asm_line *line, unsigned column,
		   const char *format, ...)
{
	if (severity == ASM_ERROR)
		diagnostics->nerrors++;
	if (diagnostics->silent || diagnostics->nerrors > diagnostics->limit)
		return;

	ASM_ARENA_GROW(diagnostics->arena, diagnostics->rows,
		       diagnostics->nrows);
	struct asm_diagnostic *row = &diagnostics->rows[diagnostics->nrows++];
	va_list args;

	*row = (struct asm_diagnostic){ .severity = severity, .count = 1 };
	row->diag.rule = number;
	row->diag.column = column;
	if (line) {
		snprintf(row->diag.file, sizeof(row->diag.file), "%s",
			 line->file);
		row->diag.line = line->number;
		row->source = line->text;
	}
	va_start(args, format);
	vsnprintf(row->diag.text, sizeof(row->diag.text), format, args);
	va_end(args);
	if (severity == ASM_WARNING && is_counted(diagnostics))
		diagnostics->nrows--;
}

bool
asm_refuse(struct asm_refusal *why, unsigned number,
	   const struct asm_token *token, const char *format, ...)
{
	va_list args;

	if (why->number)
		return false;
	why->number = number;
	why->token = token;
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return false;
}
