/* SPDX-License-Identifier: MIT */
/*
 * Promise: the operand of an instruction is where prefixes, ModRM, SIB and
 * displacement say, and the rewritten instruction is the same one with its
 * operand behind it.
 */
#include "config.h"

#include "qpu/virtual/mmio/x86.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "qpu/virtual/mmio/step.h"
#include "tests/support/tap.h"

#ifdef STEP_X86

/* What a register holds: more than 32 bits, and no sum is like another. */
#define AX UINT64_C(0x710000001)
#define CX UINT64_C(0x720000003)
#define DX UINT64_C(0x730000005)
#define BX UINT64_C(0x740000007)
#define SP UINT64_C(0x75000000b)
#define BP UINT64_C(0x76000000d)
#define SI UINT64_C(0x770000011)
#define DI UINT64_C(0x780000013)
#define R8 UINT64_C(0x790000017)
#define R9 UINT64_C(0x7a000001d)
#define R10 UINT64_C(0x7b000001f)
#define R11 UINT64_C(0x7c0000025)
#define R12 UINT64_C(0x7d0000029)
#define R13 UINT64_C(0x7e000002b)
#define R14 UINT64_C(0x7f000002f)
#define R15 UINT64_C(0x800000035)

static void
set_registers(mcontext_t *machine, const uint8_t *code)
{
	greg_t *r = machine->gregs;

	memset(machine, 0, sizeof(*machine));
	r[REG_RAX] = (greg_t)AX, r[REG_RCX] = (greg_t)CX;
	r[REG_RDX] = (greg_t)DX, r[REG_RBX] = (greg_t)BX;
	r[REG_RSP] = (greg_t)SP, r[REG_RBP] = (greg_t)BP;
	r[REG_RSI] = (greg_t)SI, r[REG_RDI] = (greg_t)DI;
	r[REG_R8] = (greg_t)R8, r[REG_R9] = (greg_t)R9;
	r[REG_R10] = (greg_t)R10, r[REG_R11] = (greg_t)R11;
	r[REG_R12] = (greg_t)R12, r[REG_R13] = (greg_t)R13;
	r[REG_R14] = (greg_t)R14, r[REG_R15] = (greg_t)R15;
	r[REG_RIP] = (greg_t)(uintptr_t)code;
}

/* Digits of bytes, with spaces between; their number. */
static unsigned
read_bytes(const char *text, uint8_t bytes[32])
{
	unsigned n = 0;
	char *end;

	for (; *text; text = end + (*end == ' '))
		bytes[n++] = (uint8_t)strtoul(text, &end, 16);
	return n;
}

/*
 * `to` is the rewritten instruction, with .. for a byte of the displacement;
 * null if it is refused.  An address behind the instruction is counted from
 * there.
 */
struct row {
	const char *from, *to;
	uint64_t address;
	bool stores, behind;
};

