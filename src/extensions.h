/* SPDX-License-Identifier: MIT */
/*
 * extensions: the options that GNU's sha256sum does not have.
 *
 * They are taken out of argv before GNU's options are parsed, and cannot be
 * abbreviated.  Abbreviations of GNU's options therefore keep their meaning:
 * --verify --ver is still --version, and --t is still ambiguous.
 */
#ifndef SRC_EXTENSIONS_H
#define SRC_EXTENSIONS_H

#include "src/base/option.h"

struct options;

/* Ends with a null name.  A new option is a row and its field. */
extern const struct option_row extensions[];

struct extension_error {
	const struct option_row *option; /* NULL: no error */
	enum {
		EXTENSION_NEEDS_VALUE,
		EXTENSION_TAKES_NONE,
		EXTENSION_INVALID
	} kind;
	const char *value;
};

/*
 * Set the fields of the extensions in argv, as far as getopt would look for
 * options, and remove them from argv.  At the first error the rest of argv is
 * dropped too, so that GNU's parser can report an earlier error first, as
 * getopt does.  Returns the new argc; argc must be at least 1, and argv ends
 * with NULL as before.
 */
int
extensions_take(int argc, char **argv, struct options *options,
		struct extension_error *error);

/* Report the error, in the words of getopt and of GNU's programs. */
void
extensions_complain(const struct extension_error *error);

#endif
