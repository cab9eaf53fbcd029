/* SPDX-License-Identifier: MIT */
/*
 * The V3D registers: identity, launching and event counters (section 12); the
 * queue, limits and reset of the machine.
 */
#include "config.h"

#include <errno.h>

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"

/* The sequence of section 12.2. */
static void
test_direct_launch(bool timed)
{
	const struct machine_options options = { .timed = timed };
	struct emu emu = emu_open(&options);
	struct machine *machine = emu.machine;
	const uint32_t code =
		emu_assemble(&emu, "mov r0, unif\nmov irq, 1" EMU_END);

	machine_write(machine, V3D_DBCFG, 0);
	machine_write(machine, V3D_DBQITE, 0);
	machine_write(machine, V3D_DBQITC, ~0u);
	machine_write(machine, V3D_L2CACTL, 4);
	machine_write(machine, V3D_SLCACTL, ~0u);
	machine_write(machine, V3D_SRQCS, 1 << 7 | 1 << 8 | 1 << 16);
	for (unsigned i = 0; i < 3; i++) {
		emu_words(&emu, EMU_DATA)[i] = 10 + i;
		machine_write(machine, V3D_SRQUA, EMU_BASE + EMU_DATA + 4 * i);
		machine_write(machine, V3D_SRQPC, code);
	}
	ok(machine_read(machine, V3D_SRQCS) == (3 << 8 | 3),
	   "three requests wait in the queue%s", timed ? " (timed)" : "");
	ok(machine_run(machine, 1000, 0, &emu.why) == MACHINE_DONE &&
		   machine_read(machine, V3D_SRQCS) == (3 << 16 | 3 << 8),
	   "programs that are queued by registers are completed");
	ok(*machine_register(machine, 0, 2, 0) == 10 &&
		   *machine_register(machine, 1, 2, 0) == 11 &&
		   *machine_register(machine, 2, 2, 0) == 12,
	   "each program that is queued by registers has its own uniforms");
	ok(machine_read(machine, V3D_DBQITC) == 7,
	   "each program that is queued by registers raises its interrupt");
	machine_write(machine, V3D_DBQITC, 2);
	ok(machine_read(machine, V3D_DBQITC) == 5,
	   "an interrupt is cleared by writing a one to its bit of DBQITC");
	emu_close(&emu);
}

/*
 * GPU_FFT's published times: charged once for each program its single
 * transforms on 8 QPUs would come out 20 us too slow.
 */
static void
test_launch_cost(void)
{
	const struct machine_options options = { .timed = true };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, "nop" EMU_END);

	for (unsigned launch = 1; launch <= 2; launch++) {
		for (unsigned i = 0; i < 8; i++)
			machine_write(emu.machine, V3D_SRQPC, code);
		ok(machine_run(emu.machine, 0, 0, &emu.why) == MACHINE_DONE &&
			   machine_launch_clocks(emu.machine) ==
				   launch * 3 * 250,
		   "a launch of 8 programs by registers costs 3 us once");
	}
	emu_close(&emu);
}

/* The lists of the two stages are each other's neighbours in all registers. */
static void
test_lists(void)
{
	struct emu emu = emu_open(NULL);

	machine_write(emu.machine, V3D_CT0CA, EMU_BASE);
	machine_write(emu.machine, V3D_CT0CA + 4, EMU_BASE + 64);
	machine_write(emu.machine, V3D_CT0CS + 4, 1 << 15);
	ok(machine_read(emu.machine, V3D_CT0CA) == EMU_BASE &&
		   machine_read(emu.machine, V3D_CT0CA + 4) == 0,
	   "a list is reset without the other");
	machine_write(emu.machine, V3D_INTENA, 15);
	machine_write(emu.machine, V3D_INTENA + 4, 5);
	ok(machine_read(emu.machine, V3D_INTENA) == 10 &&
		   machine_read(emu.machine, V3D_INTENA + 4) == 10,
	   "INTDIS clears bits of INTENA");
	emu_close(&emu);
}

/* A debugger, and qpurun, name the source line. */
static void
test_place_of_fault(void)
{
	struct machine_place places[MACHINE_QPUS];
	struct emu emu = emu_open(NULL);

	emu_program(&emu, emu_assemble(&emu, "nop\nsacq -, 3" EMU_END), NULL,
		    0);
	emu_program(&emu, emu_assemble(&emu, "nop\nbkpt"), NULL, 0);
	emu_go(&emu, 1000);
	ok(machine_places(emu.machine, places) == 1 && places[0].qpu == 1 &&
		   places[0].waits == MACHINE_STALL_NONE,
	   "after a fault only the program that caused it has a place");
	emu_close(&emu);
}

