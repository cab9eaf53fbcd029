/* SPDX-License-Identifier: MIT */
/*
 * Promise: names are quoted in diagnostics as GNU quotes them, byte for byte,
 * in the C locale and in UTF-8.
 */
#include "config.h"

#include "src/base/quote.h"

#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
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
		   "%s in %s", rows[i].expected, locale);
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

enum { NAMES = 3000 };

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/*
 * A name of pieces that matter to quoting.  It exists nowhere.  Releases
 * before 9.7 quote a name with a single quote and an escape at its end in
 * another way; against such an oracle no name ends like that.
 */
static char *
random_name(uint32_t *seed, unsigned release)
{
	/* clang-format off */
	static const char *const pieces[] = {
		"a", "b1", "'", "'", "'", "\"", " ", ":", "\n", "\n", "\t",
		"\033", "\177", "\\", "$", "#", "~", "{", "}", "!", "`", "=",
		"[", "]", "?", "*", "(", "&", ";", "|", "<", "^", "%", "-",
		".", "/", "\303\251", "\346\227\245", "\360\237\230\200",
		"\303", "\346\227", "\200", "\377", "\302\205",
		"\342\200\250", "\302\240", "\355\240\200", "\314\201"
	};
	/* clang-format on */
	const size_t npieces = sizeof(pieces) / sizeof(*pieces);
	char name[64] = "";
	unsigned n = next_random(seed) % 7;

	while (n-- > 0) {
		char byte[2] = { (char)(1 + next_random(seed) % 255) };

		strcat(name, next_random(seed) % 8 ?
				     pieces[next_random(seed) % npieces] :
				     byte);
	}
	/* Not these: they exist. */
	if (strcmp(name, "-") == 0 || strspn(name, "./") == strlen(name))
		strcat(name, name[0] ? "!" : "");
	if (release < 7)
		strcat(name, "x");
	return strdup(name);
}

/* The next "sha256sum: QUOTED: reason" in the text, or NULL. */
static char *
next_quoted(char **text)
{
	static const char program[] = "sha256sum: ";
	static const char *const reasons[] = {
		": No such file or directory",
		": Not a directory",
		": Permission denied",
		": Is a directory",
	};
	char *line = strsep(text, "\n");

	if (!line || strncmp(line, program, sizeof(program) - 1) != 0)
		return NULL;
	line += sizeof(program) - 1;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		const size_t len = strlen(reasons[i]);

		if (strlen(line) >= len &&
		    strcmp(line + strlen(line) - len, reasons[i]) == 0) {
			line[strlen(line) - len] = '\0';
			return line;
		}
	}
	return NULL;
}

/* Thousands of names that do not exist, as the oracle complains of them. */
static void
check_oracle(const char *locale, unsigned release)
{
	static char *argv[NAMES + 3];
	struct oracle_call call = { .argv = argv, .locale = locale };
	struct capture capture;
	uint32_t seed = 2;
	unsigned good = 0;

	argv[0] = "sha256sum";
	argv[1] = "--";
	for (size_t i = 0; i < NAMES; i++)
		argv[2 + i] = random_name(&seed, release);
	capture_run(&capture, oracle_exec, &call, false);

	char *rest = capture.err.bytes;
	struct text text = { 0 };
	for (size_t i = 0; i < NAMES; i++) {
		const char *expected = next_quoted(&rest);

		if (!expected)
			break;
		if (strcmp(quote_name(&text, argv[2 + i]), expected) == 0)
			good++;
		else
			tap_note("got %s, expected %s", text.bytes, expected);
	}
	ok(good == NAMES, "%u of %d random names as GNU quotes them in %s",
	   good, NAMES, locale);

	for (size_t i = 0; i < NAMES; i++)
		free(argv[2 + i]);
	text_free(&text);
	capture_free(&capture);
}

int
main(void)
{
	struct text text = { 0 };
	const unsigned release = oracle_release();

	scratch_enter();
	setlocale(LC_ALL, "C");
	CHECK_ROWS(rows_everywhere, "C");
	CHECK_ROWS(rows_c, "C");
	check_scarcity();
	is(quote_name_always(&text, "x"), "'x'", "always quoted");
	is(quote_name_always(&text, "it's"), "\"it's\"", "quotes fit the name");
	text_free(&text);
	if (release)
		check_oracle("C", release);
	else
		tap_skip("no GNU sha256sum 9 to compare with");

	if (!setlocale(LC_ALL, "C.UTF-8")) {
		tap_skip("no locale C.UTF-8");
		return tap_done();
	}
	CHECK_ROWS(rows_everywhere, "C.UTF-8");
	CHECK_ROWS(rows_utf8, "C.UTF-8");
	if (release)
		check_oracle("C.UTF-8", release);
	return tap_done();
}
