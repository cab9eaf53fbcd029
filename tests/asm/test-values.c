/* SPDX-License-Identifier: MIT */
/*
 * Promise: operators take the operands that fit them, whatever their kinds,
 * and refuse others with the reason, at the operator.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <inttypes.h>

#include "qpu/asm/lex.h"
#include "qpu/asm/value.h"
#include "tests/support/tap.h"

#define ELEMENTS_0 "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
#define ELEMENTS_1 "[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"

#define NEEDS_NUMBER "this operator needs a number"
#define NEEDS_INTEGERS "this operator needs integers"
#define NO_FIT "these operands do not fit the operator"
#define REGISTER "a register takes + n, - n, << n, >> n, << r5 or >> r5 only"
#define LABEL "a label takes + n and - n, two labels only -"
#define SEMAPHORE "semaphores are numbered 0 to 15"

/* clang-format off */
static const struct {
	const char *text;
	unsigned column;
	const char *reason;
} refused[] = {
	{ "-ra1", 1, NEEDS_NUMBER }, { "!ra1", 1, NEEDS_NUMBER },
	{ "~ra1", 1, NEEDS_NUMBER }, { "5 + -sacq1", 5, NEEDS_NUMBER },
	{ "~1.5", 1, "~ needs an integer" },
	{ "1 / 0", 3, "division by zero" }, { "1 % 0", 3, "division by zero" },
	{ "1.5 & 1", 5, NEEDS_INTEGERS }, { "1 | 1.5", 3, NEEDS_INTEGERS },
	{ "1.5 ^ 1", 5, NEEDS_INTEGERS }, { "1 !^ 1.5", 3, NEEDS_INTEGERS },
	{ "1.5 <<< 1", 5, NEEDS_INTEGERS }, { "1.5 >>> 1", 5, NEEDS_INTEGERS },
	{ "1.5 ><< 1", 5, NEEDS_INTEGERS }, { "1.5 >>< 1", 5, NEEDS_INTEGERS },
	{ "1 && ra1", 3, NO_FIT }, { "1 + ra1", 3, NO_FIT },
	{ "1.5 + ra1", 5, NO_FIT }, { "1.5 + :x", 5, NO_FIT },
	{ "1 - :x", 3, NO_FIT }, { "1 * :x", 3, NO_FIT },
	{ "1 + sacq1", 3, NO_FIT }, { ELEMENTS_0 " + 1", 35, NO_FIT },
	{ "1 || " ELEMENTS_0, 3, NO_FIT }, { "1.0 !^^ ra1", 5, NO_FIT },

	/* Registers. */
	{ "ra1 && 1", 5, REGISTER }, { "ra1 * 2", 5, REGISTER },
	{ "ra1 + 1.0", 5, REGISTER }, { "ra1 - ra1", 5, REGISTER },
	{ "ra1 << 1.0", 5, REGISTER }, { "ra1 << r4", 5, REGISTER },
	{ "ra1 + r5", 5, REGISTER }, { "ra1 <<< 1", 5, REGISTER },
	{ "ra31 + 1", 6, "no such register" }, { "ra0 - 1", 5, "no such register" },
	{ "rb5 + 27", 5, "no such register" }, { "rb5 - 6", 5, "no such register" },
	{ "r3 + 1", 4, "no such register" }, { "r0 - 1", 4, "no such register" },
	{ "r4 + 0", 4, "no such register" }, { "r5 - 1", 4, "no such register" },
	{ "r4 - 1", 4, "no such register" },
	{ "unif + 0", 6, "no such register" }, { "t0s - 40", 5, "no such register" },
	{ "ra32 + 0", 6, "no such register" }, { "ra32 - 1", 6, "no such register" },
	{ "ra1 + 0x7fffffffffffffff", 5, "no such register" },
	{ "ra1 - (-0x7fffffffffffffff - 1)", 5, "no such register" },
	{ "ra1 + 0x100000000", 5, "no such register" },

	/* Semaphores. */
	{ "sacq15 + 1", 8, SEMAPHORE }, { "sacq0 - 1", 7, SEMAPHORE },
	{ "srel5 + 11", 7, SEMAPHORE }, { "srel5 - 6", 7, SEMAPHORE },
	{ "sacq1 + 1.0", 7, NO_FIT }, { "sacq1 * 1", 7, NO_FIT },
	{ "sacq1 - sacq1", 7, NO_FIT }, { "sacq1 && 1", 7, NO_FIT },

	/* Labels. */
	{ ":x * 2", 4, LABEL }, { ":x + :x", 4, LABEL }, { ":x - 1.0", 4, LABEL },
	{ ":x && 1", 4, LABEL }, { ":x + ra1", 4, LABEL }, { "-:x", 1, NEEDS_NUMBER },
};

