/* SPDX-License-Identifier: MIT */
/*
 * What a debugger sees of the machine, and how it stops it; what a tracer gets:
 * each executed instruction once, with the lanes and values that both ALUs
 * wrote, and the flags after it.
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

static void
test_view(void)
{
	const uint32_t uniforms[] = { 7, 8 };
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "mov.setf r0, unif\n"
						 "ldi vw_setup, 0x1a03\n"
						 "ldi vr_setup, 0x301a05\n"
						 "ldi vr_setup, 0x83011820\n"
						 "ldi vr_setup, 0x90000100\n"
						 "ldi vw_setup, 0x80904000\n"
						 "ldi vw_setup, 0xc0000040\n"
						 "ldi t0s, 0x40010000\n"
						 "mov vpm, r0\n"
						 "mov -, mutex\n"
						 "brr -, :end\n"
						 "nop\n"
						 "sacq -, 5\n"
						 "nop\n"
						 ":end" EMU_END);
	struct machine_view view;

	emu_program(&emu, code, uniforms, 2);
	emu_go(&emu, 0);
	machine_look(emu.machine, 0, &view);
	ok(emu.status == MACHINE_DEADLOCK && view.running &&
		   view.pc == code + 12 * 8 &&
		   view.waits == MACHINE_STALL_SEMAPHORE && !view.until,
	   "the view tells where a program waits, and for what");
	ok(view.branch_slots == 2 && view.target == code + 14 * 8 &&
		   !view.end_slots,
	   "the branch that is on its way");
	ok(view.vpm_write == 0x1a04 && view.vpm_reads == 1 &&
		   view.vpm_read[0] == 0x301a05,
	   "set-ups of the VPM as they are by now");
	ok(view.load == 0x83011820 && view.load_pitch == 0x100 &&
		   view.store == 0x80904000 && view.store_stride == 0xc0000040,
	   "set-ups of the DMA");
	ok(view.lookups[0] == 1 && view.lookups[1] == 0 && view.z == 0 &&
		   view.n == 0 && machine_mutex(emu.machine) == 0,
	   "lookups under way, flags, and who holds the mutex");
	ok(view.uniforms == emu.programs[0].uniforms + 4 &&
		   machine_memory(emu.machine, EMU_BASE + 8, 4) ==
			   emu.memory + 8 &&
		   !machine_memory(emu.machine, EMU_BASE + EMU_BYTES - 4, 8),
	   "the next uniform, and memory by its address");
	emu_close(&emu);
}

/* Other values of what test_view has, on QPU 3, which swaps its TMUs. */
static void
test_other_values(void)
{
	const struct machine_options options = { .lockstep = true };
	struct emu emu = emu_open(&options);
	const uint32_t end = emu_assemble(&emu, "nop" EMU_END);
	const uint32_t code = emu_assemble(
		&emu, "mov r0, elem_num\nsub.setf r0, r0, 4\n"
		      "ldi vw_setup, 0x3f534\nldi vr_setup, 0x1020ff\n"
		      "ldi vr_setup, 0x007e01\nldi t1s, 0x40010000\n"
		      "ldi t1s, 0x40010000\nldi t0s, 0x40010000\n"
		      "thrend\nsacq -, 5\nnop");
	struct machine_view view;

	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu, end, NULL, 0);
	emu_program(&emu, code, NULL, 0);
	emu_go(&emu, 0);
	machine_look(emu.machine, 3, &view);
	ok(view.running && view.end_slots == 2 && view.branch_slots == 0 &&
		   view.pc == code + 9 * 8,
	   "a program that is about to end");
	ok(view.z == 0x10 && view.n == 0xf && view.c == 0xf,
	   "each flag in its lanes");
	ok(view.lookups[0] == 1 && view.lookups[1] == 2,
	   "lookups by the number that the program knows");
	ok(view.vpm_write == 0x3f534 && view.vpm_reads == 2 &&
		   view.vpm_read[0] == 0x1020ff && view.vpm_read[1] == 0x7e01,
	   "all fields of set-ups of the VPM");
	machine_look(emu.machine, 0, &view);
	ok(!view.running && view.waits == MACHINE_STALL_NONE,
	   "a program that has ended waits for nothing");
	machine_look(emu.machine, 11, &view);
	ok(!view.running && view.pc == 0, "a QPU that had none is nowhere");
	emu_close(&emu);
}

