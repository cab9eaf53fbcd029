/* SPDX-License-Identifier: MIT */
/*
 * Promise: a machine refuses what it cannot do, tells each hazard once, counts
 * what each instruction took, and repeats a run with its seed.  What programs do,
 * and what faults say, is in programs.golden.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"

static void
test_create(void)
{
	struct machine_options options = { .qpus = MACHINE_QPUS + 1 };
	struct emu emu;
	struct diag why;

	ok(!machine_create(&options, &why),
	   "a machine with 13 QPUs is refused");
	is(why.text, "13 QPUs: there are 12",
	   "a machine with too many QPUs is refused with their number");
	options.qpus = 2;
	emu = emu_open(&options);
	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END), NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   machine_executed(emu.machine, 0) == 8 &&
		   machine_executed(emu.machine, 1) == 4 &&
		   machine_executed(emu.machine, 2) == 0,
	   "a machine has as many QPUs as were asked for");
	emu_close(&emu);
}

static void
test_launch(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "mov irq, 1" EMU_END);
	struct machine_program programs[17];

	for (unsigned i = 0; i < 17; i++)
		programs[i] = (struct machine_program){ .code = code };
	ok(!machine_launch(emu.machine, programs, 0, &emu.why),
	   "a launch without a program is refused");
	is(emu.why.text, "0 programs do not fit the queue of 16",
	   "a launch without a program is refused with the reason");
	ok(!machine_launch(emu.machine, programs, 17, &emu.why),
	   "a launch of 17 programs is refused");
	is(emu.why.text, "17 programs do not fit the queue of 16",
	   "a launch of 17 programs is refused with the reason");
	ok(machine_launch(emu.machine, programs, 15, &emu.why) &&
		   !machine_launch(emu.machine, programs, 2, &emu.why) &&
		   machine_launch(emu.machine, programs, 1, &emu.why) &&
		   !machine_launch(emu.machine, programs, 1, &emu.why),
	   "programs that wait take places of the queue");
	is(emu.why.text, "1 program does not fit the queue of 16",
	   "a launch that does not fit beside those that wait is refused with "
	   "the reason");
	ok(machine_run(emu.machine, 0, 0, &emu.why) == MACHINE_DONE &&
		   machine_instructions(emu.machine) == 16 * 4 &&
		   machine_interrupts(emu.machine) == 0xfff,
	   "all 16 programs of a launch run");
	programs[0].code = emu_assemble(&emu, "nop" EMU_END);
	machine_launch(emu.machine, programs, 1, &emu.why);
	ok(machine_interrupts(emu.machine) == 0 &&
		   machine_read(emu.machine, V3D_DBQITC) == 0,
	   "interrupts are those since the last launch");
	emu_close(&emu);
}

static void
test_ends(void)
{
	for (unsigned timed = 0; timed < 2; timed++) {
		const struct machine_options options = { .timed = timed };
		struct emu emu = emu_open(&options);

		emu_program(&emu, emu_assemble(&emu, "nop\nsacq -, 3"), NULL,
			    0);
		emu_program(&emu, emu_assemble(&emu, "mov -, mutex\nldtmu1"),
			    NULL, 0);
		ok(emu_go(&emu, 40) == MACHINE_DEADLOCK &&
			   machine_run(emu.machine, 0, 0, &emu.why) ==
				   MACHINE_FAULT,
		   "nothing runs after a deadlock");
		is(emu.why.text,
		   "deadlock: QPU 0 at 0x40001008 waits for semaphore 3, "
		   "QPU 1 at 0x40001048 waits for TMU result",
		   "a run after a deadlock is refused with its reason");
		ok(!machine_launch(emu.machine, emu.programs, 1, &emu.why),
		   "nothing is launched after a deadlock");
		is(emu.why.text, "the QPUs hang and need a reset",
		   "a launch after a deadlock asks for a reset");
		emu_close(&emu);
	}
}

static void
test_reserved(void)
{
	for (unsigned timed = 0; timed < 2; timed++) {
		const struct machine_options options = { .timed = timed };
		struct emu emu = emu_open(&options);

		machine_write(emu.machine, V3D_SQRSV0, 0x11111111);
		machine_write(emu.machine, V3D_SQRSV1, 0x1111);
		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END), NULL, 0);
		ok(emu_go(&emu, 0) == MACHINE_DEADLOCK,
		   "a program that gets no QPU never ends");
		is(emu.why.text,
		   "deadlock: programs are queued but every QPU is reserved",
		   "a deadlock of programs that wait for a reserved QPU says so");
		emu_close(&emu);
	}
	/* Only bit 0 of the four of a QPU is about user programs. */
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++) {
		struct emu emu = emu_open(NULL);
		const uint32_t all[2] = { 0x11111111, 0x1111 };

		for (unsigned i = 0; i < 2; i++)
			machine_write(emu.machine, V3D_SQRSV0 + 4 * i,
				      qpu / 8 == i ?
					      all[i] ^ 0xfu << qpu % 8 * 4 :
					      all[i]);
		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END), NULL, 0);
		ok(emu_go(&emu, 0) == MACHINE_DONE &&
			   machine_executed(emu.machine, qpu) == 4,
		   "the only QPU that is left gets it: %u", qpu);
		emu_close(&emu);
	}
}

