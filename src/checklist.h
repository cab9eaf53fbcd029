/* SPDX-License-Identifier: MIT */
/*
 * checklist: one line of a check list, taken apart as GNU's --check does.
 *
 * Pure: no files, no messages.  Understood are "digest  name" and
 * "digest *name", BSD's and OpenSSL's "SHA256 (name) = digest", and the
 * reversed "digest name" of old BSDs, which is sticky.  A raw list is one
 * written with --zero: its names are not escaped and may hold any byte but NUL.
 */
#ifndef SRC_CHECKLIST_H
#define SRC_CHECKLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/batch.h"

enum checklist_separator {
	CHECKLIST_UNDECIDED,
	CHECKLIST_TWO,		/* a blank, and a blank or '*' */
	CHECKLIST_ONE		/* the reversed form */
};

/* One for all lists of a run, since the first line decides for all later
 * ones; start from {0}. */
struct checklist_parser {
	enum checklist_separator separator;
	bool list_is_stdin;	/* then the name "-" is malformed */
	bool raw;
};

enum checklist_verdict {
	CHECKLIST_ENTRY,
	CHECKLIST_MALFORMED,	/* counts for the summary, --warn, --strict */
	CHECKLIST_IGNORED	/* comment or empty: not counted at all */
};

struct checklist_entry {
	uint8_t digest[SHA256_DIGEST_BYTES];
	char *name;		/* ends with a zero, lies inside the line */
	bool escaped;		/* the line began with a backslash */
};

/*
 * Unless it is raw the line may end with its newline, as from getline.
 * line[0..len] are changed, so the byte behind the end must be the caller's,
 * too.  The entry is filled only for CHECKLIST_ENTRY.
 */
enum checklist_verdict
checklist_parse(struct checklist_parser *parser, char *line, size_t len,
		struct checklist_entry *entry);

#endif
