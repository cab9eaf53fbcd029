/* SPDX-License-Identifier: MIT */
/*
 * hazard_report: prints messages with their source lines.
 */
#include "config.h"

#include "src/tools/hazard_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/diag.h"
#include "src/base/text.h"

/* Print text from a file, without control characters; short of memory, none. */
static void
put(const char *from)
{
	char *const text = strdup(from);

	if (!text)
		return;
	text_clean(text);
	fputs(text, stderr);
	free(text);
}

/* The line and, under column, a caret; tabs stay tabs so that it fits. */
static void
draw_line(const char *line, unsigned column)
{
	fputs("    ", stderr);
	put(line);
	fputc('\n', stderr);
	if (!column)
		return;
	fputs("    ", stderr);
	for (unsigned i = 0; i + 1 < column && line[i]; i++)
		fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

static void
print_place(const char *tool, const struct qpu_message *message)
{
	if (!*message->file)
		fputs(tool, stderr);
	else
		put(message->file);
	if (*message->file && message->line)
		fprintf(stderr, ":%u", message->line);
	if (message->column)
		fprintf(stderr, ":%u", message->column);
	else if (!message->line && message->address >= 0)
		fprintf(stderr, ":0x%" PRIx64, (uint64_t)message->address);
}

static void
print(const char *tool, const struct qpu_message *message)
{
	static const char *const severities[] = {
		[QPU_SEVERITY_ERROR] = "error",
		[QPU_SEVERITY_WARNING] = "warning",
		[QPU_SEVERITY_NOTE] = "note",
	};

	print_place(tool, message);
	fprintf(stderr, ": %s: ", severities[message->severity]);
	put(message->text);
	if (*message->rule)
		fprintf(stderr, " [%s]", message->rule);
	if (message->count > 1)
		fprintf(stderr, " (%zu times)", message->count);
	fputc('\n', stderr);
	if (message->source)
		draw_line(message->source, message->column);
}

bool
hazard_report_ignore(void *program, const char *list, struct diag *why)
{
	struct qpu_program *const *to = program;
	const struct qpu_message *last;

	if (qpu_program_ignore(*to, list) == QPU_OK)
		return true;
	last = qpu_program_message(*to, qpu_program_messages(*to) - 1);
	return diag_set(why, "%s", last ? last->text : "out of memory");
}

bool
hazard_report(const char *tool, const struct qpu_program *program,
	      enum qpu_status status, const char *file)
{
	const size_t errors = qpu_program_errors(program);
	size_t shown = 0;

	for (size_t i = 0; i < qpu_program_messages(program); i++) {
		const struct qpu_message *message =
			qpu_program_message(program, i);

		print(tool, message);
		shown += message->severity == QPU_SEVERITY_ERROR;
	}
	if (status == QPU_NO_MEMORY)
		fprintf(stderr, "%s: out of memory\n", file);
	else if (shown < errors)
		fprintf(stderr, "%s: too many errors, %zu not shown\n", tool,
			errors - shown);
	return status == QPU_OK;
}
