/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line is cut into tokens, each with its column, its value, and
 * whether it touches what is before it; or there is one message with a column.
 */
#include "config.h"

#include "qpu/asm/lex.h"

#include <inttypes.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/message.h"
#include "qpu/asm/source.h"
#include "tests/support/tap.h"

/*
 * Tokens are written COLUMN KIND VALUE, with an apostrophe behind the column of
 * one that touches what is before it.  Kinds: n name, s suffix, d directive,
 * i integer, f float, l numeric label, q string (its value in its quotes),
 * o operator, and "$" for the end.
 */
/* clang-format off */
static const struct {
	const char *line, *tokens;
} rows[] = {
	{ "", "1 $" },
	{ "  \t", "4 $" },
	{ "# add", "1 $" },
	{ "// add", "1 $" },
	{ "add# x", "1 n add|4' $" },
	{ "add // x", "1 n add|5 $" },
	{ "a/b", "1 n a|2' o /|3' n b|4' $" },
	{ "a / /b", "1 n a|3 o /|5 o /|6' n b|7' $" },
	{ "\tadd r0, _r1", "2 n add|6 n r0|8' o ,|10 n _r1|13' $" },
	{ "a\v\f\rb", "1 n a|5 n b|6' $" },
	{ "Zz_9 x", "1 n Zz_9|6 n x|7' $" },

	/* Dots. */
	{ "add.ifz r0", "1 n add|4' s ifz|9 n r0|11' $" },
	{ "r0.8a.sf", "1 n r0|3' s 8a|6' s sf|9' $" },
	{ "f(x).8a", "1 n f|2' o (|3' n x|4' o )|5' s 8a|8' $" },
	{ "f(1) .8", "1 n f|2' o (|3' i 1|4' o )|6 f 0.8|8' $" },
	{ ".set x, .5", "1 d set|6 n x|7' o ,|9 f 0.5|11' $" },
	{ "x .set", "1 n x|3 d set|7' $" },
	{ "(.5", "1 o (|2' f 0.5|4' $" },
	{ ":.5x", "1 o :|2' n 5x|5' $" },
	{ ":.l .l", "1 o :|2' n l|5 d l|7' $" },
	{ "\"\".x", "1 q \"\"|3' d x|5' $" },
	{ "[.x", "1 o [|2' d x|4' $" },
	{ "x.5", "1 n x|2' s 5|4' $" },
	{ "_.x", "1 n _|2' s x|4' $" },

	/* Integers. */
	{ "0", "1 i 0|2' $" },
	{ "9 10", "1 i 9|3 i 10|5' $" },
	{ "0x1aF 0Xa", "1 i 431|7 i 10|10' $" },
	{ "0b110 0B1 0b0", "1 i 6|7 i 1|11 i 0|14' $" },
	{ "017 00 007", "1 i 15|5 i 0|8 i 7|11' $" },
	{ "18446744073709551615", "1 i 18446744073709551615|21' $" },
	{ "0xffffffffffffffff", "1 i 18446744073709551615|19' $" },
	{ "01777777777777777777777", "1 i 18446744073709551615|24' $" },
	{ "5)", "1 i 5|2' o )|3' $" },

	/* Floats. */
	{ "1. 1.5 15.25", "1 f 1|4 f 1.5|8 f 15.25|13' $" },
	{ "1e3 1E3 25e-2", "1 f 1000|5 f 1000|9 f 0.25|14' $" },
	{ "0.5 0e1 0E1", "1 f 0.5|5 f 0|9 f 0|12' $" },
	{ "1.5+2", "1 f 1.5|4' o +|5' i 2|6' $" },

	/* Numeric labels. */
	{ "1f 12b 0b", "1 l 1f|4 l 12b|8 l 0b|10' $" },
	{ "1f,", "1 l 1f|3' o ,|4' $" },
	{ ":1", "1 o :|2' i 1|3' $" },
	{ ":1f :2b", "1 o :|2' l 1f|5 o :|6' l 2b|8' $" },
	{ ":0_start", "1 o :|2' n 0_start|9' $" },
	{ ":12ab", "1 o :|2' n 12ab|6' $" },
	{ ":1fx :1b2", "1 o :|2' n 1fx|6 o :|7' n 1b2|10' $" },
	{ ":0x1g", "1 o :|2' n 0x1g|6' $" },
	{ "r:1c", "1 n r|2' o :|3' n 1c|5' $" },
	{ "1:", "1 i 1|2' o :|3' $" },

	/* Strings, and angle brackets behind .include. */
	{ "\"a b\"\"\" x", "1 q \"a b\"|6' q \"\"|9 n x|10' $" },
	{ "\"a//#\"", "1 q \"a//#\"|7' $" },
	{ ".include <./a b>", "1 d include|10 q <./a b>|17' $" },
	{ ".include<a>.b>", "1 d include|9' q <a>|12' d b|14' o >|15' $" },
	{ ".include <a", "1 d include|10 o <|11' n a|12' $" },
	{ ".includes <a>", "1 d includes|11 o <|12' n a|13' o >|14' $" },
	{ ".include x <a>", "1 d include|10 n x|12 o <|13' n a|14' o >|15' $" },
	{ "include <a>", "1 n include|9 o <|10' n a|11' o >|12' $" },
	{ "x.include <a>", "1 n x|2' s include|11 o <|12' n a|13' o >|14' $" },
	{ "<a>", "1 o <|2' n a|3' o >|4' $" },

	/* The longest operator is taken. */
	{ "!^^!^!==!=!",
	  "1 o !^^|4' o !^|6' o !==|9' o !=|11' o !|12' $" },
	{ "===== <=> <<< << <= <",
	  "1 o ===|4' o ==|7 o <=>|11 o <<<|15 o <<|18 o <=|21 o <|22' $" },
	{ ">>> >>< >> ><< >= >",
	  "1 o >>>|5 o >><|9 o >>|12 o ><<|16 o >=|19 o >|20' $" },
	{ "&&& ||| ^^^ *** :::",
	  "1 o &&|3' o &|5 o |||7' o ||9 o ^^|11' o ^|13 o **|15' o *|17 o ::|"
	  "19' o :|20' $" },
	{ "()[],;+-/%~=",
	  "1 o (|2' o )|3' o [|4' o ]|5' o ,|6' o ;|7' o +|8' o -|9' o /|10' o %|"
	  "11' o ~|12' o =|13' $" },

	/* Messages: COLUMN, number and text. */
	{ "a @", "3 E101 unexpected character" },
	{ "a\1", "2 E101 unexpected character" },
	{ "\303\251", "1 E101 unexpected character" },
	{ "a b.", "4 E103 a suffix is missing after the dot" },
	{ "a. b", "2 E103 a suffix is missing after the dot" },
	{ "a().", "4 E103 a suffix is missing after the dot" },
	{ " .", "2 E101 unexpected character" },
	{ "..a", "1 E101 unexpected character" },
	{ "[.", "2 E101 unexpected character" },
	{ "a \"b", "3 E103 string is not closed" },
	{ "\"", "1 E103 string is not closed" },
	{ " 1x", "2 E102 malformed number" },
	{ "1_", "1 E102 malformed number" },
	{ "0x", "1 E102 malformed number" },
	{ "1x5", "1 E102 malformed number" },
	{ "1b1", "1 E102 malformed number" },
	{ "0xg", "1 E102 malformed number" },
	{ "0x1g", "1 E102 malformed number" },
	{ "0b2", "1 E102 malformed number" },
	{ "0b12", "1 E102 malformed number" },
	{ "0b1f", "1 E102 malformed number" },
	{ "08", "1 E102 malformed number" },
	{ "018", "1 E102 malformed number" },
	{ "07f", "1 E102 malformed number" },
	{ "1fx", "1 E102 malformed number" },
	{ "a 1.5x", "3 E102 malformed number" },
	{ "1e", "1 E102 malformed number" },
	{ "1e+", "1 E102 malformed number" },
	{ ".5_", "1 E102 malformed number" },
	{ ": 1x", "3 E102 malformed number" },
	{ "1abc", "1 E102 malformed number" },
	{ "18446744073709551616", "1 E102 number needs more than 64 bits" },
	{ "18446744073709551616f", "1 E102 number needs more than 64 bits" },
	{ "0x10000000000000000", "1 E102 number needs more than 64 bits" },
	{ "02000000000000000000000", "1 E102 number needs more than 64 bits" },
};
/* clang-format on */

