/* SPDX-License-Identifier: MIT */
/*
 * message: collects errors, warnings and notes.
 */
#include "config.h"

#include "qpu/asm/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/source.h"

void
asm_message_add(struct asm_messages *messages, struct asm_arena *arena,
		enum asm_severity severity, unsigned number,
		const struct asm_line *line, unsigned column,
		const char *format, ...)
{
	if (severity == ASM_ERROR)
		messages->nerrors++;
	if (messages->silent || messages->nerrors > messages->limit)
		return;

	messages->rows = asm_arena_grow(arena, messages->rows, messages->nrows,
					sizeof(*messages->rows));
	struct asm_message *row = &messages->rows[messages->nrows++];
	va_list args;

	*row = (struct asm_message){ .severity = severity };
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
asm_problem_set(struct asm_problem *problem, unsigned number,
		const struct asm_token *token, const char *format, ...)
{
	va_list args;

	if (problem->number)
		return false;
	problem->number = number;
	problem->token = token;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
	return false;
}
