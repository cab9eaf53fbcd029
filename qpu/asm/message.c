/* SPDX-License-Identifier: MIT */
/*
 * message: collects errors, warnings and notes.
 */
#include "config.h"

#include "qpu/asm/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/source.h"

/* Count repeated warnings of a line that a macro or a loop assembles many times
 * in one row, if few other warnings lie between. Return true if the last row
 * counts one more. */
static bool
is_counted(struct asm_messages *messages)
{
	enum { BACK = 64 };
	const struct qpu_message *last = &messages->rows[messages->nrows - 1];

	for (size_t i = 2; i <= BACK && i <= messages->nrows; i++) {
		struct qpu_message *row = &messages->rows[messages->nrows - i];

		if (row->severity != last->severity ||
		    row->line != last->line || row->column != last->column ||
		    strcmp(row->rule, last->rule) != 0 ||
		    strcmp(row->file, last->file) != 0 ||
		    strcmp(row->text, last->text) != 0)
			continue;
		row->count++;
		return true;
	}
	return false;
}

/* Long names and texts are cut. */
static const char *
keep(struct asm_arena *arena, const char *text, size_t most)
{
	return asm_arena_strndup(arena, text, strnlen(text, most));
}

void
asm_message_add(struct asm_messages *messages, enum qpu_severity severity,
		unsigned number, const struct asm_line *line, unsigned column,
		const char *format, ...)
{
	struct asm_arena *const arena = messages->arena;
	char text[512], rule[16] = "";
	va_list args;

	if (severity == QPU_SEVERITY_ERROR)
		messages->nerrors++;
	if (messages->silent || messages->nerrors > messages->limit ||
	    (severity == QPU_SEVERITY_WARNING &&
	     messages->ignored & asm_warning_bit(number)))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (number)
		snprintf(rule, sizeof(rule), "%c%u",
			 severity == QPU_SEVERITY_WARNING ? 'W' : 'E', number);
	ASM_ARENA_GROW(arena, messages->rows, messages->nrows);
	messages->rows[messages->nrows++] = (struct qpu_message){
		.severity = severity,
		.rule = keep(arena, rule, sizeof(rule)),
		.text = keep(arena, text, sizeof(text)),
		.file = line ? keep(arena, line->file, 255) : "",
		.line = line ? line->number : 0,
		.column = column,
		.source = line ? line->text : NULL,
		.address = -1,
		.qpu = -1,
		.count = 1,
	};
	if (severity == QPU_SEVERITY_WARNING && is_counted(messages))
		messages->nrows--;
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
