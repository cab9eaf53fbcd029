/* SPDX-License-Identifier: MIT */
/*
 * own_options: the options that GNU's sha256sum does not have.
 *
 * They are taken out of argv before GNU's are parsed, and have no
 * abbreviations, so that they cannot change what an abbreviation of GNU's
 * means: --verify --ver is still --version, and --t as ambiguous as ever.
 */
#ifndef SRC_OWN_OPTIONS_H
#define SRC_OWN_OPTIONS_H

#include <stdbool.h>

struct options;

struct own_option {
	const char *name;
	char letter;		/* 0, or -letter, which GNU's parser takes */
	const char *value;	/* NULL, or what --help calls the argument */
	const char *doc;	/* lines for --help */
	const char *valid;	/* NULL, or the lines of "Valid arguments" */
	/* Whether the value is a good one. */
	bool (*set)(struct options *options, const char *value);
};

/* Ends with a null name.  A new option is a row and its set function. */
extern const struct own_option own_options[];

struct own_error {
	const struct own_option *option;	/* NULL: there is none */
	enum { OWN_NEEDS_VALUE, OWN_TAKES_NONE, OWN_INVALID } kind;
	const char *value;
};

/*
 * Set and remove our own options, as far as getopt would look for options.
 * At an error the words from there on are dropped: what stands before it has
 * the first say, as with getopt.  Returns the new argc, >= 1 as the old one.
 */
int
own_options_take(int argc, char **argv, struct options *options,
		 struct own_error *error);

/* Report the error, in the words of getopt and of GNU's programs. */
void
own_options_complain(const struct own_error *error);

#endif
