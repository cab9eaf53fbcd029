/* SPDX-License-Identifier: MIT */
/*
 * arguments: the command line of a tool, which argp parses by the tool's table
 * of options (src/base/option.h).
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
	const char *operands; /* for the line of usage, or NULL */
	const char *doc;
	/* The first operand and all that follows it are operands. */
	bool in_order;
	/* How many operands there may be, and what is wrong otherwise; in
	 * too_many %s may be the first one that is not wanted. */
	unsigned least, most; /* most 0 with in_order: any number */
	const char *too_few, *too_many;
	int failure; /* exit status of wrong usage; 0: EXIT_FAILURE */
	/* Print what is wrong with a value.  If NULL, argp_error prints it. */
	void (*complain)(const struct option_row *option,
			 const struct diag *why);
};

/* Set the fields, and return the operands, which end with NULL.  Wrong usage
 * and shortage of memory end the process with a message, --help and --version
 * without one. */
char **
arguments_parse(const struct arguments *, int argc, char **argv, void *fields);

#endif
