/* SPDX-License-Identifier: MIT */
/*
 * digest_line: the lines of stdout, as GNU writes and escapes them.
 *
 * A line is added to a text, with its end (newline or zero).  Both verbs
 * return false when memory is short; the text is then as it was.
 */
#ifndef SRC_DIGEST_LINE_H
#define SRC_DIGEST_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/batch.h"
#include "src/text.h"

struct digest_line_style {
	bool binary;		/* '*' before the name; no meaning in a tag */
	bool tag;		/* SHA256 (name) = digest */
	bool zero;		/* ends with a zero, nothing is escaped */
};

/* "digest  name" */
bool
digest_line_add(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES],
		const char *name, struct digest_line_style style);

enum digest_result {
	DIGEST_OK,
	DIGEST_FAILED,
	DIGEST_UNREADABLE	/* "FAILED open or read" */
};

/* "name: OK", a line of check mode. */
bool
digest_line_add_result(struct text *text, const char *name,
		       enum digest_result result);

#endif
