/* SPDX-License-Identifier: MIT */
/*
 * Promise: expressions have the values and the precedence of C's, with the
 * operators that vc4asm adds; 64 bits wide, and wrapping.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "tests/support/tap.h"

/* clang-format off */
static const struct {
	const char *text;
	int64_t value;
} integers[] = {
	/* Numbers. */
	{ "0", 0 }, { "10", 10 }, { "0x1aF", 0x1af }, { "0X10", 16 },
	{ "0b101", 5 }, { "017", 15 }, { "18446744073709551615", -1 },
	{ "0xffffffffffffffff", -1 }, { "01777777777777777777777", -1 },
	{ "0b1111111111111111111111111111111111111111111111111111111111111111",
	  -1 },

	/* One operator. */
	{ "7 + 5", 12 }, { "7 - 9", -2 }, { "7 * -5", -35 },
	{ "0x7fffffffffffffff + 1", INT64_MIN },
	{ "-0x7fffffffffffffff - 2", INT64_MAX },
	{ "0x100000001 * 0x100000001", 0x200000001 },
	{ "17 / 5", 3 }, { "-17 / 5", -3 }, { "17 % 5", 2 }, { "-17 % 5", -2 },
	{ "(-0x7fffffffffffffff - 1) / -1", INT64_MIN },
	{ "7 / -1", -7 }, { "7 % -1", 0 },
	{ "(-0x7fffffffffffffff - 1) % -1", 0 },
	{ "12 & 10", 8 }, { "12 | 10", 14 }, { "12 ^ 10", 6 },
	{ "12 !^ 10", -7 },
	{ "~5", -6 }, { "-5", -5 }, { "+5", 5 }, { "!5", 0 }, { "!0", 1 },
	{ "!0.0", 1 }, { "!0.5", 0 }, { "- -5", 5 }, { "!!7", 1 },
	{ "2 ** 0", 1 }, { "2 ** 1", 2 }, { "3 ** 5", 243 },
	{ "(-2) ** 3", -8 }, { "2 ** 63", INT64_MIN }, { "2 ** 64", 0 },
	{ "1 ** -3", 1 }, { "(-1) ** -3", -1 }, { "(-1) ** -4", 1 },
	{ "2 ** -1", 0 }, { "0 ** 0", 1 },

	/* Shifts by any count. */
	{ "1 << 4", 16 }, { "1 << 63", INT64_MIN }, { "1 << 64", 0 },
	{ "3 << -1", 1 }, { "16 >> 4", 1 }, { "-16 >> 2", -4 },
	{ "-1 >> 63", -1 }, { "-1 >> 64", -1 }, { "-1 >> 65", -1 },
	{ "5 >> 63", 0 }, { "5 >> 64", 0 }, { "5 >> -1", 10 },
	{ "-1 <<< 4", -16 }, { "-1 >>> 60", 15 }, { "-1 >>> 63", 1 },
	{ "-1 >>> 64", 0 }, { "-1 <<< -60", 15 }, { "1 <<< 64", 0 },
	{ "0x80000001 >>< 1", 0xc0000000 }, { "0x80000001 ><< 1", 3 },
	{ "0x12345678 ><< 8", 0x34567812 }, { "0x12345678 ><< 0", 0x12345678 },
	{ "0x12345678 ><< 32", 0x12345678 },
	{ "0x12345678 ><< 31", 0x091a2b3c }, { "0x12345678 >>< 4", 0x81234567 },

	/* Comparisons. */
	{ "1 < 2", 1 }, { "2 < 2", 0 }, { "3 < 2", 0 },
	{ "1 > 2", 0 }, { "2 > 2", 0 }, { "3 > 2", 1 },
	{ "1 <= 2", 1 }, { "2 <= 2", 1 }, { "3 <= 2", 0 },
	{ "1 >= 2", 0 }, { "2 >= 2", 1 }, { "3 >= 2", 1 },
	{ "1 == 2", 0 }, { "2 == 2", 1 }, { "1 != 2", 1 }, { "2 != 2", 0 },
	{ "1 <=> 2", -1 }, { "2 <=> 2", 0 }, { "3 <=> 2", 1 },
	{ "-1 < 1", 1 }, { "1.5 <=> 1", 1 }, { "1 <=> 1.5", -1 },
	{ "1 == 1.0", 1 }, { "1 === 1.0", 0 }, { "1 === 1", 1 },
	{ "1 === 2", 0 }, { "1 !== 1.0", 1 }, { "1 !== 1", 0 },
	{ "1 !== 2", 1 }, { "1.0 === 1.0", 1 },
	{ "0x7fffffffffffffff == 0x7ffffffffffffffe", 0 },

	/* Logic. */
	{ "2 && 3", 1 }, { "2 && 0", 0 }, { "0 && 2", 0 }, { "0 && 0", 0 },
	{ "2 || 3", 1 }, { "2 || 0", 1 }, { "0 || 2", 1 }, { "0 || 0", 0 },
	{ "2 ^^ 3", 0 }, { "2 ^^ 0", 1 }, { "0 ^^ 2", 1 }, { "0 ^^ 0", 0 },
	{ "2 !^^ 3", 1 }, { "2 !^^ 0", 0 }, { "0 !^^ 0", 1 },
	{ "0.5 && 0.25", 1 }, { "0.0 || 0", 0 },

	/* Each level binds closer than the next one. */
	{ "2 ** 3 ** 2", 64 }, { "2 * 3 ** 2", 18 }, { "3 ** 2 * 2", 18 },
	{ "-2 ** 2", 4 }, { "1 + 2 * 3", 7 }, { "2 * 3 + 1", 7 },
	{ "12 / 3 * 2", 8 }, { "7 % 4 * 2", 6 }, { "2 + 7 % 4", 5 },
	{ "2 + 8 / 4", 4 }, { "9 - 3 - 2", 4 }, { "9 - 3 + 2", 8 },
	{ "1 << 2 + 1", 8 }, { "1 + 1 << 2", 8 }, { "16 >> 1 + 1", 4 },
	{ "1 <<< 2 + 1", 8 }, { "16 >>> 2 - 1", 8 },
	{ "1 ><< 1 + 1", 4 }, { "8 >>< 1 + 1", 2 },
	{ "1 << 2 < 5", 1 }, { "5 > 1 << 2", 1 }, { "4 <= 1 << 2", 1 },
	{ "1 << 2 >= 4", 1 }, { "1 << 1 <=> 2", 0 },
	{ "2 == 1 < 5", 0 }, { "1 == 2 > 1", 1 }, { "0 != 2 <= 1", 0 },
	{ "0 === 2 <= 1", 1 }, { "0 !== 2 >= 3", 0 },
	{ "6 & 4 == 4", 0 }, { "4 == 4 & 6", 0 }, { "3 & 1 != 0", 1 },
	{ "1 ^ 3 & 1", 0 }, { "3 & 1 ^ 1", 0 }, { "1 !^ 3 & 1", -1 },
	{ "1 | 3 ^ 2", 1 }, { "3 ^ 2 | 2", 3 },
	{ "1 && 2 | 1", 1 }, { "0 | 2 && 1", 1 }, { "4 | 1 && 0", 0 },
	{ "1 ^^ 1 && 0", 1 }, { "0 && 1 ^^ 1", 1 }, { "1 !^^ 1 && 0", 0 },
	{ "1 || 1 ^^ 1", 1 }, { "1 ^^ 0 || 1", 1 }, { "1 ^^ 1 || 1", 1 },
	{ "(1 + 2) * 3", 9 }, { "-(1 + 2)", -3 }, { "~1 + 1", -1 },

	/* Functions. */
	{ "abs(-5)", 5 }, { "abs 5", 5 }, { "ceil 1.25", 2 },
	{ "ceil(-1.25)", -1 }, { "floor 1.75", 1 }, { "floor(-1.25)", -2 },
	{ "floor(7)", 7 }, { "abs(-3) + 1", 4 },
	{ "ceil 4611686018427387392.0", INT64_C(4611686018427387392) },
	{ "floor(-4611686018427387392.0)", INT64_C(-4611686018427387392) },
	{ "abs(-0x8000000000000000)", INT64_MIN }, { "abs 0", 0 },
	{ "abs(-1)", 1 }, { "ceil 3", 3 }, { "sacq(0) == sacq0", 1 },
	{ "sacq(15) == sacq15", 1 }, { "srel(0) == srel0", 1 },
	{ "(((1)))", 1 }, { "-(-(1))", 1 },

	/* Registers, semaphores and elements compare, too. */
	{ "ra1 == ra1", 1 }, { "ra1 == ra2", 0 }, { "ra1 == rb1", 0 },
	{ "ra1 + 2 == ra3", 1 }, { "rb31 - 31 == rb0", 1 },
	{ "r0 + 3 == r3", 1 }, { "r3 - 3 == r0", 1 }, { "r1 << 2 == r1", 0 },
	{ "r1 << 2 == r1 >> 14", 1 }, { "r1 << r5 == r1 >> r5", 1 },
	{ "ra1.8a == ra1.8b", 0 }, { "ra1.8a == ra1.8a", 1 },
	{ "ra1 < ra2", 1 }, { "ra2 < ra1", 0 },
	{ "sacq3 == sacq2 + 1", 1 }, { "sacq3 == srel3", 0 },
	{ "srel3 < sacq3", 1 }, { "sacq(4) - 1 == sacq3", 1 },
	{ "srel15 == srel(15)", 1 }, { "5 == ra5", 0 },
};