static const struct {
	const char *text;
	int64_t value;
} taken[] = {
	{ "+ra1 == ra1", 1 }, { "+sacq1 == sacq1", 1 },
	{ "ra5 + 26 == ra31", 1 }, { "ra5 - 5 == ra0", 1 },
	{ "ra0 + 31 == ra31", 1 }, { "ra31 - 31 == ra0", 1 },
	{ "ra5 - -1 == ra6", 1 }, { "ra5 + -1 == ra4", 1 },
	{ "ra31 + 0 == ra31", 1 }, { "rb7 + 1 == rb8", 1 },
	{ "r1 + 1 == r2", 1 }, { "r0 + 3 == r3", 1 }, { "r3 - 3 == r0", 1 },
	{ "r2 - 1 == r0", 0 },
	{ "(ra1 << 3) + 1 == ra2 << 3", 1 }, { "ra1.8a + 1 == ra2.8a", 1 },
	{ "srel5 + 10 == srel15", 1 }, { "srel5 - 5 == srel0", 1 },

	/* Rotations are taken modulo 16. */
	{ "r1 << 17 == r1 << 1", 1 }, { "r1 << 16 == r1", 1 },
	{ "r1 << -3 == r1 >> 3", 1 }, { "r1 >> 5 == r1 << 11", 1 },
	{ "r1 >> 5 == r1 << 5", 0 }, { "r1 << 8 == r1 >> 8", 1 },
	{ "r1 << r5 == r1 << 1", 0 },

	/* Registers are equal when all that belongs to them is. */
	{ "t0s == t0t", 0 }, { "r4 == r5", 0 }, { "r4 == r4", 1 },
	{ "vr_busy == vw_busy", 0 }, { "vr_setup == vw_setup", 0 },
	{ "vr_busy == vr_busy", 1 }, { "elem_num == irq", 0 },
	{ "ra1 << 1 == ra1", 0 }, { "ra1.16a == ra1", 0 },
	{ "unif == ra32", 0 }, { "ra1 != ra1", 0 }, { "ra1 != rb1", 1 },

	/* Their order is that of their addresses. */
	{ "ra1 < ra2", 1 }, { "ra2 < ra1", 0 }, { "ra1 > rb1", 1 },
	{ "ra1 <=> ra2", -1 }, { "ra2 <=> ra1", 1 }, { "ra1 <=> ra1", 0 },
	{ "ra1 <=> ra1.8a", 1 },

	/* Kinds: numbers, elements, registers, semaphores, labels. */
	{ "5 <=> " ELEMENTS_0, -1 }, { ELEMENTS_0 " <=> 5.0", 1 },
	{ ELEMENTS_0 " <=> ra1", -1 }, { "ra1 <=> sacq1", -1 },
	{ "sacq1 <=> ra1", 1 }, { "sacq1 <=> :x", -1 }, { ":x <=> 5", 1 },
	{ "5 <=> :x", -1 }, { "5 === ra5", 0 }, { "5 !== ra5", 1 },
	{ ELEMENTS_0 " <=> " ELEMENTS_1, -1 },
	{ ELEMENTS_1 " <=> " ELEMENTS_0, 1 },
	{ ELEMENTS_1 " <=> " ELEMENTS_1, 0 },
	{ "sacq1 <=> srel1", 1 }, { "srel1 <=> sacq1", -1 },
	{ "srel9 <=> sacq1", -1 }, { "sacq1 <=> sacq2", -1 },
	{ "sacq2 <=> sacq1", 1 }, { "sacq2 <=> sacq2", 0 },
	{ ":x <=> :y", -1 }, { ":y <=> :x", 1 }, { ":x == :x", 1 },

	/* Labels: x is at 8, y at 16. */
	{ ":y - :x", 8 }, { ":x - :y", -8 }, { ":y + 3 - :x", 11 },
	{ ":y - 3 - :x", 5 }, { "3 + :y - :x", 11 }, { "-3 + :y - :x", 5 },
	{ ":x + 8 == :y", 1 },

	/* Integers and floats. */
	{ "(1 << 2.0) === 4.0", 1 }, { "(8 >> 2.0) === 2.0", 1 },
	{ "(7 % 4.0) === 3.0", 1 }, { "(2 ** 3.0) === 8.0", 1 },
	{ "(1 + 1) === 2", 1 }, { "(1 + 1.0) === 2", 0 },
	{ "(-1.5) === -1.5", 1 }, { "(+1.5) === 1.5", 1 }, { "!1.5 === 0", 1 },
	{ "1.5 === 1.5", 1 }, { "1.5 < 1.25", 0 }, { "1.25 < 1.5", 1 },
	{ "1.5 <=> 1.25", 1 }, { "0.0 && 1", 0 }, { "1 && 0.5", 1 },
	{ "0.5 ^^ 1", 0 }, { "0.5 !^^ 0", 0 },
	{ "0x100000001 ><< 1", 2 }, { "0x180000000 >>< 31", 1 },
	{ "1 ><< 31", 0x80000000 }, { "1 ><< 33", 2 },
	{ "0 ** -1", 0 }, { "(-1) ** -1", -1 }, { "(-1) ** -2", 1 },
	{ "1 ** -1", 1 }, { "3 ** -1", 0 }, { "3 ** 4", 81 },
	{ "0 << -64", 0 }, { "5 <<< -64", 0 }, { "-1 <<< -63", 1 }, { "-1 << -64", -1 },
	{ "5 << -64", 0 }, { "-5 << -63", -1 }, { "-1 <<< 63", INT64_MIN },
};
/* clang-format on */