/* clang-format off */
static const struct row prefix_rows[] = {
	{ "8b 03", "8b 05 .. .. .. ..", BX, 0, 0 },
	{ "26 8b 03", "8b 05 .. .. .. ..", BX, 0, 0 },
	{ "2e 8b 03", "8b 05 .. .. .. ..", BX, 0, 0 },
	{ "36 8b 03", "8b 05 .. .. .. ..", BX, 0, 0 },
	{ "3e 8b 03", "8b 05 .. .. .. ..", BX, 0, 0 },
	{ "64 8b 03", "8b 05 .. .. .. ..", 0, 0, 0 },
	{ "65 8b 03", "8b 05 .. .. .. ..", 0, 0, 0 },
	{ "67 8b 03", "8b 05 .. .. .. ..", 0x40000007, 0, 0 },
	{ "66 8b 03", "66 8b 05 .. .. .. ..", BX, 0, 0 },
	{ "66 67 8b 03", "66 8b 05 .. .. .. ..", 0x40000007, 0, 0 },
	{ "f0 01 03", "f0 01 05 .. .. .. ..", BX, 0, 0 },
	{ "2e 66 f0 01 03", "66 f0 01 05 .. .. .. ..", BX, 0, 0 },
	{ "f2 0f 10 03", "f2 0f 10 05 .. .. .. ..", BX, 0, 0 },
	{ "f3 0f 11 03", "f3 0f 11 05 .. .. .. ..", BX, 1, 0 },
	{ "66 89 03", "66 89 05 .. .. .. ..", BX, 0, 0 },
	{ "66 0f 7e 03", "66 0f 7e 05 .. .. .. ..", BX, 1, 0 },
	/* The length of an immediate operand is that of the instruction's. */
	{ "66 69 03 34 12", "66 69 05 .. .. .. .. 34 12", BX, 0, 0 },
	{ "66 81 03 34 12", "66 81 05 .. .. .. .. 34 12", BX, 0, 0 },
	{ "66 c7 03 34 12", "66 c7 05 .. .. .. .. 34 12", BX, 0, 0 },
	{ "66 f7 03 34 12", "66 f7 05 .. .. .. .. 34 12", BX, 0, 0 },
	{ "66 f7 13", "66 f7 15 .. .. .. ..", BX, 0, 0 },
	{ "c7 03 78 56 34 12", "c7 05 .. .. .. .. 78 56 34 12", BX, 1, 0 },
	{ "48 c7 03 78 56 34 12", "48 c7 05 .. .. .. .. 78 56 34 12",
	  BX, 1, 0 },
	/* REX: W, R, X, B. */
	{ "40 8b 03", "40 8b 05 .. .. .. ..", BX, 0, 0 },
	{ "41 8b 03", "41 8b 05 .. .. .. ..", R11, 0, 0 },
	{ "42 8b 04 0b", "42 8b 05 .. .. .. ..", BX + R9, 0, 0 },
	{ "44 8b 0c 0b", "44 8b 0d .. .. .. ..", BX + CX, 0, 0 },
	{ "48 8b 3c 0b", "48 8b 3d .. .. .. ..", BX + CX, 0, 0 },
	{ "4f 8b 3c 0b", "4f 8b 3d .. .. .. ..", R11 + R9, 0, 0 },
	{ "66 41 8b 03", "66 41 8b 05 .. .. .. ..", R11, 0, 0 },
};

