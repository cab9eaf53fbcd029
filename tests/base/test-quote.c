/* SPDX-License-Identifier: MIT */
/*
 * Promise: names are quoted in diagnostics as GNU quotes them, byte for byte,
 * in the C locale and in UTF-8.  (Whole messages that GNU has printed are in
 * tests/cli/differential/names.rows; `make soak` compares random
 * names.)
 */
#include "config.h"

#include "src/base/quote.h"

#include <errno.h>
#include <locale.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

struct row {
	const char *name, *expected;
};

static const struct row rows_everywhere[] = {
	{ "plain", "plain" },
	{ "a.b-c_d,e+f%g@h]i", "a.b-c_d,e+f%g@h]i" },
	{ "", "''" },
	{ "no such", "'no such'" },
	{ "it's", "\"it's\"" },
	{ "a'$", "'a'\\''$'" },
	{ "a:b", "'a:b'" },
	{ "#a", "'#a'" },
	{ "a#~", "a#~" },
	{ "~", "'~'" },
	{ "~'", "\"~'\"" },
	{ "'~", "''\\''~'" },
	{ "{", "'{'" },
	{ "{}", "{}" },
	{ "{'", "'{'\\'''" },
	{ "a\\b", "'a\\b'" },
	{ "a\nb", "'a'$'\\n''b'" },
	{ "\n", "''$'\\n'" },
	{ "\a\b\t\n\v\f\r", "''$'\\a\\b\\t\\n\\v\\f\\r'" },
	{ "\001"
	  "1\177",
	  "''$'\\001''1'$'\\177'" },
	{ "'\n", "''\\'''$'\\n'" },
	{ "a'\n", "'a'\\'''$'\\n'" },
	{ "\n'\n", "''$'\\n'\\'''$'\\n'" },
	{ "\n'", "''$'\\n'\\'''" },
	{ "\303", "''$'\\303'" },
	{ "\300\200", "''$'\\300\\200'" },
	{ "\346\227'", "''$'\\346\\227'\\'''" },
};

static const struct row rows_c[] = {
	{ "\303\251", "''$'\\303\\251'" },
	{ "\303\251'", "''$'\\303\\251'\\'''" },
};

static const struct row rows_utf8[] = {
	{ "\303\251", "\303\251" },
	{ "\303\251'", "\"\303\251'\"" },
	{ "\303\251 ", "'\303\251 '" },
	{ "\342\200\250", "''$'\\342\\200\\250'" },
	{ "\346\227\303\251", "''$'\\346\\227''\303\251'" },
	{ "\360\237\230\200", "\360\237\230\200" },
	{ "\355\240\200", "''$'\\355\\240\\200'" },
};

static void
check_rows(const struct row *rows, size_t n, const char *locale)
{
	struct text text = { 0 };

	for (size_t i = 0; i < n; i++)
		is(quote_name(&text, rows[i].name), rows[i].expected,
		   "a name is quoted as %s in %s", rows[i].expected, locale);
	text_free(&text);
}

#define CHECK_ROWS(rows, locale)                                               \
	check_rows(rows, sizeof(rows) / sizeof(*(rows)), locale)

/* Without memory a name is shown as it is. */
static void
check_scarcity(void)
{
	static const char *const ends[] = { "", " ", "'", "\n", "\n'", "' " };
	bool good = true;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		/* 128 bytes are the first piece of memory. */
		for (size_t len = 110; len < 128; len++)
			for (unsigned left = 0; left < 2; left++) {
				struct text text = { 0 };
				char name[140];

				memset(name, 'x', len);
				strcpy(name + len, ends[i]);
				const size_t needs =
					strlen(quote_name(&text, name));
				text_free(&text);
				fault_from(FAULT_realloc, left + 1, ENOMEM);
				const char *shown = quote_name(&text, name);
				fault_clear();
				good = good &&
				       (left && needs < 128) == (shown != name);
				text_free(&text);
			}
	ok(good, "without memory for the quotes a name is shown as it is");
}

int
main(void)
{
	struct text text = { 0 };
	locale_t utf8;

	uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	CHECK_ROWS(rows_everywhere, "C");
	CHECK_ROWS(rows_c, "C");
	check_scarcity();
	is(quote_name_always(&text, "x"), "'x'",
	   "a name that needs no quotes can be quoted");
	is(quote_name_always(&text, "it's"), "\"it's\"",
	   "a name that is always quoted has the quotes that fit");
	text_free(&text);
	utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8) {
		tap_skip("no locale C.UTF-8");
		return tap_done();
	}
	uselocale(utf8);
	CHECK_ROWS(rows_everywhere, "C.UTF-8");
	CHECK_ROWS(rows_utf8, "C.UTF-8");
	uselocale(LC_GLOBAL_LOCALE);
	freelocale(utf8);
	return tap_done();
}
