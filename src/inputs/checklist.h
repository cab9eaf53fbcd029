/* SPDX-License-Identifier: MIT */
/*
 * checklist: parse one line of a check list as GNU's --check does.
 *
 * It opens no files and prints no messages.  The formats are "digest  name"
 * and "digest *name", "SHA256 (name) = digest" of BSD and of OpenSSL, since
 * version 3 "SHA2-256(name)= digest", and the
 * reversed "digest name" of old BSDs; once a reversed line has been seen, all
 * later lines are reversed.  A raw list was written with --zero: its names are
 * not escaped and may contain any byte except NUL.
 */
#ifndef SRC_INPUTS_CHECKLIST_H
#define SRC_INPUTS_CHECKLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"

enum checklist_separator {
	CHECKLIST_UNDECIDED,
	CHECKLIST_TWO, /* a blank, and a blank or '*' */
	CHECKLIST_ONE  /* the reversed form */
};

/* One parser for all lists of a run; start from {0}. */
struct checklist_parser {
	enum checklist_separator separator;
	bool list_is_stdin; /* then the name "-" is malformed */
	bool raw;
};

enum checklist_result {
	CHECKLIST_ENTRY,
	CHECKLIST_MALFORMED, /* counts for the summary, --warn, --strict */
	CHECKLIST_IGNORED    /* comment or empty: not counted at all */
};

struct checklist_entry {
	uint8_t digest[SHA256_DIGEST_BYTES];
	char *name;   /* ends with a zero, lies inside the line */
	bool escaped; /* the line began with a backslash */
};

/*
 * The line comes without its newline or NUL.  It is modified in place, including
 * the byte line[len], which must be writable.  The entry is filled only for
 * CHECKLIST_ENTRY, and its name points into the line.
 */
enum checklist_result
checklist_parse(struct checklist_parser *parser, char *line, size_t len,
		struct checklist_entry *entry);

/* Return what follows the byte order mark of UTF-8 at the beginning of a list. */
char *
checklist_skip_mark(char *line, size_t *len);

/* Return true if the line is several lines of a list written with --zero. */
bool
checklist_has_zeros(const char *line, size_t len);

#endif
