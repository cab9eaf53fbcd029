/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/api/handle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void
messages_add(struct messages *all, const struct qpu_message *message)
{
	struct qpu_message from = *message, *row;

	from.rule = from.rule ? from.rule : "";
	from.text = from.text ? from.text : "";
	from.file = from.file ? from.file : "";
	/* The line after a preprocessor's "# 0" has no number. */
	if (from.line == 0)
		from.column = 0;
	const size_t texts = strlen(from.rule) + strlen(from.text) +
			     strlen(from.file) +
			     (from.source ? strlen(from.source) : 0) + 4;

	all->errors += from.severity == QPU_SEVERITY_ERROR;
	row = malloc(sizeof(*row) + texts);
	if (!row || !rows_grow(&all->rows, &all->capacity, all->n,
			       sizeof(struct qpu_message *))) {
		free(row);
		all->lost = true;
		return;
	}
	*row = from;
	char *at = (char *)(row + 1);
	row->rule = copy(&at, from.rule);
	row->text = copy(&at, from.text);
	row->file = copy(&at, from.file);
	row->source = copy(&at, from.source);
	all->rows[all->n++] = row;
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
	messages_add(all, &(struct qpu_message){
				  .severity = QPU_SEVERITY_ERROR,
				  .text = text,
				  .address = -1,
				  .qpu = -1,
				  .count = 1,
			  });
	return status;
}

const struct qpu_message *
messages_at(const struct messages *all, size_t index)
{
	return index < all->n ? all->rows[index] : NULL;
}

void
messages_free(struct messages *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->rows[i]);
	free(all->rows);
}
