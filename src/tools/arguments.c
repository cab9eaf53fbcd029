/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/arguments.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/completion.h"

enum {
	KEY_OPTION = 0x100, /* of the first row; the others follow */
	OPTIONS_MAX = 64
};

struct parse {
	const struct arguments *arguments;
	void *fields;
	char **operands;
};

/* Print where to find help, and exit. */
__attribute__((noreturn)) static void
end_usage(const char *name)
{
	fprintf(stderr, "Try '%s --help' for more information.\n", name);
	exit(argp_err_exit_status);
}

__attribute__((noreturn, format(printf, 2, 3))) static void
refuse(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	end_usage(name);
}

static void
set_option(const struct option_row *option, char *value,
	   struct argp_state *state)
{
	const struct parse *parse = state->input;
	struct diag why;

	if (option_set(option, parse->fields, value, &why))
		return;
	if (parse->arguments->complain) {
		parse->arguments->complain(option, &why);
		exit(argp_err_exit_status);
	}
	if (strncmp(why.text, "--", 2) == 0)
		refuse(state->name, "%s", why.text);
	refuse(state->name, "--%s: %s", option->name, why.text);
}

static void
take_operands(struct argp_state *state)
{
	struct parse *parse = state->input;
	const struct arguments *arguments = parse->arguments;
	const bool any = arguments->in_order && !arguments->most;
	const unsigned n = (unsigned)(state->argc - state->next);

	parse->operands = state->argv + state->next;
	if (n > arguments->most && !any)
		refuse(state->name, arguments->too_many,
		       parse->operands[arguments->most]);
	if (n < arguments->least)
		refuse(state->name, "%s", arguments->too_few);
}

/* The options of the table, and those that argp adds. */
static int
complete(const struct arguments *arguments, int argc, char **argv)
{
	static const struct option_row added[] = {
		{ .name = "help", .letter = '?', .doc = "print help" },
		{ .name = "usage", .doc = "print a short help" },
		{ .name = "version", .letter = 'V', .doc = "print the version" },
		{ .name = NULL }
	};
	const struct option_row *const tables[] = { arguments->options, added,
						    NULL };

	return completion_answer(tables, arguments->in_order, argc, argv);
}

static error_t
parse_key(int key, char *value, struct argp_state *state)
{
	const struct parse *parse = state->input;
	const struct arguments *arguments = parse->arguments;
	const struct option_row *rows = arguments->options;

	if (key >= KEY_OPTION && key < KEY_OPTION + OPTIONS_MAX) {
		set_option(&rows[key - KEY_OPTION], value, state);
		return 0;
	}
	switch (key) {
	/* Silence argp's own messages about wrong usage, which have another style. */
	case ARGP_KEY_INIT: state->err_stream = NULL; return 0;
	case ARGP_KEY_ARGS: take_operands(state); return 0;
	case ARGP_KEY_NO_ARGS:
		if (arguments->least > 0)
			refuse(state->name, "%s", arguments->too_few);
		return 0;
	}
	for (; rows->name; rows++)
		if (rows->letter && key == rows->letter) {
			set_option(rows, value, state);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

char **
arguments_parse(const struct arguments *arguments, int argc, char **argv,
		void *fields)
{
	struct argp_option rows[OPTIONS_MAX + 1] = { { .name = NULL } };
	const struct argp argp = { .options = rows,
				   .parser = parse_key,
				   .args_doc = arguments->operands,
				   .doc = arguments->doc };
	struct parse parse = { .arguments = arguments,
			       .fields = fields,
			       .operands = argv + argc };

	if (completion_is_asked(argc, argv))
		exit(complete(arguments, argc, argv));
	for (int i = 0; i < OPTIONS_MAX && arguments->options[i].name; i++) {
		const struct option_row *option = &arguments->options[i];

		rows[i] = (struct argp_option){
			.name = option->name,
			.key = option->letter ? option->letter : KEY_OPTION + i,
			.arg = option->argument,
			.flags = (option->alone ? OPTION_ARG_OPTIONAL : 0) |
				 (option->doc ? 0 : OPTION_HIDDEN),
			.doc = option->doc,
		};
	}
	argp_err_exit_status = arguments->failure ? arguments->failure :
						    EXIT_FAILURE;
	/* getopt begins its messages with it. */
	if (argc > 0)
		argv[0] = basename(argv[0]);
	errno = argp_parse(&argp, argc, argv,
			   arguments->in_order ? ARGP_IN_ORDER : 0, NULL,
			   &parse);
	if (errno == EINVAL)
		end_usage(argc > 0 ? argv[0] : program_invocation_short_name);
	if (errno) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name,
			strerror(errno));
		exit(argp_err_exit_status);
	}
	return parse.operands;
}
