/* SPDX-License-Identifier: MIT */
/*
 * Addresses, operands and conditions as a user of the debugger writes them.
 */
#include "config.h"

#include <errno.h>

#include "qpu/debugger/address.h"
#include "qpu/debugger/operand.h"
#include "tests/emulator/emu.h"

static void
test_addresses(void)
{
	static const struct {
		const char *text;
		int length; /* -1: refused */
		uint32_t addr;
	} rows[] = {
		{ "0", 1, 0 },
		{ "9", 1, 9 },
		{ "a", 1, 10 },
		{ "fF", 2, 0xff },
		{ "0x40001000", 10, 0x40001000 },
		{ "ffffffff", 8, 0xffffffff },
		{ "100000000", -1, 0 },
		{ "99999999999999999", -1, 0 },
		{ "1000:2000", 4, 0x1000 },
		{ "1g", 1, 1 },
		{ "", -1, 0 },
		{ " 1", -1, 0 },
		{ "+1", -1, 0 },
		{ "-1", -1, 0 },
		{ "g", -1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *end = rows[i].text;
		uint32_t addr = 1;

		errno = ERANGE;
		const bool good = bus_address_parse(rows[i].text, &end, &addr);

		ok(good == (rows[i].length >= 0) &&
			   (!good || (addr == rows[i].addr &&
				      end == rows[i].text + rows[i].length)),
		   "the address '%s' %s", rows[i].text,
		   rows[i].length < 0 ? "is refused" : "is read");
	}
}

static const struct operand_row {
	const char *text;
	int length; /* -1: refused */
	struct operand operand;
} operand_rows[] = {
#define REGISTER(file, number)                                                 \
	{                                                                      \
		OPERAND_REGISTER, file, number, 0, false, 0                    \
	}
#define LANE(file, number, lane)                                               \
	{                                                                      \
		OPERAND_REGISTER, file, number, lane, true, 0                  \
	}
#define MEMORY(addr)                                                           \
	{                                                                      \
		OPERAND_MEMORY, 0, 0, 0, false, addr                           \
	}
#define NUMBER(value)                                                          \
	{                                                                      \
		OPERAND_NUMBER, 0, 0, 0, false, value                          \
	}
#define REFUSED NUMBER(0)
	{ "r0", 2, REGISTER(2, 0) },
	{ "r5", 2, REGISTER(2, 5) },
	{ "r6", -1, REFUSED },
	{ "ra0", 3, REGISTER(0, 0) },
	{ "ra31", 4, REGISTER(0, 31) },
	{ "ra32", -1, REFUSED },
	{ "rb0", 3, REGISTER(1, 0) },
	{ "rb31", 4, REGISTER(1, 31) },
	{ "rb32", -1, REFUSED },
	{ " \tra7 ", 5, REGISTER(0, 7) },
	{ "ra99999999999999999999", -1, REFUSED },
	{ "r", -1, REFUSED },
	{ "ra", -1, REFUSED },
	{ "rc1", -1, REFUSED },
	{ "a1", -1, REFUSED },
	{ "ra+1", -1, REFUSED },
	{ "ra 1", -1, REFUSED },
	{ "ra3[0]", 6, LANE(0, 3, 0) },
	{ "rb3[15]", 7, LANE(1, 3, 15) },
	{ "r4[1]", 5, LANE(2, 4, 1) },
	{ "ra3[16]", -1, REFUSED },
	{ "ra3[]", -1, REFUSED },
	{ "ra3[1", -1, REFUSED },
	{ "ra3[1)", -1, REFUSED },
	{ "ra3]", 3, REGISTER(0, 3) },
	{ "[40001000]", 10, MEMORY(0x40001000) },
	{ "[0x10]", 6, MEMORY(0x10) },
	{ "[ \t10\t ]x", 8, MEMORY(0x10) },
	{ "[ffffffff]", 10, MEMORY(0xffffffff) },
	{ "[100000000]", -1, REFUSED },
	{ "[]", -1, REFUSED },
	{ "[10", -1, REFUSED },
	{ "[10 1]", -1, REFUSED },
	{ "[1g]", -1, REFUSED },
	{ "10]", 2, NUMBER(10) },
	{ "0", 1, NUMBER(0) },
	{ "+5", 2, NUMBER(5) },
	{ "-1", 2, NUMBER(0xffffffff) },
	{ "010", 3, NUMBER(10) },
	{ "4294967295", 10, NUMBER(0xffffffff) },
	{ "4294967296", -1, REFUSED },
	{ "-2147483648", 11, NUMBER(0x80000000) },
	{ "-2147483649", -1, REFUSED },
	{ "99999999999999999999", -1, REFUSED },
	{ "0x1F", 4, NUMBER(31) },
	{ "0Xff", 4, NUMBER(255) },
	{ "0xffffffff", 10, NUMBER(0xffffffff) },
	{ "0x100000000", -1, REFUSED },
	{ "0x1.8", -1, REFUSED },
	{ "-0x1", -1, REFUSED },
	{ "12ab", -1, REFUSED },
	{ "1e3", -1, REFUSED },
	{ "1<2", 1, NUMBER(1) },
	{ "1 .5", 1, NUMBER(1) },
	{ "1.5", 3, NUMBER(0x3fc00000) },
	{ ".5", 2, NUMBER(0x3f000000) },
	{ "-0.5 ", 4, NUMBER(0xbf000000) },
	{ "+2.", 3, NUMBER(0x40000000) },
	{ "1.5e2", 5, NUMBER(0x43160000) },
	{ "1.2.3", -1, REFUSED },
	{ ".", -1, REFUSED },
	{ "-", -1, REFUSED },
	{ "+", -1, REFUSED },
	{ "abc", -1, REFUSED },
	{ "x1", -1, REFUSED },
	{ "e.5", -1, REFUSED },
	{ "inf", -1, REFUSED },
	{ "nan.", -1, REFUSED },
	{ "", -1, REFUSED },
	{ " ", -1, REFUSED },
#undef REGISTER
#undef LANE
#undef MEMORY
#undef NUMBER
#undef REFUSED
};

static bool
is_operand(const struct operand *got, const struct operand *wanted)
{
	return got->kind == wanted->kind && got->file == wanted->file &&
	       got->number == wanted->number && got->lane == wanted->lane &&
	       got->has_lane == wanted->has_lane && got->value == wanted->value;
}

static void
test_operands(void)
{
	for (size_t i = 0; i < sizeof(operand_rows) / sizeof(*operand_rows);
	     i++) {
		const struct operand_row *row = &operand_rows[i];
		const char *end = row->text;
		struct operand operand;
		struct diag why = { .text = "" };
		char reason[128] = "";

		memset(&operand, 0xff, sizeof(operand));
		errno = ERANGE;
		const bool good = operand_parse(&end, &operand, &why);

		if (row->length < 0)
			snprintf(reason, sizeof(reason),
				 "'%s' is no register, [ADDR] or number",
				 row->text);
		ok(good == (row->length >= 0) &&
			   strcmp(why.text, reason) == 0 &&
			   (good ? end == row->text + row->length &&
					    is_operand(&operand,
						       &row->operand) :
				   end == row->text),
		   "the operand '%s' %s", row->text,
		   row->length < 0 ? "is refused" : "is read");
	}
}

/* QPU 0 and 1 with different registers, and memory. */
static struct emu
make_machine(void)
{
	static const struct machine_options options = { .qpus = 2 };
	struct emu emu = emu_open(&options);
	static const uint32_t uniforms[2] = { 100, 200 };
	const uint32_t code = emu_assemble(
		&emu, "mov r0, elem_num\nmov r1, unif\nadd ra3, r0, r1\n"
		      "sub rb4, r0, r1\nadd r5rep, r1, 1" EMU_END);

	for (unsigned i = 0; i < 2; i++)
		emu_program(&emu, code, &uniforms[i], 1);
	emu_go(&emu, 1000);
	emu_words(&emu, EMU_DATA)[0] = 0x12345678;
	emu_words(&emu, EMU_BYTES - 4)[0] = 77;
	return emu;
}

static void
test_values(struct emu *emu)
{
	static const struct {
		const char *text;
		unsigned qpu;
		bool good;
		uint32_t value;
	} rows[] = {
		{ "-3", 0, true, 0xfffffffd },
		{ "r1", 0, true, 100 },
		{ "r1", 1, true, 200 },
		{ "r0[15]", 1, true, 15 },
		{ "r0", 1, true, 0 },
		{ "ra3[2]", 0, true, 102 },
		{ "ra3[2]", 1, true, 202 },
		{ "rb4[1]", 0, true, (uint32_t)-99 },
		{ "r5[3]", 0, true, 101 },
		{ "[40010000]", 0, true, 0x12345678 },
		{ "[c0010000]", 0, true, 0x12345678 },
		{ "[400ffffc]", 1, true, 77 },
		{ "[40100000]", 0, false, 0 },
		{ "[3ffffffc]", 0, false, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text = rows[i].text;
		struct operand operand;
		uint32_t value = 0;

		ok(operand_parse(&text, &operand, NULL) &&
			   operand_read(&operand, emu->machine, rows[i].qpu,
					&value) == rows[i].good &&
			   value == rows[i].value,
		   "the value of %s on QPU %u", rows[i].text, rows[i].qpu);
	}
}

static void
test_conditions(struct emu *emu)
{
	static const struct {
		const char *text;
		bool holds;
	} rows[] = {
		{ "1 == 1", true },
		{ "1 == 2", false },
		{ "1 != 1", false },
		{ "1 != 2", true },
		{ "1 < 2", true },
		{ "2 < 2", false },
		{ "3 < 2", false },
		{ "1 <= 2", true },
		{ "2 <= 2", true },
		{ "3 <= 2", false },
		{ "1 > 2", false },
		{ "2 > 2", false },
		{ "3 > 2", true },
		{ "1 >= 2", false },
		{ "2 >= 2", true },
		{ "3 >= 2", true },
		{ "0xffffffff < 0", true },
		{ "0 < 0x80000000", false },
		{ "  1==1\t ", true },
		{ "r1 == 200", true },
		{ "200 == r1[15]", true },
		{ "[40010000] == 0x12345678", true },
		{ "[50000000] != 1", false },
		{ "1 != [50000000]", false },
		{ "[50000000] == [50000000]", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct condition condition;
		struct diag why = { .text = "" };
		const bool good =
			condition_parse(rows[i].text, &condition, &why);

		ok(good && !*why.text &&
			   condition_holds(&condition, emu->machine, 1) ==
				   rows[i].holds,
		   "'%s' %s", rows[i].text,
		   rows[i].holds ? "holds" : "does not hold");
	}
}

static void
test_refused_conditions(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "'' is no register, [ADDR] or number" },
		{ "r6 == 1", "'r6 == 1' is no register, [ADDR] or number" },
		{ "1", "'' does not begin with == != < <= > or >=" },
		{ "1 = 1", "'= 1' does not begin with == != < <= > or >=" },
		{ "1 =! 1", "'=! 1' does not begin with == != < <= > or >=" },
		{ "1 == x", "' x' is no register, [ADDR] or number" },
		{ "1 <", "'' is no register, [ADDR] or number" },
		{ "1 == 1 2", "'2' stands behind the condition" },
		{ "1 == 1]", "']' stands behind the condition" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct condition condition;
		struct diag why = { .text = "" };

		ok(!condition_parse(rows[i].text, &condition, &why) &&
			   strcmp(why.text, rows[i].why) == 0,
		   "the condition '%s' is refused: %s", rows[i].text, why.text);
	}
}

int
main(void)
{
	struct emu emu = make_machine();

	test_addresses();
	test_operands();
	test_values(&emu);
	test_conditions(&emu);
	test_refused_conditions();
	emu_close(&emu);
	return tap_done();
}