static const struct {
	const char *text;
	double value;
} reals[] = {
	{ "1.5", 1.5 }, { "1.5e3", 1500 }, { ".25", 0.25 }, { "2e-1", 0.2 },
	{ "1.5 + 2", 3.5 }, { "2 - 0.5", 1.5 }, { "1.5 * 3", 4.5 },
	{ "1 / 2.0", 0.5 }, { "7.5 % 2", 1.5 }, { "2.0 ** 0.5", M_SQRT2 },
	{ "2 ** 0.5", M_SQRT2 }, { "1.5 << 3", 12 }, { "12.0 >> 3", 1.5 },
	{ "-1.5", -1.5 }, { "+1.5", 1.5 }, { "abs(-1.5)", 1.5 },
	{ "sqrt 2", M_SQRT2 }, { "exp 1", M_E }, { "exp2 3", 8 },
	{ "exp10 2", 100 }, { "log 1", 0 }, { "log2 8", 3 },
	{ "log10 1000", 3 }, { "cos 0", 1 }, { "sin 0", 0 }, { "tan 0", 0 },
	{ "4 * atan 1", M_PI }, { "2 * asin 1", M_PI }, { "acos 1", 0 },
	{ "cosh 0", 1 }, { "sinh 0", 0 }, { "tanh 0", 0 }, { "acosh 1", 0 },
	{ "exp 0", 1 }, { "log exp 2", 2 }, { "cosh 1", 1.5430806348152437 },
	{ "sinh 1", 1.1752011936438014 }, { "tanh 1", 0.7615941559557649 },
	{ "acosh 2", 1.3169578969248166 }, { "asinh 1", 0.881373587019543 },
	{ "atanh 0.5", 0.5493061443340548 }, { "erf 1", 0.8427007929497149 },
	{ "erfc 1", 0.15729920705028513 }, { "tan 1", 1.5574077246549023 },
	{ "sin 1", 0.8414709848078965 }, { "cos 1", 0.5403023058681398 },
	{ "acos 0.5", 1.0471975511965979 }, { "log 2", M_LN2 },
	{ "abs(-0.5)", 0.5 }, { "abs 0.5", 0.5 },
	{ "asinh 0", 0 }, { "atanh 0", 0 }, { "erf 0", 0 }, { "erfc 0", 1 },
};

