/* SPDX-License-Identifier: MIT */
/*
 * Promise: text from elsewhere reaches a terminal without control characters,
 * and whole.
 */
#include "config.h"

#include "src/base/plain.h"

#include <stdlib.h>

#include "tests/support/tap.h"

static const char *const rows[][2] = {
	{ "", "" },
	{ "a b\tc~", "a b\tc~" },
	{ "\001\010\n\r\033\037 ", "?????? " },
	{ "\177x\176", "?x\176" },
	/* C1: U+0080 to U+009F, and what is beside them. */
	{ "\302\200\302\237", "??" },
	{ "\302\240\302\177", "\302\240\302?" },
	{ "\303\200\301\200", "\303\200\301\200" },
	{ "\302", "\302" },
	{ "\302\200", "?" },
	{ "\342\202\254\377", "\342\202\254\377" },
};

/* The text that was written, and in how many pieces. */
static char got[4096];
static size_t got_len;
static unsigned pieces;

static ssize_t
take(void *cookie, const char *bytes, size_t len)
{
	(void)cookie;
	memcpy(got + got_len, bytes, len);
	got_len += len;
	got[got_len] = '\0';
	pieces++;
	return (ssize_t)len;
}

static FILE *
open_taker(void)
{
	FILE *stream = fopencookie(NULL, "w",
				   (cookie_io_functions_t){ .write = take });

	if (!stream || setvbuf(stream, NULL, _IONBF, 0) != 0)
		exit(99);
	got_len = pieces = 0;
	got[0] = '\0';
	return stream;
}

static void
test_long(size_t before, unsigned expected_pieces)
{
	char text[1024], expected[1024];
	FILE *stream = open_taker();

	memset(text, 'x', before);
	memcpy(expected, text, before);
	strcpy(text + before, "\302\205y");
	strcpy(expected + before, "?y");
	plain_put(text, stream);
	is(got, expected, "a control character after %zu bytes is replaced",
	   before);
	ok(pieces == expected_pieces, "a long text is written in few pieces");
	fclose(stream);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[64];
		FILE *stream = open_taker();

		plain_put(rows[i][0], stream);
		is(got, rows[i][1],
		   "text %zu is written without control characters", i);
		ok(pieces == (*rows[i][0] != '\0'),
		   "text %zu is written at once", i);
		fclose(stream);
		snprintf(text, sizeof(text), "%s", rows[i][0]);
		plain_clean(text);
		is(text, rows[i][1],
		   "text %zu loses its control characters in place", i);
	}
	test_long(253, 1);
	test_long(254, 1);
	test_long(255, 2);
	test_long(256, 2);
	test_long(510, 2);
	test_long(511, 3);

	FILE *stream = open_taker();
	plain_put_place("a\033b", 12, stream);
	is(got, "a?b:12", "a place is a file and a line");
	fclose(stream);
	return tap_done();
}
