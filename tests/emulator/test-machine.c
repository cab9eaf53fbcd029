/* SPDX-License-Identifier: MIT */
/*
 * Promise: a machine refuses what it cannot do, tells each hazard once, and
 * repeats a run with its seed.  What programs do,
 * and what faults say, is in programs.golden.
 *
 * A debugger can stop it; a tracer gets each executed instruction once, with the
 * lanes and values that both ALUs wrote, and the flags after it.  What a debugger
 * sees is in tests/debugger/transcripts.golden.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"

/* Is a launch refused, with this reason? */
static bool
is_refused(struct emu *emu, const struct machine_program *programs, unsigned n,
	   const char *why)
{
	return !machine_launch(emu->machine, programs, n, &emu->why) &&
	       strcmp(emu->why.text, why) == 0;
}

static void
test_create(void)
{
	struct machine_options options = { .qpus = MACHINE_QPUS + 1 };
	struct emu emu;
	struct diag why;

	ok(!machine_create(&options, &why) &&
		   strcmp(why.text, "13 QPUs: there are 12") == 0,
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
	ok(is_refused(&emu, programs, 0,
		      "0 programs do not fit the queue of 16") &&
		   is_refused(&emu, programs, 17,
			      "17 programs do not fit the queue of 16"),
	   "a launch of no program, or of 17, is refused with the reason");
	ok(machine_launch(emu.machine, programs, 15, &emu.why) &&
		   !machine_launch(emu.machine, programs, 2, &emu.why) &&
		   machine_launch(emu.machine, programs, 1, &emu.why) &&
		   is_refused(&emu, programs, 1,
			      "1 program does not fit the queue of 16"),
	   "programs that wait take places of the queue");
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
		ok(is_refused(&emu, emu.programs, 1,
			      "the QPUs hang and need a reset"),
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

/* A tracer that notes QPUs as letters, in the order of their instructions, and
 * stops after the n-th one. */
struct watch {
	struct machine *machine;
	unsigned n;
	char qpus[61];
	unsigned seen;
};

static void
on_step(void *context, const struct machine_step *step)
{
	struct watch *watch = context;

	if (watch->seen + 1 < sizeof(watch->qpus))
		watch->qpus[watch->seen] = (char)('a' + step->qpu);
	if (++watch->seen == watch->n)
		machine_stop(watch->machine);
}

/* Three programs in checking mode; the order of their instructions. */
static struct emu
run_seeded(uint64_t seed, struct watch *watch)
{
	const struct machine_options options = { .check = true, .seed = seed };
	struct emu emu = emu_open(&options);

	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu,
			    emu_assemble(&emu,
					 ".rep i, 20\nnop\n.endr" EMU_END),
			    NULL, 0);
	machine_on_step(emu.machine, on_step, watch);
	emu_go(&emu, 1000);
	return emu;
}

/* What was reported with a seed is there again on every other host. */
static void
test_seed(void)
{
	struct watch watch = { .seen = 0 }, other_watch = watch;
	struct emu emu = run_seeded(7, &watch);
	struct emu other = run_seeded(8, &other_watch);

	ok(machine_vpm(emu.machine, 0)[0] == 0xfadde7ab &&
		   machine_vpm(emu.machine, 63)[15] == 0x672194bf,
	   "the VPM starts with the noise of a seed, the same everywhere");
	is(watch.qpus,
	   "bbbbbbbbbbccbbbbbbbbbbbbbiiiiiiiiiiiiiiiiiiiccccccccccccciii",
	   "the order of the instructions of a random program is the same for its seed");
	ok(machine_register(emu.machine, 1, 0, 0)[0] == 0x785f2398 &&
		   machine_register(emu.machine, 1, 2, 5)[15] == 0xfddf4638,
	   "registers start with the noise of a seed, the same everywhere");
	ok(strcmp(watch.qpus, other_watch.qpus) != 0 &&
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

/* --- Stops and steps --------------------------------------------------------- */

static const struct machine_options modes[] = {
	{ .lockstep = true },
	{ .check = true },
	{ .timed = true },
};

static void
test_stop(unsigned mode)
{
	struct emu emu = emu_open(&modes[mode]);
	const uint32_t code = emu_assemble(&emu, "nop\nnop" EMU_END);
	struct watch watch = { .machine = emu.machine, .n = 3 };
	struct machine_view view;
	uint64_t after;

	emu_program(&emu, code, NULL, 0);
	emu_program(&emu, code, NULL, 0);
	machine_on_step(emu.machine, on_step, &watch);
	machine_stop(emu.machine);
	emu_go(&emu, 0);
	machine_look(emu.machine, 0, &view);
	ok(emu.status == MACHINE_LIMIT && !watch.seen &&
		   (mode == 1 || (view.running && view.pc == code)),
	   "a stop before a run only starts the programs (%u)", mode);
	emu.status = machine_run(emu.machine, 0, 0, &emu.why);
	after = machine_instructions(emu.machine);
	ok(emu.status == MACHINE_LIMIT && after == 3,
	   "a tracer stops the run after its instruction (%u)", mode);
	emu.status = machine_run(emu.machine, 0, 0, &emu.why);
	ok(emu.status == MACHINE_DONE &&
		   machine_instructions(emu.machine) == 10,
	   "the run can be continued to its end (%u)", mode);
	emu_close(&emu);
}

static void
test_turns(void)
{
	struct emu emu = emu_open(&modes[0]);
	const uint32_t code = emu_assemble(&emu, "nop\nnop" EMU_END);
	struct watch watch = { .machine = emu.machine, .n = 1 };
	bool turns = true;

	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu, code, NULL, 0);
	machine_on_step(emu.machine, on_step, &watch);
	emu_go(&emu, 0);
	for (unsigned n = 0; emu.status == MACHINE_LIMIT && n < 100; n++) {
		watch.n = watch.seen + 1;
		emu.status = machine_run(emu.machine, 0, 0, &emu.why);
	}
	for (unsigned i = 1; i < 15; i++)
		turns = turns && watch.qpus[i] != watch.qpus[i - 1];
	ok(emu.status == MACHINE_DONE && watch.seen == 15 && turns,
	   "with lockstep QPUs take turns, however often they are stopped");
	emu_close(&emu);
}

/* A step as text: "CLOCK PC z n c add LANES:FIRST,LAST mul LANES:...". */
struct log {
	char text[32][128];
	unsigned n;
};

static void
put_result(char *text, size_t size, unsigned lanes, const uint32_t *values)
{
	const size_t used = strlen(text);

	if (values)
		snprintf(text + used, size - used, " %x:%x,%x", lanes,
			 values[0], values[MACHINE_LANES - 1]);
	else
		snprintf(text + used, size - used, " %x-", lanes);
}

static void
note_step(void *context, const struct machine_step *step)
{
	struct log *log = context;
	char *text = log->text[log->n];

	if (log->n++ >= 32)
		exit(99);
	snprintf(text, sizeof(log->text[0]), "%u %x %x %x %x",
		 (unsigned)step->clock, step->pc, step->z, step->n, step->c);
	put_result(text, sizeof(log->text[0]), step->lanes_add, step->add);
	put_result(text, sizeof(log->text[0]), step->lanes_mul, step->mul);
}

static void
test_steps(void)
{
	static const char *const expected[] = {
		"0 40001000 ffff 0 0 ffff:0,f 0-",
		/* N and C below lane 8, Z in it */
		"1 40001008 100 ff ff 0- 0-",
		"2 40001010 100 ff ff ff:1,0 ff00:0,1e",
		"3 40001018 100 ff ff 0- ffff:2,11",
		/* What goes to a port is seen, too. */
		"4 40001020 100 ff ff ffff:7,7 0-",
		/* r5 is shown as it is after the instruction. */
		"5 40001028 100 ff ff ffff:0,c 0-",
		"6 40001030 100 ff ff 0- ffff:0,0",
		/* A branch that is not taken, and one that is; its link. */
		"7 40001038 100 ff ff 0- 0-",
		"8 40001040 100 ff ff 0- 0-",
		"9 40001048 100 ff ff 0- 0-",
		"10 40001050 100 ff ff 0- 0-",
		"11 40001058 100 ff ff ffff:40001078,40001078 0-",
		"12 40001060 100 ff ff 0- 0-",
		"13 40001068 ffff 0 0 ffff:0,0 0-",
		"14 40001070 ffff 0 0 0- 0-",
		"15 40001080 ffff 0 0 0- 0-",
		"16 40001088 ffff 0 0 0- 0-",
		"17 40001090 ffff 0 0 0- 0-",
	};
	struct log log = { .n = 0 };
	struct emu emu = emu_open(NULL);

	emu_program(&emu,
		    emu_assemble(&emu,
				 "mov r0, elem_num\nsub.setf -, r0, 8\n"
				 "add.ifn r1, r0, 1; v8adds.ifnn r2, r0, r0\n"
				 "nop; v8adds r2, r0, 2\nldi vw_setup, 7\n"
				 "mov r5quad, r0\nnop; mov r5rep, r0\n"
				 "brr.alln ra3, :end\nnop\nnop\nnop\n"
				 "brr ra3, :end\nnop\nmov.setf r3, 0\nnop\n"
				 "mov r0, 9\n:end" EMU_END),
		    NULL, 0);
	machine_on_step(emu.machine, note_step, &log);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   log.n == sizeof(expected) / sizeof(*expected),
	   "each instruction is a step");
	for (unsigned i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		is(log.text[i], expected[i],
		   "step %u of a program has the lanes, values and flags of its instruction",
		   i);
	emu_close(&emu);
}

/* Programs that wait or fault: what did not happen is no step. */
static void
test_no_step(void)
{
	static const struct {
		const char *text;
		enum machine_status status;
		unsigned steps;
		const char *what;
	} rows[] = {
		{ "nop\nsacq -, 1", MACHINE_DEADLOCK, 1,
		  "an instruction that waits is no step" },
		{ "nop\nldi vr_addr, 0x30000000\nnop", MACHINE_FAULT, 1,
		  "an instruction that faults is no step" },
		{ "bra -, 0x30000000\nnop\nnop\nnop", MACHINE_FAULT, 4,
		  "a fetch that faults is no step, what is before it is" },
		{ "nop\nbkpt\nnop", MACHINE_FAULT, 1,
		  "a breakpoint is no step" },
	};

	for (unsigned i = 0; i < 3 * sizeof(rows) / sizeof(*rows); i++) {
		const unsigned row = i / 3, mode = i % 3;
		const struct machine_options options = {
			.check = mode == 1,
			.timed = mode == 2,
			.qpus = 1,
			.profile = true,
		};
		struct machine_profile_row counts[8];
		struct emu emu = emu_open(&options);
		struct log log = { .n = 0 };

		emu_program(&emu, emu_assemble(&emu, rows[row].text), NULL, 0);
		machine_on_step(emu.machine, note_step, &log);
		ok(emu_go(&emu, 100) == rows[row].status &&
			   log.n == rows[row].steps &&
			   machine_instructions(emu.machine) == log.n &&
			   (row > 0 ||
			    machine_profile(emu.machine, counts, 8) == 1),
		   "%s (%u)", rows[row].what, mode);
		emu_close(&emu);
	}
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
	test_seed();
	test_places_of_findings();
	test_number_of_findings();
	test_rules();
	for (unsigned mode = 0; mode < 3; mode++)
		test_stop(mode);
	test_turns();
	test_steps();
	test_no_step();
	return tap_done();
}
