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

#include <stdbool.h>
#include <stddef.h>

struct options;

/* The type of an option's field in struct options. */
enum extension_kind {
	EXTENSION_FLAG,	  /* bool; takes no value */
	EXTENSION_NUMBER, /* unsigned */
	EXTENSION_WORD	  /* const char *, inside argv */
};

struct extension {
	const char *name;
	char letter; /* 0, or the short option, which GNU's parser takes */
	enum extension_kind kind;
	size_t field;	     /* offset in struct options */
	const char *value;   /* NULL, or what --help calls the argument */
	const char *without; /* NULL, or the value of the name alone */
	const char *doc;     /* lines for --help */
	const char *valid;   /* NULL, or the lines of "Valid arguments" */
	bool (*accepts)(const char *value); /* NULL: any word is valid */
};

/* Ends with a null name.  A new option is a row and its field. */
extern const struct extension extensions[];

struct extension_error {
	const struct extension *option; /* NULL: no error */
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
