/* SPDX-License-Identifier: MIT */
/*
 * Which hazards checking mode reports, and how often.  What each rule finds is
 * in tests/validate/hazards.golden.
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* One program through two aliases. */
static void
test_once_for_aliases(void)
{
	const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, "mov r0, ra7" EMU_END);

	emu_program(&emu, code, NULL, 0);
	emu_program(&emu, code ^ 0x80000000, NULL, 0);
	ok(emu_go(&emu, 1000) == MACHINE_DONE && emu.nfindings == 1,
	   "a hazard is reported once for its place, whatever its alias");
	emu_close(&emu);
}

/* A program may begin within an instruction. */
static void
test_start(void)
{
	static const struct machine_options options = { .check = true };

	for (unsigned bytes = 0; bytes <= 4; bytes++) {
		struct emu emu = emu_open(&options);

		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END) + bytes,
			    NULL, 0);
		ok(emu_go(&emu, 100) == MACHINE_DONE &&
			   emu.findings[20] == (bytes != 0),
		   "a start %u bytes after a multiple of 8 is %sreported",
		   bytes, bytes ? "" : "not ");
		emu_close(&emu);
	}
}

/*
 * Each rule at each instruction of a loop is told once, until half of the set
 * is used.  Two rules at each, so that collisions of the set are many.
 */
static void
test_once(void)
{
	static const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);

	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nmov r1, ra7\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	emu_go(&emu, 10000);
	ok(emu.nfindings == 2100 && emu.findings[22] == 2100,
	   "a hazard at each of 2100 instructions of a loop is reported "
	   "once");
	emu_close(&emu);
	emu = emu_open(&options);
	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nadd r1, ra7, rb39\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	ok(emu_go(&emu, 10000) == MACHINE_DONE && emu.nfindings == 4096 &&
		   emu.findings[22] == 2048 && emu.findings[35] == 2048,
	   "after 4096 hazards nothing is reported any more");
	emu_close(&emu);
}

static void
test_names(void)
{
	static const struct {
		const char *list;
		uint64_t rules; /* 0: is refused */
		const char *why;
	} lists[] = {
		{ "R1", 1 << 1, "" },
		{ "r20,c21", 1 << 20 | 1 << 21, "" },
		{ "C41,R5,C41", UINT64_C(1) << 41 | 1 << 5, "" },
		{ "R0", 0, "R0" },
		{ "R21", 0, "R21" },
		{ "C20", 0, "C20" },
		{ "C42", 0, "C42" },
		{ "R", 0, "R" },
		{ "R005", 0, "R005" },
		{ "R:", 0, "R:" },
		{ "C3/", 0, "C3/" },
		{ "X5", 0, "X5" },
		{ "R1,", 0, "" },
		{ "R1,,R2", 0, "" },
		{ "R1,abcdefghijklmnopqrstuvwxyz0123456789,R2", 0,
		  "abcdefghijklmnopqrstuvwxyz012345" },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		uint64_t rules = 0;
		struct diag why = { .text = "" };
		char expected[128] = "";
		const bool good =
			machine_rules_parse(lists[i].list, &rules, &why);

		if (!lists[i].rules)
			snprintf(expected, sizeof(expected),
				 "'%s' is not a rule: there are R1 to R20 and "
				 "C21 to C41",
				 lists[i].why);
		ok(good == (lists[i].rules != 0) &&
			   (!good || rules == lists[i].rules),
		   "the list of rules '%s' is %s", lists[i].list,
		   lists[i].rules ? "read" : "refused");
		is(why.text, expected, "what is said of the list of rules '%s'",
		   lists[i].list);
	}
}

static void
test_ignore(void)
{
	struct machine_options options = { .check = true };
	struct diag why;
	struct emu emu;

	machine_rules_parse("r1,C22", &options.ignore, &why);
	emu = emu_run(&options, "mov ra0, 1\nmov r0, ra0\nmov r1, ra7" EMU_END,
		      NULL, 0);
	ok(emu.nfindings == 0, "rules that are ignored are not reported");
	emu_close(&emu);
}

int
main(void)
{
	test_once_for_aliases();
	test_start();
	test_once();
	test_names();
	test_ignore();
	return tap_done();
}
