/* SPDX-License-Identifier: MIT */
/*
 * digest_line: the lines of stdout, as GNU writes and escapes them.
 *
 * A line is added to a text, with its end (newline or NUL).  Each function
 * returns false when memory is short, and leaves the text unchanged.
 */
#ifndef SRC_OUTPUT_DIGEST_LINE_H
#define SRC_OUTPUT_DIGEST_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/base/text.h"

struct digest_line_style {
	bool binary; /* '*' before the name; no meaning in a tag */
	bool tag;    /* SHA256 (name) = digest */
	bool zero;   /* ends with a zero, nothing is escaped */
};

/* "digest  name" */
bool
digest_line_add(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES],
		const char *name, struct digest_line_style style);

enum digest_result {
	DIGEST_OK,
	DIGEST_FAILED,
	DIGEST_UNREADABLE /* "FAILED open or read" */
};

/*
 * "name: OK", a line of --check.  The name is quoted as in messages, so that a
 * list from elsewhere cannot send control codes to the terminal.
 */
bool
digest_line_add_result(struct text *text, const char *name,
		       enum digest_result result);

/* "name: NOT LISTED" or, if `from` is a name, "name: MOVED from name": a line
 * of --unlisted, with names quoted in the same way. */
bool
digest_line_add_unlisted(struct text *text, const char *name, const char *from);

/* "name: WORDS" or "name: WORDS from": a line of --update --in-place. */
bool
digest_line_add_change(struct text *text, const char *name, const char *words,
		       const char *from);

#endif
