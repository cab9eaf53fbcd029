/* SPDX-License-Identifier: MIT */
/*
 * options: the command line.
 *
 * GNU's options are parsed as GNU's sha256sum parses them, abbreviations,
 * conflicts and error texts included.  Our own have no abbreviations and
 * exist only on a command line that spells one out.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct options {
	/* GNU's */
	bool check;
	bool binary;		/* false: text, which differs in the mark */
	bool tag;
	bool zero;
	bool ignore_missing;
	bool quiet;		/* at most one of quiet, status and warn */
	bool status;
	bool warn;
	bool strict;
	/* our own */
	bool benchmark;
	bool json;		/* lines are objects */
	bool check_zero;	/* implies check */
	bool detect_changes;
	bool recursive;
	bool progress;
	bool stats;
	bool verify;
	bool list_devices;
	unsigned threads;	/* 0: as many as pay */
	const char *device;	/* the whole word, "auto" by default */
	const char *files0_from;	/* NULL, or a file of names; "-" */

	char **operands;	/* inside argv, which may be permuted */
	/* 0: stdin, or the names of files0_from, or with recursive "." */
	size_t noperands;
};

enum options_verdict {
	OPTIONS_RUN,
	OPTIONS_DONE,		/* help or version is in output */
	OPTIONS_BAD		/* the message is written, the status is 1 */
};

/* Needs report_init and the locale. */
enum options_verdict
options_parse(int argc, char **argv, struct options *options);

#endif
