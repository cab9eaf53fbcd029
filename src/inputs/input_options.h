/* SPDX-License-Identifier: MIT */
/*
 * input_options: the options that concern inputs, lists and lines.
 */
#ifndef SRC_INPUTS_INPUT_OPTIONS_H
#define SRC_INPUTS_INPUT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/option.h"

struct pool;

/* The character before a name in a line. */
enum input_mark { INPUT_MARK_UNSET, INPUT_MARK_TEXT, INPUT_MARK_BINARY };

/* How much is printed when lists are checked. */
enum input_verbosity {
	INPUT_USUAL,
	INPUT_WARN,   /* and each malformed line */
	INPUT_QUIET,  /* no OK; and no notes with -r */
	INPUT_STATUS, /* nothing */
};

/* --part=K/N; a count of 0 without it. */
struct input_part {
	unsigned number; /* from 1 on */
	unsigned count;
};

struct input_options {
	/* GNU's */
	enum input_mark mark;
	enum input_verbosity verbosity;
	bool tag;
	bool zero;
	bool ignore_missing;
	bool strict;
	/* extensions */
	bool json; /* one JSON object per line */
	bool check_zero;
	bool detect_changes;
	bool hard_links_once;
	bool one_file_system;
	bool recursive;
	bool relative_to_list; /* names in lists */
	struct input_part part;
	struct option_texts unlisted; /* directories */
	const char *update;	      /* NULL, or a list */
	struct option_texts accept;   /* names whose new digests are taken */
	const char *prune;	      /* NULL, "" or "all" */
	bool why;		      /* say why a digest differs */
	struct option_texts only;     /* names to check, or none: all */
	const char *files0_from;      /* NULL, or a file of names; "-" */

	struct pool *pool; /* that reads directories, or NULL; not the user's */

	char **operands; /* inside argv, which may be permuted */
	/* 0 to read standard input, or the names in files0_from */
	size_t noperands;
};

#endif
