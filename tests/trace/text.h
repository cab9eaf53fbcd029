/* SPDX-License-Identifier: MIT */
/*
 * text: what the functions of the room write into a stream, as a string.
 */
#ifndef TESTS_TRACE_TEXT_H
#define TESTS_TRACE_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/tap.h"

static char *written;
static size_t written_bytes;

static FILE *
text_begin(void)
{
	FILE *stream = open_memstream(&written, &written_bytes);

	if (!stream)
		exit(99);
	return stream;
}

/* Compare, and forget. */
static void
text_is(FILE *stream, const char *expected, const char *what)
{
	if (fclose(stream) != 0)
		exit(99);
	is(written, expected, "%s", what);
	free(written);
	written = NULL;
}

#endif