static void
test_reservation(void)
{
	struct emu emu = emu_open(NULL);

	machine_write(emu.machine, V3D_SQRSV0, 0x11);
	machine_write(emu.machine, V3D_SQRSV0 + 4, 0x1111);
	machine_write(emu.machine, V3D_VPMBASE, 4);
	machine_reset(emu.machine);
	ok(machine_read(emu.machine, V3D_SQRSV0) == 0 &&
		   machine_read(emu.machine, V3D_SQRSV0 + 4) == 0 &&
		   machine_read(emu.machine, V3D_VPMBASE) == 16,
	   "after a reset no QPU and no row of the VPM is reserved");
	emu_close(&emu);
}

/* What a program of before has left. */
static void
test_semaphore(void)
{
	struct emu emu = emu_open(NULL);

	emu_program(&emu, emu_assemble(&emu, "srel -, 3" EMU_END), NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   emu_go(&emu, 100) == MACHINE_DONE &&
		   machine_semaphore(emu.machine, 3) == 2,
	   "the next launch finds the semaphore as it was left");
	machine_reset(emu.machine);
	ok(machine_semaphore(emu.machine, 3) == 0,
	   "a semaphore is 0 after a reset");
	emu_close(&emu);
}

/* A store with a stride; after a reset, one that does not set any. */
static void
test_stride_ends(void)
{
	const uint32_t uniforms[] = {
		0xc0000000 | 56,
		0x80000000 | 2 << 23 | 2 << 16 | 1 << 14,
		EMU_BASE + EMU_DATA,
	};
	struct emu emu = emu_run(NULL,
				 "mov vw_setup, unif\nmov vw_setup, unif\n"
				 "mov vw_addr, unif\nmov -, vw_wait" EMU_END,
				 uniforms, 3);
	const uint32_t plain[] = { uniforms[1], EMU_BASE + EMU_DATA };
	const uint32_t *words = emu_words(&emu, EMU_DATA);

	machine_reset(emu.machine);
	memset(emu.memory + EMU_DATA, 0, 256);
	emu.nprograms = 0;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"ldi vw_setup, 0x1a00\nmov vpm, 7\nmov vpm, 7\n"
			"mov vw_setup, unif\nmov vw_addr, unif\nmov -, vw_wait" EMU_END),
		plain, 2);
	emu_go(&emu, 1000);
	ok(words[2] == 7 && words[3] == 7 && words[16] == 0,
	   "setups of a DMA end with a reset");
	emu_close(&emu);
}

static void
test_counters(void)
{
	const struct machine_options options = { .timed = true };
	struct emu emu = emu_open(&options);
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct machine *machine = emu.machine;
	static const uint8_t sources[] = { 16, 20, 21, 22, 24, 25 };
	uint32_t counts[6];

	for (unsigned i = 0; i < 6; i++)
		machine_write(machine, V3D_PCTR0 + 8 * i + 4, sources[i]);
	machine_write(machine, V3D_PCTRE, 0x3f);
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov t0s, unif\nldtmu0\nnop\nnop\nnop\nnop\nnop\nnop\nnop" EMU_END),
		uniforms, 1);
	emu_go(&emu, 100);
	ok(machine_read(machine, V3D_PCTR0) == 0,
	   "nothing is counted without bit 31");
	machine_write(machine, V3D_PCTRE, 0x8000003f);
	emu_go(&emu, 100);
	for (unsigned i = 0; i < 6; i++)
		counts[i] = machine_read(machine, V3D_PCTR0 + 8 * i);
	ok(counts[0] == 4 * 12, "16: clocks executing");
	ok(counts[1] == 12 && counts[2] == 2,
	   "20 counts instructions, 21 lines of them");
	ok(counts[3] == 2, "22: uniforms read, plus 2, less the miss");
	ok(counts[4] == 16 && counts[5] == 1,
	   "24 counts 16 per lookup, 25 lines fetched");
	machine_write(machine, V3D_PCTRE, 0);
	emu_go(&emu, 100);
	ok(machine_read(machine, V3D_PCTR0) == counts[0],
	   "stopped counters keep");
	machine_write(machine, V3D_PCTRC, 1);
	ok(machine_read(machine, V3D_PCTR0) == 0 &&
		   machine_read(machine, V3D_PCTR0 + 8) == counts[1],
	   "PCTRC clears the counters it names");
	ok(machine_read(machine, V3D_PCTR0 + 4) == 16, "PCTRS reads back");
	emu_close(&emu);
}

