/* SPDX-License-Identifier: MIT */
/*
 * How a debugger stops the machine; what a tracer gets: each executed
 * instruction once, with the lanes and values that both ALUs wrote, and the flags
 * after it.  What a debugger sees is in tests/debugger/transcripts.golden.
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* A tracer that stops after the n-th instruction. */
struct stopper {
	struct machine *machine;
	unsigned n;
	unsigned qpus[16]; /* in the order of their instructions */
	unsigned seen;
};

static void
on_step(void *context, const struct machine_step *step)
{
	struct stopper *stopper = context;

	if (stopper->seen < 16)
		stopper->qpus[stopper->seen] = step->qpu;
	if (++stopper->seen == stopper->n)
		machine_stop(stopper->machine);
}

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
	struct stopper stopper = { .machine = emu.machine, .n = 3 };
	struct machine_view view;
	uint64_t after;

	emu_program(&emu, code, NULL, 0);
	emu_program(&emu, code, NULL, 0);
	machine_on_step(emu.machine, on_step, &stopper);
	machine_stop(emu.machine);
	emu_go(&emu, 0);
	machine_look(emu.machine, 0, &view);
	ok(emu.status == MACHINE_LIMIT && !stopper.seen &&
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
	struct stopper stopper = { .machine = emu.machine, .n = 1 };
	bool turns = true;

	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu, code, NULL, 0);
	machine_on_step(emu.machine, on_step, &stopper);
	emu_go(&emu, 0);
	for (unsigned n = 0; emu.status == MACHINE_LIMIT && n < 100; n++) {
		stopper.n = stopper.seen + 1;
		emu.status = machine_run(emu.machine, 0, 0, &emu.why);
	}
	for (unsigned i = 1; i < 15; i++)
		turns = turns && stopper.qpus[i] != stopper.qpus[i - 1];
	ok(emu.status == MACHINE_DONE && stopper.seen == 15 && turns,
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
	for (unsigned mode = 0; mode < 3; mode++)
		test_stop(mode);
	test_turns();
	test_steps();
	test_no_step();
	return tap_done();
}
