/* SPDX-License-Identifier: MIT */
/*
 * text: bytes that grow: a quoted name, an output line.
 *
 * Start from {0}.  Unless the text is empty a zero byte stands behind its
 * end, so that a text without zeros in it is also a C string.  The verbs that
 * can run out of memory return false and leave the text as it was.
 */
#ifndef SRC_TEXT_H
#define SRC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes;
	size_t len;
	size_t capacity;	/* 0, or more than len */
};

bool
text_add(struct text *text, const void *bytes, size_t len);

/* As lower-case hexadecimal digits. */
bool
text_add_hex(struct text *text, const unsigned char *bytes, size_t len);

bool
text_add_string(struct text *text, const char *string);

/* Forget the bytes behind the first len, keep the memory. */
void
text_cut(struct text *text, size_t len);

/* Give the memory back; the text is {0} again. */
void
text_free(struct text *text);

#endif