/* Each field is read as it was written, in the bits that it has. */
static void
test_fields(void)
{
	static const struct {
		const char *name;
		uint32_t offset, at_first, write, read;
	} rows[] = {
		/* V3D 2. */
		{ "IDENT0", V3D_IDENT0, 0x02443356, ~0u, 0x02443356 },
		/* 3 slices of 4 QPUs and 2 TMUs, 16 semaphores, 12 KiB of VPM,
		 * revision 1. */
		{ "IDENT1", V3D_IDENT1, 0xc1102431, ~0u, 0xc1102431 },
		{ "CT0CA", V3D_CT0CA, 0, EMU_BASE, EMU_BASE },
		{ "CT1CA", V3D_CT0CA + 4, 0, EMU_BASE, EMU_BASE },
		{ "the last one", 0xffc, 0, ~0u, 0 },
		{ "SCRATCH", 0x010, 0, 0x12345678, 0x12345678 },
		{ "INTENA", V3D_INTENA, 0, ~0u, 15 },
		{ "no register", 0x200, 0, ~0u, 0 },
		{ "BPOA", 0x308, 0, 0x12345678, 0x12345678 },
		{ "SQRSV0", 0x410, 0, ~0u, ~0u },
		{ "SQRSV1", 0x414, 0, 0x8001, 0x8001 },
		{ "SRQUA", V3D_SRQUA, 0, 0xdeadbeef, 0xdeadbeef },
		{ "SRQUL", V3D_SRQUL, 0xfff, 0x12345, 0x345 },
		{ "VPMBASE", V3D_VPMBASE, 16, 0, 0 },
		{ "VPMBASE", V3D_VPMBASE, 16, 0x2f, 15 },
		{ "VPMBASE", V3D_VPMBASE, 16, 17, 16 },
		{ "VPMBASE", V3D_VPMBASE, 16, 31, 16 },
		{ "PCTRE", V3D_PCTRE, 0, ~0u, ~0u },
		{ "DBQITE", V3D_DBQITE, 0, ~0u, 0xffff },
		{ "PCTRS0", V3D_PCTR0 + 4, 0, 0xffffffe3, 3 },
		{ "PCTRS15", V3D_PCTR0 + 15 * 8 + 4, 0, ~0u, 31 },
		{ "the one before PCTR0", V3D_PCTR0 - 4, 0, ~0u, 0 },
		{ "the one after PCTRS15", V3D_PCTR0 + 16 * 8, 0, ~0u, 0 },
		{ "the second one after PCTRS15", V3D_PCTR0 + 16 * 8 + 4, 0,
		  ~0u, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(NULL);
		const uint32_t was = machine_read(emu.machine, rows[i].offset);

		machine_write(emu.machine, rows[i].offset, rows[i].write);
		ok(was == rows[i].at_first &&
			   machine_read(emu.machine, rows[i].offset) ==
				   rows[i].read,
		   "%s reads as %x, then %x", rows[i].name, rows[i].at_first,
		   rows[i].read);
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
			if (rows[k].offset != rows[i].offset &&
			    machine_read(emu.machine, rows[k].offset) !=
				    rows[k].at_first)
				ok(false, "%s is no part of %s", rows[k].name,
				   rows[i].name);
		emu_close(&emu);
	}
}

/* Bits of V3D_SRQCS each clear their own; counts have 8 bits. */
static void
test_queue_status(void)
{
	static const uint32_t all = 2 << 16 | 18 << 8 | 1 << 7 | 16;
	const struct {
		uint32_t write, status;
		const char *what;
	} rows[] = {
		{ 0, all,
		  "programs that ended, were asked for, are one too many, and "
		  "wait" },
		{ ~(1u | 1 << 7 | 1 << 8 | 1 << 16), all,
		  "other bits clear nothing" },
		{ 1 << 8, all & ~0xff00u, "bit 8 clears the second" },
		{ 1 << 7, 2 << 16 | 16, "bit 7 the error" },
		{ 1 << 16, 16, "bit 16 the first" },
		{ 1, 0, "bit 0 those that wait" },
	};
	struct emu emu = emu_open(NULL);
	struct machine *machine = emu.machine;
	const uint32_t code = emu_assemble(&emu, "nop" EMU_END);

	for (unsigned i = 0; i < 258; i++) {
		machine_write(machine, V3D_SRQPC, code);
		machine_run(machine, 0, 0, &emu.why);
	}
	for (unsigned i = 0; i < 17; i++)
		machine_write(machine, V3D_SRQPC, code);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		machine_write(machine, V3D_SRQCS, rows[i].write);
		ok(machine_read(machine, V3D_SRQCS) == rows[i].status, "%s",
		   rows[i].what);
	}
	emu_close(&emu);
}