/* A program that never gets to its first instruction. */
static void
test_no_code(void)
{
	struct machine_place places[MACHINE_QPUS];
	struct emu emu = emu_open(NULL);

	emu_program(&emu, 0xb0000004, NULL, 0);
	emu_program(&emu, emu_assemble(&emu, "nop" EMU_END), NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_FAULT &&
		   machine_instructions(emu.machine) == 0 &&
		   machine_places(emu.machine, places) == 0,
	   "a program outside of memory stands nowhere");
	is(emu.why.text,
	   "QPU 0 at 0x00000000: instruction fetch at 0xb0000004 is outside "
	   "memory",
	   "a program outside of memory is told with its address");
	emu_close(&emu);
}

/* The program is all the memory there is around it. */
static void
test_last_word(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "nop" EMU_END);
	_Alignas(8) uint8_t alone[32];
	struct machine *machine = machine_create(NULL, NULL);
	struct machine_program program = { .code = 0x1000, .uniforms = 0 };

	memcpy(alone, emu.memory + (code - EMU_BASE), sizeof(alone));
	machine_add_memory(machine, 0x1000, alone, sizeof(alone), NULL);
	ok(machine_launch(machine, &program, 1, NULL) &&
		   machine_run(machine, 100, 0, &emu.why) == MACHINE_DONE,
	   "nothing is fetched after the end of a program");
	machine_destroy(machine);
	emu_close(&emu);
}

/* Lanes take turns between two regions; one begins at bus address 0. */
static void
test_regions(void)
{
	static uint32_t more[MACHINE_LANES];
	struct emu emu = emu_open(NULL);
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		more[i] = 100 + i;
		emu_words(&emu, 0)[i] = 200 + i;
		expected[i] = (i & 1 ? 100 : 200) + i;
	}
	machine_add_memory(emu.machine, 0x10000000, more, sizeof(more),
			   &emu.why);
	emu_program(&emu,
		    emu_assemble(&emu, "mov r0, elem_num\nshl r1, r0, 2\n"
				       "ldi r2, 0x10000000\n"
				       "and.setf -, r0, 1\nmov t0s, r1\n"
				       "add.ifnz r1, r1, r2\nmov t0s, r1\n"
				       "ldtmu0\nmov r3, r4; ldtmu0\n"
				       "mov r2, r4" EMU_END),
		    NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   emu_lanes_are(emu_r(&emu, 2), expected) &&
		   emu_r(&emu, 3)[0] == 200 && emu_r(&emu, 3)[15] == 215,
	   "each lane fetches from its own region");
	emu_close(&emu);
}

static bool
row_is(const struct machine_profile_row *row, uint32_t pc, uint64_t executions)
{
	if (row->pc == pc && row->executions == executions)
		return true;
	tap_note("%08x: %u", row->pc, (unsigned)row->executions);
	return false;
}