static const struct row address_rows[] = {
	{ "8b 00", "8b 05 .. .. .. ..", AX, 0, 0 },
	{ "8b 01", "8b 05 .. .. .. ..", CX, 0, 0 },
	{ "8b 0a", "8b 0d .. .. .. ..", DX, 0, 0 },
	{ "8b 16", "8b 15 .. .. .. ..", SI, 0, 0 },
	{ "8b 3f", "8b 3d .. .. .. ..", DI, 0, 0 },
	{ "41 8b 00", "41 8b 05 .. .. .. ..", R8, 0, 0 },
	{ "41 8b 01", "41 8b 05 .. .. .. ..", R9, 0, 0 },
	{ "41 8b 02", "41 8b 05 .. .. .. ..", R10, 0, 0 },
	{ "41 8b 06", "41 8b 05 .. .. .. ..", R14, 0, 0 },
	{ "41 8b 07", "41 8b 05 .. .. .. ..", R15, 0, 0 },
	/* Displacements have a sign. */
	{ "8b 43 7f", "8b 05 .. .. .. ..", BX + 0x7f, 0, 0 },
	{ "8b 43 80", "8b 05 .. .. .. ..", BX - 0x80, 0, 0 },
	{ "8b 45 04", "8b 05 .. .. .. ..", BP + 4, 0, 0 },
	{ "41 8b 45 04", "41 8b 05 .. .. .. ..", R13 + 4, 0, 0 },
	{ "8b 83 78 56 34 12", "8b 05 .. .. .. ..", BX + 0x12345678, 0, 0 },
	{ "8b 83 fe ff ff ff", "8b 05 .. .. .. ..", BX - 2, 0, 0 },
	{ "83 43 10 55", "83 05 .. .. .. .. 55", BX + 0x10, 0, 0 },
	{ "81 83 10 00 00 00 78 56 34 12", "81 05 .. .. .. .. 78 56 34 12",
	  BX + 0x10, 0, 0 },
	/* SIB: factors, no index, no base. */
	{ "8b 04 4b", "8b 05 .. .. .. ..", BX + CX * 2, 0, 0 },
	{ "8b 04 8b", "8b 05 .. .. .. ..", BX + CX * 4, 0, 0 },
	{ "8b 04 cb", "8b 05 .. .. .. ..", BX + CX * 8, 0, 0 },
	{ "8b 04 f8", "8b 05 .. .. .. ..", AX + DI * 8, 0, 0 },
	{ "8b 04 24", "8b 05 .. .. .. ..", SP, 0, 0 },
	{ "41 8b 04 24", "41 8b 05 .. .. .. ..", R12, 0, 0 },
	{ "42 8b 04 a3", "42 8b 05 .. .. .. ..", BX + R12 * 4, 0, 0 },
	{ "8b 44 24 08", "8b 05 .. .. .. ..", SP + 8, 0, 0 },
	{ "8b 84 8b 00 01 00 00", "8b 05 .. .. .. ..", BX + CX * 4 + 0x100,
	  0, 0 },
	{ "8b 04 8d 00 01 00 00", "8b 05 .. .. .. ..", CX * 4 + 0x100, 0, 0 },
	{ "41 8b 04 8d 00 01 00 00", "41 8b 05 .. .. .. ..", CX * 4 + 0x100,
	  0, 0 },
	{ "8b 04 25 00 01 00 00", "8b 05 .. .. .. ..", 0x100, 0, 0 },
	{ "8b 44 4d 10", "8b 05 .. .. .. ..", BP + CX * 2 + 0x10, 0, 0 },
	/* Behind the instruction, with what follows the displacement. */
	{ "8b 05 10 00 00 00", "8b 05 .. .. .. ..", 0x10, 0, 1 },
	{ "8b 3d f0 ff ff ff", "8b 3d .. .. .. ..", -UINT64_C(0x10), 0, 1 },
	{ "41 8b 05 10 00 00 00", "41 8b 05 .. .. .. ..", 0x10, 0, 1 },
	{ "c7 05 10 00 00 00 78 56 34 12", "c7 05 .. .. .. .. 78 56 34 12",
	  0x10, 1, 1 },
	{ "80 05 10 00 00 00 55", "80 05 .. .. .. .. 55", 0x10, 0, 1 },
	/* Registers are no memory. */
	{ "8b c3", NULL, 0, 0, 0 },
};