/* A number of words, from an address on; 1024 and more are not counted. */
static void
test_limits_of_uniforms(void)
{
	static const struct {
		uint32_t limit;
		bool none; /* no address of uniforms */
		unsigned reads, findings;
	} rows[] = {
		{ 0, false, 0, 0 },	  { 0, false, 1, 1 },
		{ 1, false, 1, 0 },	  { 1, false, 2, 1 },
		{ 1023, false, 1023, 0 }, { 1023, false, 1024, 1 },
		{ 1024, false, 1030, 0 }, { 0xfff, true, 1, 1 },
	};
	const struct machine_options options = { .check = true, .qpus = 1 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(&options);
		const uint32_t start = EMU_BASE + EMU_UNIFORMS;
		struct machine_view view;
		char text[64];

		snprintf(text, sizeof(text),
			 ".rep i, %u\nmov r0, unif\n.endr" EMU_END,
			 rows[i].reads);
		machine_write(emu.machine, V3D_SRQUL, rows[i].limit);
		machine_write(emu.machine, V3D_SRQUA, rows[i].none ? 0 : start);
		machine_write(emu.machine, V3D_SRQPC, emu_assemble(&emu, text));
		machine_on_finding(emu.machine, emu_finding, &emu);
		emu.status = machine_run(emu.machine, 2000, 0, &emu.why);
		machine_look(emu.machine, 0, &view);
		ok(emu.status == MACHINE_DONE &&
			   emu.nfindings == rows[i].findings &&
			   emu.findings[24] == rows[i].findings &&
			   (!rows[i].findings || emu_all(emu_r(&emu, 0), 0)) &&
			   view.uniforms == (rows[i].none ? 0 : start) +
						    4 * rows[i].reads,
		   "%u uniforms and a limit of %u", rows[i].reads,
		   rows[i].limit);
		emu_close(&emu);
	}
}

static void
test_sources(void)
{
	const struct machine_options options = { .timed = true };
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&options);
	struct machine *machine = emu.machine;
	uint64_t busy = 0, stalled = 0;

	/* Lines of L2: one of code, one of uniforms, and twice one of data. */
	emu_program(&emu,
		    emu_assemble(&emu, "mov r0, unif\nmov t0s, r0\nldtmu0\n"
				       "mov t1s, r0\nldtmu1" EMU_END),
		    uniforms, 1);
	emu_program(&emu, emu_assemble(&emu, "nop\nnop" EMU_END), NULL, 0);
	for (unsigned n = 0; n < 12; n++)
		emu_program(&emu, emu.programs[n % 2].code, uniforms, 1);
	emu_go(&emu, 20);
	for (unsigned rest = 0; rest < 2; rest++) {
		busy = stalled = 0;
		for (unsigned i = 0; i < MACHINE_QPUS; i++) {
			busy += 4 * machine_executed(machine, i);
			stalled +=
				machine_stalled(machine, i, MACHINE_STALL_TMU);
			for (unsigned k = 0; k < MACHINE_STALLS; k++)
				busy += machine_stalled(machine, i, k);
		}
		if (!rest)
			machine_run(machine, 0, 0, &emu.why);
	}
	ok(machine_counter(machine, 13) == 12 * machine_clocks(machine) - busy,
	   "13: clocks in which a QPU has no program");
	ok(machine_counter(machine, 17) == stalled && stalled > 0,
	   "17: clocks that wait for lookups");
	ok(machine_counter(machine, 30) == 0 &&
		   machine_counter(machine, 31) == 0 &&
		   machine_counter(machine, 12) == 0,
	   "counters that do not exist are 0");
	emu_close(&emu);
	emu = emu_open(&options);
	emu_program(&emu,
		    emu_assemble(&emu, "mov r0, unif\nmov t0s, r0\nldtmu0\n"
				       "mov t1s, r0\nldtmu1" EMU_END),
		    uniforms, 1);
	emu_go(&emu, 0);
	ok(machine_counter(emu.machine, 23) == 1 &&
		   machine_counter(emu.machine, 24) == 32 &&
		   machine_counter(emu.machine, 25) == 2 &&
		   machine_counter(emu.machine, 28) == 1 &&
		   machine_counter(emu.machine, 29) == 3,
	   "23: lines of uniforms; 25 of lookups; 28 and 29: hits and misses "
	   "of L2");
	emu_close(&emu);
	emu = emu_run(NULL, "nop" EMU_END, NULL, 0);
	ok(machine_counter(emu.machine, 13) == 0 &&
		   machine_counter(emu.machine, 16) == 16,
	   "a machine without clocks counts no idle ones");
	emu_close(&emu);
	is(machine_counter_name(29), "L2 cache misses", "counters have names");
	ok(!machine_counter_name(12) && !machine_counter_name(30),
	   "counters of graphics, and those that do not exist, have no names");
}

