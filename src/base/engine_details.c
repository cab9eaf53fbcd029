/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/engine_details.h"

#include <stdarg.h>
#include <stdio.h>

static struct engine_detail *
add(struct engine_details *details, enum engine_detail_kind kind,
    const char *key, const char *label, uint64_t number)
{
	struct engine_detail *row;

	if (details->nrows == ENGINE_DETAILS_ROWS)
		return NULL;
	row = &details->rows[details->nrows++];
	row->kind = kind;
	row->key = key;
	row->label = label;
	row->number = number;
	row->text[0] = '\0';
	return row;
}

void
engine_details_number(struct engine_details *details,
		      enum engine_detail_kind kind, const char *key,
		      const char *label, uint64_t number)
{
	add(details, kind, key, label, number);
}

void
engine_details_text(struct engine_details *details,
		    enum engine_detail_kind kind, const char *key,
		    const char *label, const char *format, ...)
{
	struct engine_detail *row = add(details, kind, key, label, 0);
	va_list args;

	if (!row)
		return;
	va_start(args, format);
	vsnprintf(row->text, sizeof(row->text), format, args);
	va_end(args);
}