static const struct row vector_rows[] = {
	/* VEX of two bytes, and of three: X, B, maps 1 to 3. */
	{ "c5 fc 10 03", "c5 fc 10 05 .. .. .. ..", BX, 0, 0 },
	{ "c5 fc 11 03", "c5 fc 11 05 .. .. .. ..", BX, 1, 0 },
	{ "c5 fc 11 43 02", "c5 fc 11 05 .. .. .. ..", BX + 2, 1, 0 },
	{ "c5 fd c6 03 55", "c5 fd c6 05 .. .. .. .. 55", BX, 0, 0 },
	{ "c4 e1 7c 11 04 0b", "c4 e1 7c 11 05 .. .. .. ..", BX + CX, 1, 0 },
	{ "c4 a1 7c 11 04 0b", "c4 a1 7c 11 05 .. .. .. ..", BX + R9, 1, 0 },
	{ "c4 c1 7c 11 04 0b", "c4 c1 7c 11 05 .. .. .. ..", R11 + CX, 1, 0 },
	{ "c4 e1 7c 11 43 02", "c4 e1 7c 11 05 .. .. .. ..", BX + 2, 1, 0 },
	{ "c4 e2 7d 58 03", "c4 e2 7d 58 05 .. .. .. ..", BX, 0, 0 },
	{ "c4 e2 7d 11 03", "c4 e2 7d 11 05 .. .. .. ..", BX, 0, 0 },
	{ "c4 e3 7d 06 03 31", "c4 e3 7d 06 05 .. .. .. .. 31", BX, 0, 0 },
	/* Gathers have many operands. */
	{ "c4 e2 7d 8f 03", "c4 e2 7d 8f 05 .. .. .. ..", BX, 0, 0 },
	{ "c4 e2 7d 90 04 0b", NULL, 0, 0, 0 },
	{ "c4 e2 7d 93 04 0b", NULL, 0, 0, 0 },
	{ "c4 e2 7d 94 03", "c4 e2 7d 94 05 .. .. .. ..", BX, 0, 0 },
	{ "c4 e2 7d 9f 03", "c4 e2 7d 9f 05 .. .. .. ..", BX, 0, 0 },
	{ "62 f2 7d 49 a0 04 0b", NULL, 0, 0, 0 },
	{ "62 f2 7d 49 a3 04 0b", NULL, 0, 0, 0 },
	{ "c4 e2 7d a4 03", "c4 e2 7d a4 05 .. .. .. ..", BX, 0, 0 },
	{ "c4 e2 7d c5 03", "c4 e2 7d c5 05 .. .. .. ..", BX, 0, 0 },
	{ "62 f2 7d 49 c6 04 0b", NULL, 0, 0, 0 },
	{ "62 f2 7d 49 c7 04 0b", NULL, 0, 0, 0 },
	{ "c4 e2 7d c8 03", "c4 e2 7d c8 05 .. .. .. ..", BX, 0, 0 },
	{ "c5 fd 90 03", "c5 fd 90 05 .. .. .. ..", BX, 0, 0 },
	{ "0f 38 90 03", "0f 38 90 05 .. .. .. ..", BX, 0, 0 },
	{ "0f 38 f0 43 02", "0f 38 f0 05 .. .. .. ..", BX + 2, 0, 0 },
	{ "66 0f 3a 0f 03 31", "66 0f 3a 0f 05 .. .. .. .. 31", BX, 0, 0 },
	/* EVEX: displacements count vectors of 16, 32 or 64 bytes. */
	{ "62 f1 7c 08 11 43 01", "62 f1 7c 08 11 05 .. .. .. ..", BX + 16,
	  1, 0 },
	{ "62 f1 7c 28 11 43 01", "62 f1 7c 28 11 05 .. .. .. ..", BX + 32,
	  1, 0 },
	{ "62 f1 7c 48 11 43 01", "62 f1 7c 48 11 05 .. .. .. ..", BX + 64,
	  1, 0 },
	{ "62 f1 7c 48 11 43 ff", "62 f1 7c 48 11 05 .. .. .. ..", BX - 64,
	  1, 0 },
	{ "62 f1 7c 48 11 83 08 00 00 00", "62 f1 7c 48 11 05 .. .. .. ..",
	  BX + 8, 1, 0 },
	{ "62 b1 7c 48 11 04 0b", "62 b1 7c 48 11 05 .. .. .. ..", BX + R9,
	  1, 0 },
	{ "62 d1 7c 48 11 04 0b", "62 d1 7c 48 11 05 .. .. .. ..", R11 + CX,
	  1, 0 },
	/* Or elements, of 4 or 8 bytes, when one is broadcast. */
	{ "62 f1 7d 58 fe 43 02", "62 f1 7d 58 fe 05 .. .. .. ..", BX + 8,
	  0, 0 },
	{ "62 f1 fd 58 d4 43 02", "62 f1 fd 58 d4 05 .. .. .. ..", BX + 16,
	  0, 0 },
	{ "62 f1 fd 48 11 43 01", "62 f1 fd 48 11 05 .. .. .. ..", BX + 64,
	  1, 0 },
	/* With a mask not all words are stored. */
	{ "62 f1 7c 49 11 03", "62 f1 7c 49 11 05 .. .. .. ..", BX, 0, 0 },
	{ "62 f1 7c 4a 11 03", "62 f1 7c 4a 11 05 .. .. .. ..", BX, 0, 0 },
	{ "62 f1 7c 4c 11 03", "62 f1 7c 4c 11 05 .. .. .. ..", BX, 0, 0 },
};