/* IEEE 754 binary16, by its definition. */
static const struct {
	const char *text;
	uint16_t bits;
} halves[] = {
	{ "0.0", 0 }, { "-0.0", 0x8000 }, { "1", 0x3c00 }, { "-2", 0xc000 },
	{ "65504.0", 0x7bff }, { "65519.0", 0x7bff }, { "65520.0", 0x7c00 },
	{ "-65520.0", 0xfc00 }, { "1.0 / 0.0", 0x7c00 },
	{ "sqrt(-1.0) * 0.0 + abs(0.0 / 0.0)", 0x7e00 },
	{ "0.00006103515625", 0x0400 },		/* 2^-14, the least normal */
	{ "0.000060975551605224609375", 0x03ff },
	{ "5.9604644775390625e-8", 1 },		/* 2^-24, the least of all */
	{ "2.98023223876953125e-8", 0 },	/* half of it: to even */
	{ "8.94069671630859375e-8", 2 },	/* 1.5 times: to even */
	{ "1.00048828125", 0x3c00 },		/* 1 + 2^-11: to even */
	{ "1.00146484375", 0x3c02 },		/* 1 + 3 * 2^-11: to even */
	{ "1.9998", 0x4000 },			/* carries into the exponent */
};

/* What the queries are asked about. */
static const char *const values[] = {
	"1", "16", "0.5", "0.3", "ra1", "rb1", "r0", "r4", "r5", "unif", "t0s",
	"vw_setup", "vr_setup", "elem_num", "qpu_num", "ra32", "-",
	"[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", "sacq1", "srel1", ":x",
	"0x100000000", "-16",
};

