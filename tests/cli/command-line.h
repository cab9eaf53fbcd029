/* SPDX-License-Identifier: MIT */
/*
 * command-line: lines of words as arguments, and what becomes of one in a child
 * process.
 */
#ifndef TESTS_CLI_COMMAND_LINE_H
#define TESTS_CLI_COMMAND_LINE_H

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/options.h"
#include "src/output/output.h"
#include "src/output/report.h"

enum { MAX_WORDS = 16, EXIT_RUN = 42 };

/* A command line, its words separated by one blank each; "" is no words. */
struct words {
	char bytes[256];
	char *argv[MAX_WORDS + 1];
	int argc;
};

__attribute__((unused)) static void
words_set(struct words *words, const char *program, const char *line)
{
	char *rest = words->bytes;

	snprintf(words->bytes, sizeof(words->bytes), "%s", line);
	words->argc = 0;
	words->argv[words->argc++] = (char *)(uintptr_t)program;
	while (*line && rest && words->argc < MAX_WORDS)
		words->argv[words->argc++] = strsep(&rest, " ");
	words->argv[words->argc] = NULL;
}

struct call {
	struct words words;
	const char *locale;
	bool posixly_correct;
};

/* Its status is EXIT_RUN if the options are good. */
__attribute__((unused)) static int
parse_child(void *data)
{
	struct call *call = data;
	struct options options;

	unsetenv("POSIXLY_CORRECT");
	if (call->posixly_correct)
		setenv("POSIXLY_CORRECT", "1", 1);
	setlocale(LC_ALL, call->locale);
	report_init(call->words.argv[0]);

	enum options_verdict verdict =
		options_parse(call->words.argc, call->words.argv, &options);
	output_close();
	return verdict == OPTIONS_RUN ? EXIT_RUN : report_status();
}

#endif
