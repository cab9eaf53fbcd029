/* SPDX-License-Identifier: MIT */
/*
 * plain: text from a file that others may have written, in messages.
 */
#ifndef SRC_BASE_PLAIN_H
#define SRC_BASE_PLAIN_H

#include <stdio.h>

/*
 * Write a text with '?' for each control character of ASCII but the tab, and
 * for those of ISO 6429 that UTF-8 has two bytes for (U+0080 to U+009F), so
 * that it cannot control a terminal.
 */
void
plain_put(const char *text, FILE *stream);

/* The same in place; the text may become shorter. */
void
plain_clean(char *text);

/* "FILE:LINE" */
void
plain_put_place(const char *file, unsigned line, FILE *stream);

#endif
