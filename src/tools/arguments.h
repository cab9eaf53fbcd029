/* SPDX-License-Identifier: MIT */
/*
 * arguments: parses the command line of a tool by the tool's table of options
 * (src/base/option.h), with argp.
 *
 *	static const struct arguments arguments = {
 *		.options = option_rows,
 *		.operands = "PROGRAM",
 *		.doc = "Disassemble a program.",
 *		.least = 1, .too_few = "no program given",
 *		.most = 1, .too_many = "only one program can be given",
 *	};
 *	struct dis_options options = { .check = true };
 *	char **operands = arguments_parse(&arguments, argc, argv, &options);
 *
 * argp adds --help, --usage and --version, for which the tool defines
 * argp_program_version.
 */
#ifndef SRC_TOOLS_ARGUMENTS_H
#define SRC_TOOLS_ARGUMENTS_H

#include <stdbool.h>

#include "src/base/option.h"

struct arguments {
	const struct option_row *options;
	const char *operands; /* for the usage line, or NULL */
	const char *doc;
	/* Options end at the first operand. */
	bool in_order;
	/* Number of operands, and the messages for fewer or more of them; %s in
	 * too_many is the first operand beyond `most`. */
	unsigned least, most; /* with in_order, most = 0 means any number */
	const char *too_few, *too_many;
	int failure; /* exit status for wrong usage, or 0 for EXIT_FAILURE */
	/* Report an invalid value; NULL to print `why` and a hint at --help. */
	void (*complain)(const struct option_row *option,
			 const struct diag *why);
};

/* Set the fields, and return the operands, which end with NULL.  Exit with a message
 * after wrong usage or if memory is short; exit with status 0 after --help, --usage,
 * --version, and a shell's request for completion. */
char **
arguments_parse(const struct arguments *, int argc, char **argv, void *fields);

#endif