/* Two programs wait: one until a clock, one for the other. */
static void
test_until(void)
{
	static const struct machine_options timed = { .timed = true };
	struct emu emu = emu_open(&timed);
	const uint32_t codes[] = {
		emu_assemble(&emu, "ldi vw_setup, 0x88104000\n"
				   "ldi vw_addr, 0x40010000\n"
				   "mov -, vw_wait" EMU_END),
		emu_assemble(&emu, "sacq -, 1"),
	};
	struct machine_view view;
	uint64_t end;

	for (unsigned i = 0; i < 2; i++)
		emu_program(&emu, codes[i], NULL, 0);
	machine_launch(emu.machine, emu.programs, 2, &emu.why);
	/* Long enough for both to wait, not for the store to end. */
	emu.status = machine_run(emu.machine, 0, 250, &emu.why);
	machine_look(emu.machine, 0, &view);
	end = view.store_end;
	ok(emu.status == MACHINE_LIMIT && view.waits == MACHINE_STALL_VDW &&
		   view.until >= end && view.until < end + 4 &&
		   view.load_end == 0,
	   "it is known until when a store makes a program wait");
	machine_look(emu.machine, 1, &view);
	ok(view.waits == MACHINE_STALL_SEMAPHORE && view.until == 0,
	   "it is not known until when a semaphore makes a program wait");
	ok(machine_mutex(emu.machine) == -1, "nobody holds the mutex");
	emu_close(&emu);
}

static void
test_dma_clocks(void)
{
	static const struct machine_options timed = { .timed = true };
	struct emu emu = emu_open(&timed);
	const uint32_t code = emu_assemble(
		&emu, "ldi vw_setup, 0x80904000\nldi vw_addr, 0x40010000\n"
		      "mov -, vw_wait" EMU_END);
	struct stopper stopper = { .machine = emu.machine, .n = 3 };
	struct machine_view view;

	emu_program(&emu, code, NULL, 0);
	machine_on_step(emu.machine, on_step, &stopper);
	emu_go(&emu, 0);
	machine_look(emu.machine, 0, &view);
	ok(emu.status == MACHINE_LIMIT && !view.load_end && view.store_end &&
		   view.store_end <= machine_clocks(emu.machine) &&
		   view.store_end + 4 > machine_clocks(emu.machine),
	   "an instruction that waits for a DMA goes on at its end");
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

/* A program that waits, and one that faults: what did not happen is no step. */
static void
test_no_step(void)
{
	for (unsigned mode = 0; mode < 3; mode++) {
		const struct machine_options options = {
			.check = mode == 1,
			.timed = mode == 2,
			.qpus = 1,
			.profile = true,
		};
		struct machine_profile_row rows[8];
		struct emu emu = emu_open(&options);
		struct log log = { .n = 0 };

		emu_program(&emu, emu_assemble(&emu, "nop\nsacq -, 1"), NULL,
			    0);
		machine_on_step(emu.machine, note_step, &log);
		ok(emu_go(&emu, 100) == MACHINE_DEADLOCK && log.n == 1 &&
			   machine_instructions(emu.machine) == 1 &&
			   machine_profile(emu.machine, rows, 8) == 1,
		   "an instruction that waits is no step (%u)", mode);
		emu_close(&emu);
		log.n = 0;
		emu = emu_open(&options);
		emu_program(&emu,
			    emu_assemble(&emu, "nop\nldi vr_addr, 0x30000000\n"
					       "nop"),
			    NULL, 0);
		machine_on_step(emu.machine, note_step, &log);
		ok(emu_go(&emu, 100) == MACHINE_FAULT && log.n == 1 &&
			   machine_instructions(emu.machine) == 1,
		   "an instruction that faults is no step (%u)", mode);
		emu_close(&emu);
		log.n = 0;
		emu = emu_open(&options);
		emu_program(&emu,
			    emu_assemble(&emu, "bra -, 0x30000000\nnop\nnop\n"
					       "nop"),
			    NULL, 0);
		machine_on_step(emu.machine, note_step, &log);
		ok(emu_go(&emu, 100) == MACHINE_FAULT && log.n == 4 &&
			   machine_instructions(emu.machine) == 4,
		   "a fetch that faults is no step, what is before it is (%u)",
		   mode);
		emu_close(&emu);
		log.n = 0;
		emu = emu_open(&options);
		emu_program(&emu, emu_assemble(&emu, "nop\nbkpt\nnop"), NULL,
			    0);
		machine_on_step(emu.machine, note_step, &log);
		ok(emu_go(&emu, 100) == MACHINE_FAULT && log.n == 1 &&
			   machine_instructions(emu.machine) == 1,
		   "a breakpoint is no step (%u)", mode);
		emu_close(&emu);
	}
}

int
main(void)
{
	for (unsigned mode = 0; mode < 3; mode++)
		test_stop(mode);
	test_turns();
	test_view();
	test_other_values();
	test_until();
	test_dma_clocks();
	test_steps();
	test_no_step();
	return tap_done();
}
