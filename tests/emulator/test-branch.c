/* SPDX-License-Identifier: MIT */
/*
 * Branches: conditions, delay slots, links and targets (section 3.9), and the
 * end of a thread (3.10).
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* Z (or N, or C) in no lane, in some, in all: is the branch taken? */
static const struct {
	const char *cond;
	bool taken[3];
} conditions[] = {
	{ "allz", { false, false, true } }, { "allnz", { true, false, false } },
	{ "anyz", { false, true, true } },  { "anynz", { true, true, false } },
	{ "alln", { false, false, true } }, { "allnn", { true, false, false } },
	{ "anyn", { false, true, true } },  { "anynn", { true, true, false } },
	{ "allc", { false, false, true } }, { "allnc", { true, false, false } },
	{ "anyc", { false, true, true } },  { "anync", { true, true, false } },
};

/* Sets exactly one flag in no, some or all lanes. */
static const char *
set_flags(const char *cond, unsigned lanes)
{
	static const char *const z[] = { "mov.setf -, 1", "mov.setf -, r0",
					 "mov.setf -, 0" };
	static const char *const n[] = { "mov.setf -, 1", "sub.setf -, r0, 8",
					 "mov.setf -, -1" };
	static const char *const c[] = { "sub.setf -, r0, 0",
					 "sub.setf -, r0, 8",
					 "sub.setf -, r0, -1" };
	const char last = cond[strlen(cond) - 1];

	return (last == 'z' ? z : last == 'n' ? n : c)[lanes];
}

static void
test_conditions(void)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		bool good = true;

		for (unsigned lanes = 0; lanes < 3; lanes++) {
			char text[512];
			struct emu emu;

			snprintf(text, sizeof(text),
				 "mov r0, elem_num\n"
				 "mov r1, 0\n%s\nbrr.%s -, :there\n"
				 "add r1, r1, 1\nadd r1, r1, 1\n"
				 "add r1, r1, 1\nadd r1, r1, 8\n:there\n"
				 "nop" EMU_END,
				 set_flags(conditions[i].cond, lanes),
				 conditions[i].cond);
			emu = emu_run(NULL, text, NULL, 0);
			good = good &&
			       emu_all(emu_r(&emu, 1),
				       conditions[i].taken[lanes] ? 3 : 11);
			emu_close(&emu);
		}
		ok(good, "%s; three delay slots always execute",
		   conditions[i].cond);
	}
}

static void
test_links(void)
{
	struct emu emu = emu_run(NULL,
				 "mov.setf -, 1\nldi ra2, 7\nnop\n"
				 "brr ra1, :there\nnop\nnop\nnop\n:there\n"
				 "brr.allz ra2, :there\nnop\nnop\nnop" EMU_END,
				 NULL, 0);

	ok(emu_all(emu_ra(&emu, 1), EMU_BASE + EMU_CODE + 3 * 8 + 32),
	   "a link is the byte address behind the delay slots, in all lanes");
	ok(emu_all(emu_ra(&emu, 2), 7), "no link if the branch is not taken");
	emu_close(&emu);
}

static void
test_call_and_return(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, 0\nbrr ra4, :function\nnop\nnop\nnop\n"
			"brr ra4, :function\nnop\nnop\nnop\n"
			"brr -, :end\nnop\nnop\nnop\n"
			":function\nadd r0, r0, 5\nbra -, ra4\nnop\nnop\nnop\n"
			":end\nnop" EMU_END,
			NULL, 0);

	ok(emu.status == MACHINE_DONE && emu_all(emu_r(&emu, 0), 10),
	   "a function called twice returns by its link");
	emu_close(&emu);
}

static void
test_lane_15(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(
		&emu, "mov r1, 0\nnop\nbra -, ra8\nnop\nnop\nnop" EMU_END
		      ":there\nmov r1, 6" EMU_END);
	uint32_t *target = (uint32_t *)emu_ra(&emu, 8);

	target[15] = code + 9 * 8;
	emu_program(&emu, code, NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 1), 6),
	   "a register branch takes lane 15");
	emu_close(&emu);
}

static void
test_odd_register_flags(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(
		&emu, "mov.setf -, 0\nmov r1, 0\nbra -, ra9\nnop\nnop\nnop\n"
		      "mov.ifz r1, 1\nnop" EMU_END);
	uint32_t *target = (uint32_t *)emu_ra(&emu, 9);

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		target[i] = code + 6 * 8;
	emu_program(&emu, code, NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 1), 0),
	   "a branch through an odd register sets the flags");
	emu_close(&emu);
}

static void
test_third_slot(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, 0\nbrr -, :first\nnop\nnop\nbrr -, :second\n"
			"add r0, r0, 15\n"
			":first\nadd r0, r0, 1\nadd r0, r0, 1\nadd r0, r0, 1\n"
			"add r0, r0, 15\n"
			":second\nadd r0, r0, 4" EMU_END,
			NULL, 0);

	ok(emu_all(emu_r(&emu, 0), 7),
	   "a branch in the third delay slot follows the first one");
	emu_close(&emu);
}

static void
test_loop(void)
{
	struct emu emu =
		emu_run(NULL,
			"ldi r0, 1000\nmov r1, 0\n:loop\nsub.setf r0, r0, 1\n"
			"brr.anynz -, :loop\nadd r1, r1, 3\nnop\nnop" EMU_END,
			NULL, 0);

	ok(emu_all(emu_r(&emu, 1), 3000) &&
		   machine_instructions(emu.machine) == 2 + 5 * 1000 + 3,
	   "a loop executes exactly its instructions");
	emu_close(&emu);
}

static void
test_alias(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(
		&emu,
		"brr -, :a\nnop\nnop\nnop\n:a\nbrr ra0, :b\nnop\nnop\nnop\n"
		":b\nnop" EMU_END);

	emu_program(&emu, code | 0xc0000000, NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   emu_all(emu_ra(&emu, 0), (code | 0xc0000000) + 64),
	   "relative branches stay in the bus alias of the code");
	emu_close(&emu);
}

static void
test_thread_end(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, 0\nthrend\nadd r0, r0, 1\nadd r0, r0, 1\n"
			"add r0, r0, 4",
			NULL, 0);

	ok(emu_all(emu_r(&emu, 0), 2),
	   "two instructions execute behind thrend");
	emu_close(&emu);
}

static void
test_faults(void)
{
	struct emu emu = emu_run(
		NULL, "ldi ra0, 0x30000000\nnop\nbra -, ra0\nnop\nnop\nnop",
		NULL, 0);

	ok(emu.status == MACHINE_FAULT &&
		   strstr(emu.why.text, "0x30000000 is outside memory"),
	   "a branch outside of memory is a fault");
	emu_close(&emu);
}

int
main(void)
{
	test_conditions();
	test_links();
	test_call_and_return();
	test_lane_15();
	test_odd_register_flags();
	test_third_slot();
	test_loop();
	test_alias();
	test_thread_end();
	test_faults();
	return tap_done();
}