/* While it is on, a counter may be given another source, and be read. */
static void
test_switching(void)
{
	struct emu emu = emu_open(NULL);
	struct machine *machine = emu.machine;

	emu_program(&emu, emu_assemble(&emu, "mov t0s, unif\nldtmu0" EMU_END),
		    (const uint32_t[]){ EMU_BASE + EMU_DATA }, 1);
	machine_write(machine, V3D_PCTR0 + 4, 16);
	machine_write(machine, V3D_PCTR0 + 15 * 8 + 4, 16);
	machine_write(machine, V3D_PCTRE, 0x80008000);
	emu_go(&emu, 0);
	ok(machine_read(machine, V3D_PCTR0) == 0 &&
		   machine_read(machine, V3D_PCTR0 + 15 * 8) == 20,
	   "each counter has a bit of its own");
	machine_write(machine, V3D_PCTR0 + 15 * 8 + 4, 24);
	emu_go(&emu, 0);
	ok(machine_read(machine, V3D_PCTR0 + 15 * 8) == 36,
	   "a counter goes on with another event");
	machine_write(machine, V3D_PCTR0 + 15 * 8, 7);
	ok(machine_read(machine, V3D_PCTR0 + 15 * 8) == 36 &&
		   machine_read(machine, V3D_PCTR0 + 15 * 8 + 4) == 24,
	   "the value of a counter cannot be written");
	machine_write(machine, V3D_PCTRC, 0x7fff);
	ok(machine_read(machine, V3D_PCTR0 + 15 * 8) == 36,
	   "others are cleared");
	machine_write(machine, V3D_PCTRC, 0x8000);
	emu_go(&emu, 0);
	ok(machine_read(machine, V3D_PCTR0 + 15 * 8) == 16,
	   "from being cleared it counts again");
	emu_close(&emu);
}

/* Programs that run for ever, or hang after a fault. */
static void
test_reset(void)
{
	struct emu emu = emu_run(NULL, ":a\nbrr -, :a\nnop\nnop\nnop", NULL, 0);

	machine_reset(emu.machine);
	ok(emu.status == MACHINE_LIMIT &&
		   machine_run(emu.machine, 0, 0, &emu.why) == MACHINE_DONE,
	   "a reset stops the programs");
	emu_close(&emu);
	emu = emu_run(NULL, "bkpt" EMU_END, NULL, 0);
	ok(emu.status == MACHINE_FAULT &&
		   !machine_launch(emu.machine, emu.programs, 1, &emu.why),
	   "after a fault the QPUs hang");
	machine_reset(emu.machine);
	emu.nprograms = 0;
	emu_program(&emu, emu_assemble(&emu, "nop" EMU_END), NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE,
	   "QPUs that hang run again after a reset");
	emu_close(&emu);
}

/* What else is refused is in tests/api/test-qpu-machine.c. */
static void
test_memory(void)
{
	struct emu emu = emu_open(NULL);
	uint8_t bytes[64];

	errno = 0;
	ok(!machine_add_memory(emu.machine, 0x80000000u + 1000, bytes, 64,
			       &emu.why) &&
		   errno == EINVAL && strstr(emu.why.text, "overlaps"),
	   "memory must not overlap through an alias");
	errno = 0;
	ok(!machine_add_memory(emu.machine, 0x7fffffe0, bytes, 64, &emu.why) &&
		   errno == EINVAL &&
		   machine_add_memory(emu.machine, 0x7fffffc0, bytes, 64,
				      &emu.why),
	   "memory must not leave the bus");
	emu_close(&emu);
}

int
main(void)
{
	test_direct_launch(false);
	test_direct_launch(true);
	test_launch_cost();
	test_place_of_fault();
	test_reservation();
	test_semaphore();
	test_stride_ends();
	test_counters();
	test_fields();
	test_queue_status();
	test_limits_of_uniforms();
	test_lists();
	test_sources();
	test_switching();
	test_reset();
	test_memory();
	return tap_done();
}