static int
print_value(const struct asm_token *token, char *text, size_t size)
{
	char op[5] = "";
	unsigned len = 0;

	for (int shift = 24; shift >= 0; shift -= 8)
		if (token->op >> shift & 0xff)
			op[len++] = token->op >> shift & 0xff;
	switch (token->type) {
	case ASM_TOK_NAME: return snprintf(text, size, " n %s", token->text);
	case ASM_TOK_SUFFIX: return snprintf(text, size, " s %s", token->text);
	case ASM_TOK_DIRECTIVE:
		return snprintf(text, size, " d %s", token->text);
	case ASM_TOK_INT:
		return snprintf(text, size, " i %" PRIu64 "%s", token->integer,
				op);
	case ASM_TOK_LOCAL:
		return snprintf(text, size, " l %" PRIu64 "%s", token->integer,
				op);
	case ASM_TOK_FLOAT: return snprintf(text, size, " f %g", token->real);
	case ASM_TOK_STRING:
		return snprintf(text, size, " q %c%s%s",
				token->op == '>' ? '<' : '"', token->text, op);
	case ASM_TOK_OP: return snprintf(text, size, " o %s", op);
	default: return snprintf(text, size, " $");
	}
}

static void
print_tokens(const struct asm_token *token, char *text, size_t size)
{
	size_t len = 0;

	for (;; token++) {
		len += snprintf(text + len, size - len, "%s%u%s",
				len ? "|" : "", token->column,
				token->touches ? "'" : "");
		len += print_value(token, text + len, size - len);
		if (token->type == ASM_TOK_END)
			return;
	}
}

static void
check_row(size_t row)
{
	struct asm_arena arena = { .used = 0 };
	struct asm_messages messages = { .limit = 20 };
	const struct asm_line line = {
		.text = rows[row].line,
		.file = "t",
		.number = 7,
	};
	char text[1024] = "";

	if (setjmp(arena.exhausted)) {
		ok(false, "there is memory");
		return;
	}
	const struct asm_token *tokens = asm_lex(&arena, &messages, &line);
	if (tokens)
		print_tokens(tokens, text, sizeof(text));
	else if (messages.nrows == 1)
		snprintf(text, sizeof(text), "%u E%u %s",
			 messages.rows->diag.column, messages.rows->diag.rule,
			 messages.rows->diag.text);
	is(text, rows[row].tokens, "tokens of row %zu", row);
	ok(tokens ? !messages.nerrors :
		    messages.nerrors == 1 && messages.rows->diag.line == 7 &&
			    messages.rows->severity == ASM_ERROR,
	   "with one error on its line, or none");
	asm_arena_free(&arena);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	return tap_done();
}