/* mov of rax and an address of eight bytes. */
static const struct row absolute_rows[] = {
	{ "a0 88 77 66 55 44 33 22 11", "8a 05 .. .. .. ..",
	  0x1122334455667788, 0, 0 },
	{ "a1 88 77 66 55 44 33 22 11", "8b 05 .. .. .. ..",
	  0x1122334455667788, 0, 0 },
	{ "a2 88 77 66 55 44 33 22 11", "88 05 .. .. .. ..",
	  0x1122334455667788, 0, 0 },
	{ "a3 88 77 66 55 44 33 22 11", "89 05 .. .. .. ..",
	  0x1122334455667788, 1, 0 },
	{ "48 a3 88 77 66 55 44 33 22 11", "48 89 05 .. .. .. ..",
	  0x1122334455667788, 1, 0 },
	{ "66 a3 88 77 66 55 44 33 22 11", "66 89 05 .. .. .. ..",
	  0x1122334455667788, 0, 0 },
	{ "64 a1 88 77 66 55 44 33 22 11", "8b 05 .. .. .. ..", 0, 0, 0 },
	{ "67 a1 44 33 22 11", NULL, 0, 0, 0 },
	{ "a8 11", NULL, 0, 0, 0 },
	{ "a9 11 22 33 44", NULL, 0, 0, 0 },
	/* Behind an escape these are other instructions. */
	{ "0f a4 03 05", "0f a4 05 .. .. .. .. 05", BX, 0, 0 },
	{ "0f ac 03 05", "0f ac 05 .. .. .. .. 05", BX, 0, 0 },
	{ "0f a2 03", "0f a2 05 .. .. .. ..", BX, 0, 0 },
};
/* clang-format on */

/* Is the code that of the row, with the displacement at the dots? */
static bool
is_rewritten(const struct x86_access *access, const char *to)
{
	const char *dots = strchr(to, '.');
	const unsigned place = (unsigned)(dots - to) / 3;
	uint8_t expected[32];
	char text[128];

	strcpy(text, to);
	for (char *at = text; *at; at++)
		if (*at == '.')
			*at = '0';
	return access->code_length == read_bytes(text, expected) &&
	       access->displacement == place &&
	       memcmp(access->code, expected, place) == 0 &&
	       memcmp(access->code + place + 4, expected + place + 4,
		      access->code_length - place - 4) == 0;
}

static bool
is_right(const struct row *row)
{
	uint8_t code[32] = { 0 };
	const unsigned length = read_bytes(row->from, code);
	const uint64_t end = row->behind ? (uintptr_t)code + length : 0;
	struct x86_access access;
	mcontext_t machine;

	set_registers(&machine, code);
	if (!row->to)
		return !x86_decode(&access, &machine);
	return x86_decode(&access, &machine) && access.length == length &&
	       is_rewritten(&access, row->to) &&
	       access.address == row->address + end &&
	       access.whole_words == row->stores && access.string_bytes == 0;
}

static void
test_rows(const char *name, const struct row *rows, size_t n)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_right(&rows[i])) {
			wrong++;
			tap_note("%s", rows[i].from);
		}
	ok(wrong == 0, "%s", name);
}

