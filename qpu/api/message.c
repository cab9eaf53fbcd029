/* SPDX-License-Identifier: MIT */
/*
 * message: the messages of a handle, and those about a program's words.
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/api/handle.h"
#include "qpu/isa/disasm.h"
#include "src/base/rows.h"

/* Copy a text to *at, which moves beyond it. */
static const char *
copy(char **at, const char *text)
{
	char *start = *at;

	if (!text)
		return NULL;
	*at = stpcpy(start, text) + 1;
	return start;
}

struct message *
messages_add(struct messages *all, const struct qpu_message *message)
{
	struct qpu_message from = *message;
	struct message *row;

	from.rule = from.rule ? from.rule : "";
	from.text = from.text ? from.text : "";
	from.file = from.file ? from.file : "";
	from.count += from.count == 0;
	/* The line after a preprocessor's "# 0" has no number. */
	if (from.line == 0)
		from.column = 0;
	const size_t texts = strlen(from.rule) + strlen(from.text) +
			     strlen(from.file) +
			     (from.source ? strlen(from.source) : 0) + 4;

	all->errors += from.severity == QPU_SEVERITY_ERROR;
	row = malloc(sizeof(*row) + texts);
	if (!row || !rows_grow(&all->rows, &all->capacity, all->n,
			       sizeof(struct message *))) {
		free(row);
		all->lost = true;
		return NULL;
	}
	char *at = row->texts;
	from.rule = copy(&at, from.rule);
	from.text = copy(&at, from.text);
	from.file = copy(&at, from.file);
	from.source = copy(&at, from.source);
	row->shown = from;
	row->last = from.address;
	return all->rows[all->n++] = row;
}

struct message *
program_message(struct qpu_program *program, size_t index,
		enum qpu_severity severity, const char *rule, const char *text)
{
	const struct qpu_word *word = qpu_program_word(program, index);
	struct qpu_message *message = MESSAGE(.severity = severity,
					      .rule = rule, .text = text,
					      .file = program->name);
	char inst[QPU_DISASM_SIZE];

	if (word) {
		message->file = word->file;
		message->line = word->line;
		message->source = word->text;
		message->address = (int64_t)index * QPU_INST_BYTES;
	}
	/* It is about all of its line. */
	if (word && word->text) {
		message->column = strspn(word->text, " \t") + 1;
	} else if (word && word->is_instruction) {
		qpu_disasm(&program->insts[index], NULL, inst);
		message->source = inst;
	}
	return messages_add(&program->messages, message);
}

uint64_t *
program_words(const struct qpu_program *program)
{
	uint64_t *words = calloc(program->n + 1, sizeof(*words));

	for (size_t i = 0; words && i < program->n; i++)
		words[i] = program->words[i].word;
	return words;
}

enum qpu_status
messages_refuse(struct messages *all, enum qpu_status status,
		const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	messages_add(all,
		     MESSAGE(.severity = QPU_SEVERITY_ERROR, .text = text));
	return status;
}

void
messages_free(struct messages *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->rows[i]);
	free(all->rows);
}