/* One answer for each value. */
static const struct {
	const char *name, *answers;
} queries[] = {
	{ "isConstant",   "11110000000000000000011" },
	{ "isRegister",   "00001111111111111000000" },
	{ "isRegfileA",   "00001000000011010000000" },
	{ "isRegfileB",   "00000100000100100000000" },
	{ "isAccu",       "00000011100000000000000" },
	{ "isReadable",   "00001111110001111000000" },
	{ "isWritable",   "00001110001110011000000" },
	{ "isLdPE",       "00000000000000000100000" },
	{ "isSemaphore",  "00000000000000000011000" },
	{ "isLabel",      "00000000000000000000100" },
	{ "isSmallImmd",  "10100000000000000000001" },
};
/* clang-format on */

/* What ".directive text" places; ~0 and a note when it is refused. */
static uint64_t
place(const char *directive, const char *text)
{
	struct qpu_asm_program program;
	uint64_t word = ~UINT64_C(0);
	char source[256];

	const int len =
		snprintf(source, sizeof(source), ".%s %s", directive, text);
	if (qpu_asm_text("t", source, len, NULL, &program))
		word = program.words[0].word;
	else
		tap_note("%s: %s", source, program.messages[0].diag.text);
	qpu_asm_free(&program);
	return word;
}

static bool
is_refused(const char *text)
{
	struct qpu_asm_program program;
	char source[256];

	const int len = snprintf(source, sizeof(source), ".long %s", text);
	const bool good = qpu_asm_text("t", source, len, NULL, &program);
	qpu_asm_free(&program);
	return !good;
}

/* clang-format off */
static const char *const refused[] = {
	"18446744073709551616", "0x10000000000000000",
	"0b10000000000000000000000000000000000000000000000000000000000000000",
	"02000000000000000000000", "08", "0x", "12x", "1.5x",
	"1 / 0", "1 % 0", "1.5 & 1", "1.5 >>> 1", "~1.5",
	"ceil 1e19", "abs ra1", "-ra1", "!ra1", "~ra1", "ra1 && 1", "1 || ra1",
	"ra1 * 2 == ra2", "ra31 + 1 == ra31", "ra0 - 1 == ra0", "r3 + 1 == r3",
	"r0 - 1 == r0", "r4 + 0 == r4", "unif + 1 == unif", "ra1 + 65 == ra1",
	"ra1 + 1.0 == ra2", "ra1 << 1.0 == ra1", "ra1 << r4 == ra1",
	"sacq15 + 1 == sacq0", "sacq0 - 1 == sacq0", "sacq1 * 1 == sacq1",
	"sacq1 + 1.0 == sacq2", "sacq16 == sacq15", "sacq01 == sacq1",
	"ra64 == ra1", "ra01 == ra1", "ra100 == ra1", "r6 == r5", "xa5 == ra5",
	"1 +", "(1", "1 2", ")", "", "f(1)",
};
/* clang-format on */

static void
check_query(size_t row)
{
	char answers[sizeof(values) / sizeof(*values) + 1] = "";

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char source[128];
		struct qpu_asm_program program;
		const int len = snprintf(source, sizeof(source),
					 ":x .long %s(%s)", queries[row].name,
					 values[i]);
		const bool good =
			qpu_asm_text("t", source, len, NULL, &program);

		answers[i] = good ? '0' + (char)program.words[0].word : '?';
		qpu_asm_free(&program);
	}
	is(answers, queries[row].answers, "%s answers", queries[row].name);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		check_query(i);
	for (size_t i = 0; i < sizeof(integers) / sizeof(*integers); i++) {
		const uint64_t word = place("long", integers[i].text);

		if (!ok(word == (uint64_t)integers[i].value, "%s is %" PRId64,
			integers[i].text, integers[i].value))
			tap_note("got %" PRId64, (int64_t)word);
	}
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		const uint64_t word = place("double", reals[i].text);
		double value;

		memcpy(&value, &word, sizeof(value));
		ok(fabs(value - reals[i].value) < 1e-12, "%s is %g",
		   reals[i].text, reals[i].value);
	}
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++) {
		const uint64_t word = place("half", halves[i].text);

		/* The sign of a NaN is not our business. */
		const uint16_t mask = halves[i].bits == 0x7e00 ? 0x7fff :
								 0xffff;
		if (!ok((word & mask) == halves[i].bits && word >> 16 == 0,
			"half of %s is %04x", halves[i].text, halves[i].bits))
			tap_note("got %016llx", (unsigned long long)word);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		ok(is_refused(refused[i]), "'%s' is refused", refused[i]);
	return tap_done();
}
