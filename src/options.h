/* SPDX-License-Identifier: MIT */
/*
 * options: the command line.
 *
 * GNU's options are parsed as GNU's sha256sum parses them, abbreviations,
 * conflicts and error texts included.  The others are in the same tables
 * (option_rows.h) and cannot be abbreviated.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stdbool.h>

#include "src/inputs/input_options.h"

struct options {
	struct input_options input;
	bool check; /* operands are lists; GNU's -c */
	bool help, version;
	/* extensions */
	bool benchmark;
	bool progress;
	bool stats;
	bool verify;
	bool one_at_a_time;
	bool uncached;
	const char *list_devices; /* "" or "details"; NULL = not asked */
	unsigned threads;	  /* 0 = automatic */
	const char *device;	  /* the whole word, "auto" by default */
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE, /* help or version is in output */
	OPTIONS_BAD   /* the message is written, the status is 1 */
};

/* Needs report_init and the locale. */
enum options_result
options_parse(int argc, char **argv, struct options *options);

#endif
