/* SPDX-License-Identifier: MIT */
/*
 * Promise: a known name is suggested for an unknown one that is at most one
 * letter away from it, or two if it has five letters or more.
 */
#include "config.h"

#include "qpu/asm/suggest.h"

#include <stddef.h>

#include "tests/support/tap.h"

enum { FAR = 99 }; /* too far away to be suggested */

/* clang-format off */
static const struct {
	const char *wanted, *known;
	unsigned distance;
} rows[] = {
	{ "fadd", "fadd", 0 },

	/* One letter is wrong, missing, too many, or swapped with the next. */
	{ "fadd", "xadd", 1 }, { "fadd", "faxd", 1 }, { "fadd", "fadx", 1 },
	{ "fadd", "add", 1 }, { "fadd", "fad", 1 }, { "fadb", "fab", 1 },
	{ "fadd", "xfadd", 1 }, { "fadd", "faddx", 1 }, { "fadb", "faxdb", 1 },
	{ "abcd", "bacd", 1 }, { "abcd", "acbd", 1 }, { "abcd", "abdc", 1 },
	{ "ab", "ba", 1 }, { "aab", "aba", 1 },

	/* Two such changes. */
	{ "abcd", "xbcx", FAR }, { "abcd", "ab", FAR }, { "abcd", "abcdxx", FAR },
	{ "abcd", "badc", FAR }, { "abcd", "cbad", FAR }, { "abcd", "bcad", FAR },
	{ "abcd", "acxd", FAR }, { "abcd", "axdc", FAR },
	{ "abcde", "xbcdx", 2 }, { "abcde", "xxcde", 2 }, { "abcde", "abcxx", 2 },
	{ "abcde", "abc", 2 }, { "abcde", "cde", 2 }, { "abcde", "abcdexx", 2 },
	{ "abcde", "xxabcde", 2 }, { "abcde", "xbcd", 2 },
	{ "abcde", "badce", 2 }, { "abcde", "bcade", 2 }, { "abcde", "cbade", 2 },
	{ "abcdef", "xacbdef", 2 }, { "abcdef", "acbdexf", 2 },

	/* Three. */
	{ "abcde", "xbxdx", FAR }, { "abcde", "ab", FAR },
	{ "abcde", "abcdexxx", FAR }, { "abcde", "dbcad", FAR },
	{ "abcdef", "badcfe", FAR }, { "abcde", "xxabcd", FAR },

	/* The length of what is wanted decides, not that of the known one. */
	{ "abcd", "abcdef", FAR }, { "abcdef", "abcd", 2 },

	/* One letter says too little; names of 15 letters are the longest. */
	{ "a", "ab", FAR }, { "ab", "b", FAR }, { "ab", "cb", 1 },
	{ "ab", "abc", 1 }, { "", "ab", FAR }, { "ab", "", FAR },
	{ "abcdefghijklmno", "abcdefghijklmnx", 1 },
	{ "abcdefghijklmno", "abcdefghijklmxx", 2 },
	{ "abcdefghijklmno", "abcdefghijklmn", 1 },
	{ "abcdefghijklmn", "abcdefghijklmno", 1 },
	{ "abcdefghijklmno", "bacdefghijklmon", 2 },
	{ "abcdefghijklmno", "abcdefghijklmnop", FAR },
	{ "abcdefghijklmnop", "abcdefghijklmno", FAR },
	{ "abcdefghijklmnop", "abcdefghijklmnop", FAR },
};
/* clang-format on */

static void
check_row(size_t row)
{
	struct asm_suggestion suggestion = { .wanted = rows[row].wanted };
	const char *known = rows[row].known;

	asm_suggest_consider(&suggestion, known);
	if (rows[row].distance == FAR)
		ok(!suggestion.best, "'%s' is not suggested for '%s'", known,
		   rows[row].wanted);
	else if (!ok(suggestion.best == known &&
			     suggestion.distance == rows[row].distance,
		     "'%s' is suggested for '%s', from which it is %u away",
		     known, rows[row].wanted, rows[row].distance))
		tap_note("got %u", suggestion.distance);
}

static void
check_choice(void)
{
	struct asm_suggestion suggestion = { .wanted = "abcde" };

	asm_suggest_consider(&suggestion, NULL);
	ok(!suggestion.best, "no name is no suggestion");
	asm_suggest_consider(&suggestion, "xbcdx");
	is(suggestion.best, "xbcdx", "the first name that is near is taken");
	asm_suggest_consider(&suggestion, "axxde");
	is(suggestion.best, "xbcdx", "one that is as near comes too late");
	asm_suggest_consider(&suggestion, "xbcde");
	is(suggestion.best, "xbcde", "a nearer one takes its place");
	asm_suggest_consider(&suggestion, "abcxx");
	is(suggestion.best, "xbcde", "one that is further away does not");
	ok(suggestion.distance == 1, "the distance is that of the best");
}

static void
check_text(void)
{
	char text[65] = "old";
	char name[101] = "";

	memset(name, 'x', 100);
	asm_suggest_text(NULL, text);
	is(text, "", "without a suggestion there is no text");
	asm_suggest_text("fadd", text);
	is(text, "; did you mean 'fadd'?", "the suggestion is a question");
	text[64] = '~';
	asm_suggest_text(name, text);
	ok(strlen(text) == 63 && text[64] == '~',
	   "a long name is cut where the text ends");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_choice();
	check_text();
	return tap_done();
}
