/* SPDX-License-Identifier: MIT */
/*
 * Promise: a mistake gives one message, with its line and column, and what
 * follows it is still assembled; warnings and notes stand in the order of the
 * source.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "tests/support/tap.h"

/* Sources, and all that is said about them: "line:column: severity: text". */
static const struct {
	const char *source;
	const char *messages;
} rows[] = {
#include "tests/asm/message-rows.h"
};

static size_t
print_message(const struct asm_message *message, char *text, size_t size)
{
	static const char *const severities[] = {
		[ASM_ERROR] = "error: ",
		[ASM_WARNING] = "warning: ",
		[ASM_NOTE] = "note: ",
	};
	const struct diag *diag = &message->diag;
	char column[16] = "", number[16] = "";

	if (diag->column)
		snprintf(column, sizeof(column), "%u:", diag->column);
	if (diag->rule)
		snprintf(number, sizeof(number), " [%c%u]",
			 message->severity == ASM_ERROR ? 'E' : 'W',
			 diag->rule);
	return snprintf(text, size, "%u:%s %s%s%s\n", diag->line, column,
			severities[message->severity], diag->text, number);
}

/* All messages of a program; the number of errors among them. */
static size_t
print_messages(const struct qpu_asm_program *program, char *text, size_t size)
{
	size_t nerrors = 0, len = 0;

	*text = '\0';
	for (size_t i = 0; i < program->nmessages && len < size; i++) {
		nerrors += program->messages[i].severity == ASM_ERROR;
		len += print_message(&program->messages[i], text + len,
				     size - len);
	}
	return nerrors;
}

/* As a comment for whoever reads the log. */
static void
note_lines(const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		tap_note("%.*s", (int)(end - text), text);
}

static void
check_row(size_t row)
{
	const char *source = rows[row].source;
	struct qpu_asm_program program;
	char messages[8192];
	const bool good =
		qpu_asm_text("t", source, strlen(source), NULL, &program);
	const size_t nerrors =
		print_messages(&program, messages, sizeof(messages));

	if (!ok(strcmp(messages, rows[row].messages) == 0,
		"the messages about row %zu: %.*s", row,
		(int)strcspn(source, "#\n"), source))
		note_lines(messages);
	ok(program.nerrors == nerrors && good == !nerrors &&
		   !program.words == !good,
	   "are all, and words are given if there is no error");
	qpu_asm_free(&program);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	return tap_done();
}
