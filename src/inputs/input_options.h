/* SPDX-License-Identifier: MIT */
/*
 * input_options: the options that concern inputs, lists and lines.
 */
#ifndef SRC_INPUTS_INPUT_OPTIONS_H
#define SRC_INPUTS_INPUT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct input_options {
	/* GNU's */
	bool binary; /* false: text, which differs in the mark */
	bool tag;
	bool zero;
	bool ignore_missing;
	bool quiet; /* at most one of quiet, status and warn */
	bool status;
	bool warn;
	bool strict;
	/* extensions */
	bool json; /* one JSON object per line */
	bool check_zero;
	bool detect_changes;
	bool one_file_system;
	bool recursive;
	const char *unlisted;	 /* NULL, or the directory */
	const char *files0_from; /* NULL, or a file of names; "-" */

	char **operands; /* inside argv, which may be permuted */
	/* 0: standard input, the names in files0_from, or "." (recursive) */
	size_t noperands;
};

#endif
