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

	*row = (struct asm_diagnostic){ .severity = severity };
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

/* --- What was probably meant --------------------------------------------------- */

enum { TOO_LONG = 16 };

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* The letters that are wrong, missing, too many or swapped (optimal string
 * alignment); capitals count as small letters. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned d[TOO_LONG][TOO_LONG];

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++) {
			const bool same = small(a[i - 1]) == b[j - 1];
			unsigned best = d[i - 1][j - 1] + !same;

			best = least(best, d[i - 1][j] + 1);
			best = least(best, d[i][j - 1] + 1);
			if (i > 1 && j > 1 && small(a[i - 1]) == b[j - 2] &&
			    small(a[i - 2]) == b[j - 1])
				best = least(best, d[i - 2][j - 2] + 1);
			d[i][j] = best;
		}
	return d[na][nb];
}

void
asm_suggest_consider(struct asm_suggestion *suggestion, const char *name)
{
	const size_t len = strlen(suggestion->wanted);
	const unsigned limit = len < 5 ? 1 : 2;

	if (!name || strlen(name) < 2 || strlen(name) >= TOO_LONG || len < 2 ||
	    len >= TOO_LONG)
		return;
	const unsigned wrong =
		distance(suggestion->wanted, len, name, strlen(name));
	if (wrong > limit ||
	    (suggestion->best && wrong >= suggestion->distance))
		return;
	suggestion->best = name;
	suggestion->distance = wrong;
}

void
asm_suggest_text(const char *best, char text[64])
{
	*text = '\0';
	if (best)
		snprintf(text, 64, "; did you mean '%s'?", best);
}

const char *
asm_suggest_comment(const char *line, unsigned column)
{
	const char *at = line + column - 1;

	if (*at == '#' && (at[1] == '-' || (at[1] >= '0' && at[1] <= '9')))
		return "; '#' begins a comment: numbers are written without it";
	if (strncmp(at, "/*", 2) == 0 ||
	    (column > 1 && strncmp(at - 1, "/*", 2) == 0))
		return "; comments begin with '#' or '//' and end with the line";
	return "";
}