/* The rows of a profile rise by address: a loop, and code in another page. */
static void
test_profile(void)
{
	static const struct machine_options options = { .profile = true };
	struct machine_profile_row rows[16];
	struct emu emu = emu_open(&options);
	uint32_t first, second;
	size_t n;

	ok(machine_profile(emu.machine, rows, 16) == 0,
	   "a machine that has not run has no profile");
	second = emu_assemble(&emu, "mov r0, 5\n:a\nsub.setf r0, r0, 1\n"
				    "brr.anynz -, :a\nnop\nnop\nnop" EMU_END);
	emu.code_end = 0x3000;
	first = emu_assemble(&emu, "nop" EMU_END);
	emu_program(&emu, first, NULL, 0);
	emu_program(&emu, second | 0xc0000000, NULL, 0);
	emu_program(&emu, first, NULL, 0);
	emu_go(&emu, 0);
	memset(rows, 0, sizeof(rows));
	n = machine_profile(emu.machine, rows, 12);
	ok(n == 13 && row_is(&rows[0], 0x1000, 1) &&
		   row_is(&rows[1], 0x1008, 5) && row_is(&rows[5], 0x1028, 5) &&
		   row_is(&rows[6], 0x1030, 1) && row_is(&rows[8], 0x1040, 1) &&
		   row_is(&rows[9], 0x3000, 2) && row_is(&rows[11], 0x3010, 2),
	   "a profile counts each instruction, by rising address");
	ok(rows[12].executions == 0 && rows[0].stall[1] == 0,
	   "a profile has no more rows than asked for");
	ok(machine_profile(emu.machine, NULL, 0) == 13,
	   "a profile can be asked for the number of its rows alone");
	emu_close(&emu);
}

static void
test_stalls_of_profile(void)
{
	static const struct machine_options options = { .profile = true,
							.timed = true };
	struct emu emu = emu_run(&options,
				 "nop\nldi vw_setup, 0x80904000\n"
				 "ldi vw_addr, 0x40010000\n"
				 "mov -, vw_wait" EMU_END,
				 NULL, 0);
	struct machine_profile_row rows[8];
	uint64_t sum = 0;
	const size_t n = machine_profile(emu.machine, rows, 8);

	ok(n == 7 &&
		   rows[3].stall[MACHINE_STALL_VDW] ==
			   machine_stalled(emu.machine, 0, MACHINE_STALL_VDW) &&
		   rows[3].stall[MACHINE_STALL_VDW] > 0 &&
		   rows[0].stall[MACHINE_STALL_ICACHE] ==
			   machine_stalled(emu.machine, 0,
					   MACHINE_STALL_ICACHE) &&
		   rows[0].stall[MACHINE_STALL_ICACHE] > 0,
	   "stalls are those of the instruction that waits");
	for (size_t i = 0; i < n; i++)
		for (unsigned cause = 0; cause < MACHINE_STALLS; cause++)
			sum += rows[i].stall[cause];
	ok(4 * machine_instructions(emu.machine) + sum ==
		   machine_clocks(emu.machine),
	   "stalls and instructions are the time of a run");
	emu_close(&emu);
}

/* QPUs in the order of their instructions. */
static void
note_order(void *context, const struct machine_step *step)
{
	char *order = context;
	const size_t used = strlen(order);

	if (used < 60)
		order[used] = (char)('a' + step->qpu);
}

/* Three programs in checking mode; the order of their instructions. */
static struct emu
run_seeded(uint64_t seed, char order[64])
{
	const struct machine_options options = { .check = true, .seed = seed };
	struct emu emu = emu_open(&options);

	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu,
			    emu_assemble(&emu,
					 ".rep i, 20\nnop\n.endr" EMU_END),
			    NULL, 0);
	memset(order, 0, 64);
	machine_on_step(emu.machine, note_order, order);
	emu_go(&emu, 1000);
	return emu;
}