/* x and y are labels of two instructions behind a first one. */
static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	char source[256];

	snprintf(source, sizeof(source), "nop\n:x nop\n:y nop\n.long %s", text);
	return qpu_asm_text("t", source, strlen(source), NULL, program);
}

static void
check_refused(size_t row)
{
	struct qpu_asm_program program;
	const bool good = assemble(refused[row].text, &program);
	const struct asm_message *message = program.messages;

	if (!ok(!good && program.nmessages == 1 &&
			message->diag.rule == ASM_E_EXPRESSION &&
			message->diag.line == 4 &&
			message->diag.column == refused[row].column + 6 &&
			strcmp(message->diag.text, refused[row].reason) == 0,
		"%s: %s", refused[row].text, refused[row].reason) &&
	    message)
		tap_note("got %u: %s", message->diag.column - 6,
			 message->diag.text);
	qpu_asm_free(&program);
}

static void
check_taken(size_t row)
{
	struct qpu_asm_program program;
	const bool good = assemble(taken[row].text, &program);
	const int64_t value = good ? (int64_t)program.words[3].word : 0;

	if (!ok(good && value == taken[row].value, "%s is %" PRId64,
		taken[row].text, taken[row].value))
		tap_note("got %" PRId64 " %s", value,
			 good ? "" : program.messages->diag.text);
	qpu_asm_free(&program);
}

/* What depends on a label to come is unknown, by whatever way. */
static void
check_unknown(void)
{
	static const char *const texts[] = {
		":z - :x",	  "5 + (:z - :x)",	   "(:z - :x) + 5",
		"(:z - :x) == 5", "5 == (:z - :x)",	   "1.5 + (:z - :x)",
		"-(:z - :x)",	  "(:z - :x) && 1",	   "(3 + :z) - :x",
		":x - (3 + :z)",  "((:z - :x) + :x) - :x",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct qpu_asm_program program;
		char source[256];

		snprintf(source, sizeof(source),
			 ":x nop\n.if %s\n.endif\n:z nop", texts[i]);
		ok(!qpu_asm_text("t", source, strlen(source), NULL, &program) &&
			   program.nmessages == 1 &&
			   strcmp(program.messages->diag.text,
				  "this needs a label that comes later") == 0,
		   "%s is unknown", texts[i]);
		qpu_asm_free(&program);
	}
}

static void
check_words(void)
{
	/* clang-format off */
	static const struct {
		struct asm_value value;
		bool fits;
		uint32_t word;
	} rows[] = {
		{ { .type = ASM_INT, .i = 5 }, true, 5 },
		{ { .type = ASM_INT, .i = UINT32_MAX }, true, UINT32_MAX },
		{ { .type = ASM_INT, .i = UINT32_MAX + INT64_C(1) }, false, 0 },
		{ { .type = ASM_INT, .i = INT32_MIN }, true, 0x80000000 },
		{ { .type = ASM_INT, .i = INT32_MIN - INT64_C(1) }, false, 0 },
		{ { .type = ASM_FLOAT, .f = 1.5 }, true, 0x3fc00000 },
		{ { .type = ASM_FLOAT, .f = -2 }, true, 0xc0000000 },
		{ { .type = ASM_REG }, false, 0 },
		{ { .type = ASM_LABEL }, false, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t word = 0;
		const bool fits = asm_value_word(&rows[i].value, &word);

		ok(fits == rows[i].fits && (!fits || word == rows[i].word),
		   "value %zu %s a word", i,
		   rows[i].fits ? "fits" : "does not fit");
	}
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		check_refused(i);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		check_taken(i);
	check_unknown();
	check_words();
	return tap_done();
}
