/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/output/output.h"
#include "src/output/report.h"

void
summary_report(const struct summary_count *counts)
{
	struct text line = { 0 };
	char number[32];
	bool whole = true;

	for (const struct summary_count *row = counts; row->name; row++) {
		snprintf(number, sizeof(number), ": %" PRIuMAX, row->count);
		whole = whole &&
			text_add_string(&line, row > counts ? ", " : "") &&
			text_add_string(&line, row->name) &&
			text_add_string(&line, number);
	}
	if (whole)
		report_warning("stats: %s", line.bytes);
	text_free(&line);
}

void
summary_print(struct json *object, const char *what,
	      const struct summary_count *counts)
{
	json_open(object);
	json_string(object, "summary", what);
	for (const struct summary_count *row = counts; row->name; row++)
		json_number(object, row->name, row->count);
	json_number(object, "status", (uintmax_t)report_status());
	output_add_line(&object->text, json_close(object), "summary");
}