/* What was reported with a seed is there again on every other host. */
static void
test_seed(void)
{
	char order[64], other_order[64];
	struct emu emu = run_seeded(7, order);
	struct emu other = run_seeded(8, other_order);

	ok(machine_vpm(emu.machine, 0)[0] == 0xfadde7ab &&
		   machine_vpm(emu.machine, 63)[15] == 0x672194bf,
	   "the VPM starts with the noise of a seed, the same everywhere");
	is(order,
	   "bbbbbbbbbbccbbbbbbbbbbbbbiiiiiiiiiiiiiiiiiiiccccccccccccciii",
	   "the order of the instructions of a random program is the same for its seed");
	ok(machine_register(emu.machine, 1, 0, 0)[0] == 0x785f2398 &&
		   machine_register(emu.machine, 1, 2, 5)[15] == 0xfddf4638,
	   "registers start with the noise of a seed, the same everywhere");
	ok(strcmp(order, other_order) != 0 &&
		   machine_vpm(other.machine, 0)[0] != 0xfadde7ab &&
		   machine_register(other.machine, 1, 0, 0)[0] != 0x785f2398,
	   "another seed gives another order and other noise");
	emu_close(&emu);
	emu_close(&other);
}

/* One program through two aliases; and a start within an instruction. */
static void
test_places_of_findings(void)
{
	const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, "mov r0, ra7" EMU_END);

	emu_program(&emu, code, NULL, 0);
	emu_program(&emu, code ^ 0x80000000, NULL, 0);
	ok(emu_go(&emu, 1000) == MACHINE_DONE && emu.nfindings == 1,
	   "a hazard is reported once for its place, whatever its alias");
	emu_close(&emu);
	for (unsigned bytes = 0; bytes <= 4; bytes++) {
		emu = emu_open(&options);
		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END) + bytes,
			    NULL, 0);
		ok(emu_go(&emu, 100) == MACHINE_DONE &&
			   emu.findings[20] == (bytes != 0),
		   "a start %u bytes after a multiple of 8 is %sreported",
		   bytes, bytes ? "" : "not ");
		emu_close(&emu);
	}
}

/* Each rule at each instruction of a loop is told once, but not for ever. */
static void
test_number_of_findings(void)
{
	static const struct machine_options options = { .check = true };
	static const struct {
		const char *inst;
		unsigned findings;
	} rows[] = { { "mov r1, ra7", 2100 }, { "add r1, ra7, rb39", 4096 } };

	for (unsigned i = 0; i < 2; i++) {
		struct emu emu = emu_open(&options);
		char text[256];

		snprintf(text, sizeof(text),
			 "ldi r0, 3\n:loop\n.rep i, 2100\n%s\n.endr\n"
			 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
			 "nop\nnop\nnop" EMU_END,
			 rows[i].inst);
		emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		ok(emu_go(&emu, 10000) == MACHINE_DONE &&
			   emu.nfindings == rows[i].findings,
		   "%u hazards of a loop are reported once", rows[i].findings);
		emu_close(&emu);
	}
}

static void
test_rules(void)
{
	static const struct {
		const char *list;
		uint64_t rules; /* 0: is refused */
		const char *why;
	} lists[] = {
		{ "r20,C43,R5,C43", UINT64_C(1) << 43 | 1 << 20 | 1 << 5, "" },
		{ "R0", 0, "R0" },
		{ "R21", 0, "R21" },
		{ "C20", 0, "C20" },
		{ "C44", 0, "C44" },
		{ "R1,", 0, "" },
	};
	struct machine_options options = { .check = true };
	struct diag why = { .text = "" };
	struct emu emu;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		uint64_t rules = 0;
		char expected[128];
		const bool good =
			machine_rules_parse(lists[i].list, &rules, &why);

		snprintf(expected, sizeof(expected),
			 "'%s' is not a rule: there are R1 to R20 and C21 to "
			 "C43",
			 lists[i].why);
		ok(lists[i].rules ? good && rules == lists[i].rules :
				    !good && strcmp(why.text, expected) == 0,
		   "the list of rules '%s' is %s", lists[i].list,
		   lists[i].rules ? "read" : "refused");
	}
	machine_rules_parse("r1,C22", &options.ignore, &why);
	emu = emu_run(&options, "mov ra0, 1\nmov r0, ra0\nmov r1, ra7" EMU_END,
		      NULL, 0);
	ok(emu.nfindings == 0, "rules that are ignored are not reported");
	emu_close(&emu);
}

int
main(void)
{
	test_create();
	test_launch();
	test_ends();
	test_reserved();
	test_no_code();
	test_last_word();
	test_regions();
	test_profile();
	test_stalls_of_profile();
	test_seed();
	test_places_of_findings();
	test_number_of_findings();
	test_rules();
	return tap_done();
}
