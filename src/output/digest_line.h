/* SPDX-License-Identifier: MIT */
/*
 * digest_line: a line of a list, as GNU writes and escapes it.
 */
#ifndef SRC_OUTPUT_DIGEST_LINE_H
#define SRC_OUTPUT_DIGEST_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/fips180.h"
#include "src/base/text.h"

struct digest_line_style {
	bool binary; /* '*' before the name; no meaning in a tag */
	bool tag;    /* SHA256 (name) = digest */
	bool zero;   /* ends with a zero, nothing is escaped */
};

/* Add "digest  name" with its end (newline or NUL).  Return false if memory is
 * short; the line is incomplete then. */
bool
digest_line_add(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES],
		const char *name, struct digest_line_style style);

#endif