/* One step of a string, without its prefixes. */
static const struct string_row {
	const char *from, *to; /* null if it is refused */
	uint8_t bytes;
	bool source, target, stored;
	enum x86_repeat repeat;
} string_rows[] = {
	{ "a4", "a4", 1, true, true, true, X86_ONCE },
	{ "a5", "a5", 4, true, true, true, X86_ONCE },
	{ "a6", "a6", 1, true, true, false, X86_ONCE },
	{ "a7", "a7", 4, true, true, false, X86_ONCE },
	{ "aa", "aa", 1, false, true, true, X86_ONCE },
	{ "ab", "ab", 4, false, true, true, X86_ONCE },
	{ "ac", "ac", 1, true, false, false, X86_ONCE },
	{ "ad", "ad", 4, true, false, false, X86_ONCE },
	{ "ae", "ae", 1, false, true, false, X86_ONCE },
	{ "af", "af", 4, false, true, false, X86_ONCE },
	{ "66 a5", "66 a5", 2, true, true, true, X86_ONCE },
	{ "66 a4", "a4", 1, true, true, true, X86_ONCE },
	{ "48 a5", "48 a5", 8, true, true, true, X86_ONCE },
	{ "66 48 a5", "48 a5", 8, true, true, true, X86_ONCE },
	{ "40 a5", "a5", 4, true, true, true, X86_ONCE },
	{ "f3 a4", "a4", 1, true, true, true, X86_REPEAT },
	{ "f2 a5", "a5", 4, true, true, true, X86_REPEAT },
	{ "f3 66 ab", "66 ab", 2, false, true, true, X86_REPEAT },
	{ "f3 48 ad", "48 ad", 8, true, false, false, X86_REPEAT },
	{ "f3 a6", "a6", 1, true, true, false, X86_REPEAT_EQUAL },
	{ "f2 a7", "a7", 4, true, true, false, X86_REPEAT_UNEQUAL },
	{ "f3 ae", "ae", 1, false, true, false, X86_REPEAT_EQUAL },
	{ "f2 af", "af", 4, false, true, false, X86_REPEAT_UNEQUAL },
	{ "2e a5", "a5", 4, true, true, true, X86_ONCE },
	{ "64 a5", NULL, 0, false, false, false, X86_ONCE },
	{ "67 a5", NULL, 0, false, false, false, X86_ONCE },
};

static bool
is_right_string(const struct string_row *row)
{
	uint8_t code[32] = { 0 }, expected[32];
	const unsigned length = read_bytes(row->from, code);
	struct x86_access access;
	mcontext_t machine;
	unsigned n;

	set_registers(&machine, code);
	if (!row->to)
		return !x86_decode(&access, &machine);
	n = read_bytes(row->to, expected);
	return x86_decode(&access, &machine) && access.length == length &&
	       access.code_length == n && access.displacement == 0 &&
	       memcmp(access.code, expected, n) == 0 &&
	       access.string_bytes == row->bytes &&
	       access.source == row->source && access.target == row->target &&
	       access.target_stored == row->stored &&
	       access.repeat == row->repeat && !access.whole_words;
}

static void
test_strings(void)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(string_rows) / sizeof(*string_rows); i++)
		if (!is_right_string(&string_rows[i])) {
			wrong++;
			tap_note("%s", string_rows[i].from);
		}
	ok(wrong == 0, "strings: elements, sides and repetition");
}

/* No processor carries it out, but it may stand there. */
static void
test_endless(void)
{
	uint8_t code[64];
	struct x86_access access;
	mcontext_t machine;

	memset(code, 0x66, sizeof(code));
	code[40] = 0x8b;
	code[41] = 0x03;
	set_registers(&machine, code);
	ok(x86_decode(&access, &machine) && access.length == 42 &&
		   access.displacement == X86_CODE_BYTES &&
		   access.address == BX,
	   "prefixes without end are not written over what follows");
}

#define TEST_ROWS(name, rows)                                                  \
	test_rows((name), (rows), sizeof(rows) / sizeof(*(rows)))

int
main(void)
{
	TEST_ROWS("prefixes", prefix_rows);
	TEST_ROWS("ways to form an address", address_rows);
	TEST_ROWS("instructions with VEX and EVEX", vector_rows);
	TEST_ROWS("addresses within the instruction", absolute_rows);
	test_strings();
	test_endless();
	return tap_done();
}

#else

int
main(void)
{
	tap_skip("for x86-64 only");
	return tap_done();
}

#endif
