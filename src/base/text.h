/* SPDX-License-Identifier: MIT */
/*
 * text: a string that grows: a quoted name, an output line.
 *
 * Start from {0}.  A text that is not empty ends with a zero byte beyond len,
 * so that one without zeros in it is also a C string.  Functions that can run
 * out of memory return false and leave the text as it was.
 */
#ifndef SRC_BASE_TEXT_H
#define SRC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes;
	size_t len;
	size_t capacity; /* 0, or more than len */
};

bool
text_add(struct text *text, const void *bytes, size_t len);

/* Add bytes as lower-case hexadecimal digits. */
bool
text_add_hex(struct text *text, const unsigned char *bytes, size_t len);

bool
text_add_string(struct text *text, const char *string);

/* Keep the first len bytes, and the memory. */
void
text_cut(struct text *text, size_t len);

/* Give the memory back; the text is {0} again. */
void
text_free(struct text *text);

/*
 * Put '?' for each control character of ASCII but the tab, and for U+0080 to
 * U+009F (ISO 6429), so that text from a foreign file cannot control a terminal.
 * It may become shorter.
 */
void
text_clean(char *text);

#endif
