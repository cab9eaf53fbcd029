/* SPDX-License-Identifier: MIT */
/*
 * report-text: what a report says that was printed to a temporary file.
 */
#ifndef TESTS_HARDWARE_REPORT_TEXT_H
#define TESTS_HARDWARE_REPORT_TEXT_H

#include <stdio.h>

/* The text of a stream from its beginning; the stream is closed. */
static const char *
report_text(FILE *stream, char *text, size_t size)
{
	rewind(stream);
	text[fread(text, 1, size - 1, stream)] = '\0';
	fclose(stream);
	return text;
}

#endif
