/* SPDX-License-Identifier: MIT */
/*
 * The behaviour that known-good binaries depend on: one test for each item of
 * the hardware reference's emulator checklist (section 17), in its order.
 */
#include "config.h"

#include "tests/emulator/emu.h"

static void
item_1(void)
{
	const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA + 4,
	};
	struct emu emu = emu_open(NULL);

	emu_words(&emu, EMU_DATA)[0] = 111;
	emu_words(&emu, EMU_DATA)[1] = 222;
	emu_program(&emu,
		    emu_assemble(&emu,
				 "mov t0s, unif\nmov t0s, unif\nldtmu0\n"
				 "mov r0, r4; ldtmu0\nmov r1, r4" EMU_END),
		    uniforms, 2);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 111) &&
		   emu_all(emu_r(&emu, 1), 222),
	   "1: ldtmu beside a read of r4 gives the old r4");
	emu_close(&emu);
}

static void
item_2(void)
{
	/* All three slots stall: for data, for a semaphore, for a DMA. */
	const struct machine_options options = { .timed = true };
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&options);
	const uint32_t other = emu_assemble(
		&emu,
		"nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nsrel -, 3" EMU_END);

	emu_program(&emu,
		    emu_assemble(
			    &emu,
			    "mov r0, unif\nmov r1, 0\nmov t0s, r0\n"
			    "ldi vw_setup, 0x80904000\nmov vw_addr, r0\n"
			    "brr -, :there\nldtmu0\nsacq -, 3\nmov -, vw_wait\n"
			    "mov r1, 1\n:there\nmov r2, 2" EMU_END),
		    uniforms, 1);
	emu_program(&emu, other, NULL, 0);
	ok(emu_go(&emu, 1000) == MACHINE_DONE && emu_all(emu_r(&emu, 1), 0) &&
		   emu_all(emu_r(&emu, 2), 2),
	   "2: delay slots are counted in instructions, and may stall");
	emu_close(&emu);
}

static void
item_3(void)
{
	/* Entry 2 of a table behind the call, 32 bytes each. */
	struct emu emu = emu_run(
		NULL,
		"mov r0, 0\nmov.setf -, 0\nldi r1, 64\n"
		"brr ra2, :sync\nnop\nnop\nnop\n"
		"add r0, r0, 1\nnop\nnop\nnop\n"
		"add r0, r0, 2\nnop\nnop\nnop\n"
		"add r0, r0, 4\nbrr -, :end\nnop\nnop\nnop\n"
		":sync\nadd ra2, ra2, r1\nnop\nbra -, ra2\nnop\nnop\nnop\n"
		":end\nnop" EMU_END,
		NULL, 0);

	ok(emu.status == MACHINE_DONE && emu_all(emu_r(&emu, 0), 4),
	   "3: a link is a byte address that one can add to");
	emu_close(&emu);
}

static void
item_4(void)
{
	/* Bodies of 5 instructions, 40 bytes; the index is a uniform. */
	bool good = true;

	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t uniforms[] = { 40 * i };
		struct emu emu = emu_run(
			NULL,
			"mov ra0, unif\nnop\nbrr -, ra0, :table\nnop\nnop\nnop\n"
			":table\n"
			"mov r0, 10\nbrr -, :end\nnop\nnop\nnop\n"
			"mov r0, 11\nbrr -, :end\nnop\nnop\nnop\n"
			"mov r0, 12\nbrr -, :end\nnop\nnop\nnop\n"
			":end\nnop" EMU_END,
			uniforms, 1);

		good = good && emu_all(emu_r(&emu, 0), 10 + i);
		emu_close(&emu);
	}
	ok(good, "4: a relative branch adds a register");
}

static void
item_5(void)
{
	/* Each of 8 QPUs writes two columns of the same 16 rows. */
	const struct machine_options options = { .check = true, .seed = 9 };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(
		&emu,
		"mov vw_setup, unif\nmov r0, unif\nnop\nnop\nmov vpm, r0\n"
		"add r0, r0, 1\nnop\nmov vpm, r0" EMU_END);
	bool good = true;

	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t uniforms[] = {
			1 << 12 | 0x200 | 2 * i,
			2 * i + 100,
		};

		emu_program(&emu, code, uniforms, 2);
	}
	emu_go(&emu, 1000);
	for (unsigned y = 0; y < 16; y++)
		for (unsigned x = 0; x < 16; x++)
			good = good &&
			       machine_vpm(emu.machine, y)[x] == x + 100;
	ok(good, "5: the VPM write setup is each QPU's own");
	emu_close(&emu);
}

static void
item_6(void)
{
	const struct machine_options options = {
		.check = true,
		.seed = 5,
		.qpus = 1,
	};
	struct emu emu = emu_run(
		&options,
		"xor rb0, rb0, rb0\nmov r0, elem_num\nmov rb1, r0\nnop\n"
		"add r1, rb1, rb1; mul24 r2, rb1, rb1" EMU_END,
		NULL, 0);
	bool good = emu_all(emu_rb(&emu, 0), 0);

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		good = good && emu_r(&emu, 1)[i] == 2 * i &&
		       emu_r(&emu, 2)[i] == i * i;
	ok(good && emu.nfindings == 0,
	   "6: one register feeds all operands; x ^ x is 0 from the start");
	emu_close(&emu);
}

static void
item_7(void)
{
	/* or -, ra51, ra39; waits through both files; release by -. */
	struct emu emu =
		emu_run(NULL,
			"mov -, mutex\nmov -, vr_wait\nmov -, vw_wait\n"
			"mov mutex, r0\nmov -, mutex\nmov mutex, r0" EMU_END,
			NULL, 0);

	ok(emu.status == MACHINE_DONE && machine_executed(emu.machine, 0) == 9,
	   "7: mutex and waits as operands of an instruction without result");
	emu_close(&emu);
}

static void
item_8(void)
{
	struct emu emu = emu_run(
		NULL,
		"mov r0, elem_num\nmov ra0, r0\nnop\nmov.rot 5, r1, ra0" EMU_END,
		NULL, 0);
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = (i & ~3u) | ((i - 1) & 3);
	ok(emu_lanes_are(emu_r(&emu, 1), expected),
	   "8: registers of file A and B rotate inside quads");
	emu_close(&emu);
}

static void
item_9(void)
{
	/* Interleave as an FFT does: even lanes here, odd ones there. */
	struct emu emu =
		emu_run(NULL,
			"mov r2, elem_num\nand.setf -, r2, 1\nldi r1, 100\n"
			"add r1, r1, r2\nmov r0, r2\nnop\n"
			"mov.ifnz r0, r1 >> 1\n"
			"add.ifz r3, r0, r0; mov.ifnz r3, r1" EMU_END,
			NULL, 0);
	bool good = true;

	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		good = good && emu_r(&emu, 0)[i] == (i & 1 ? 100 + i - 1 : i);
		good = good && emu_r(&emu, 3)[i] == (i & 1 ? 100 + i : 2 * i);
	}
	ok(good, "9: rotated results obey the lane they go to, and two "
		 "complementary writes share a destination");
	emu_close(&emu);
}

static void
item_10(void)
{
	/* Z in lanes 0..7; then, only there, Z of (lane & 1). */
	struct emu emu = emu_run(
		NULL,
		"mov r0, elem_num\nand.setf -, r0, 8\n"
		"and.ifz.setf -, r0, 1\nmov r1, 0\nmov.ifz r1, 1" EMU_END,
		NULL, 0);
	bool good = true;

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		good = good && emu_r(&emu, 1)[i] == (i < 8 && !(i & 1));
	ok(good, "10: flags change only in lanes whose condition holds");
	emu_close(&emu);
}

static void
item_11(void)
{
	/* MPITCH 64; MPITCHB 100; a vertical pair; a stride kept. */
	const uint32_t base = EMU_BASE + EMU_DATA;
	const uint32_t uniforms[] = {
		0x80000000 | 3 << 24 | 1 << 20 | 2 << 16 | 1 << 12,
		base,
		0x90000000 | 100,
		0x80000000 | 1 << 20 | 2 << 16 | 1 << 12 | 8 << 4,
		base,
		0x80000000 | 3 << 24 | 2 << 16 | 1 << 11 | 32 << 4 | 2,
		base,
		0xc0000000 | 12,
		0x80000000 | 2 << 23 | 1 << 16 | 1 << 14,
		base + 8192,
		0x80000000 | 2 << 23 | 1 << 16 | 1 << 14 | 8 << 7,
		base + 8192 + 64,
	};
	struct emu emu = emu_open(NULL);
	uint32_t *words = emu_words(&emu, EMU_DATA);

	for (unsigned i = 0; i < 1024; i++)
		words[i] = i;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov vr_setup, unif\nmov vr_addr, unif\nmov -, vr_wait\n"
			"mov vr_setup, unif\n"
			"mov vr_setup, unif\nmov vr_addr, unif\nmov -, vr_wait\n"
			"mov vr_setup, unif\nmov vr_addr, unif\nmov -, vr_wait\n"
			"mov vw_setup, unif\nmov vw_setup, unif\n"
			"mov vw_addr, unif\nmov -, vw_wait\n"
			"mov vw_setup, unif\nmov vw_addr, unif\nmov -, vw_wait" EMU_END),
		uniforms, 12);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   machine_vpm(emu.machine, 1)[0] == 16 &&
		   machine_vpm(emu.machine, 9)[0] == 25 &&
		   machine_vpm(emu.machine, 33)[2] == 1 &&
		   machine_vpm(emu.machine, 48)[2] == 16 && words[2048] == 0 &&
		   words[2052] == 16 && words[2064] == 0 && words[2068] == 25,
	   "11: both forms of the VDR pitch, vertical rows, a VDW stride "
	   "that persists");
	emu_close(&emu);
}

static void
item_12(void)
{
	struct emu emu = emu_run(NULL, "srel -, 4" EMU_END, NULL, 0);

	ok(emu.status == MACHINE_DONE && machine_semaphore(emu.machine, 4) == 1,
	   "12: semaphores start at 0, and one may be left at 1");
	emu_go(&emu, 100);
	ok(machine_semaphore(emu.machine, 4) == 2,
	   "12: the next launch finds what was left");
	emu_close(&emu);
}

static void
item_13(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "mov irq, unif" EMU_END);

	for (uint32_t i = 0; i < 3; i++)
		emu_program(&emu, code, &i, 1);
	emu_go(&emu, 100);
	ok(machine_interrupts(emu.machine) == 6,
	   "13: the interrupt needs a value, and several QPUs may raise it");
	emu_close(&emu);
	emu = emu_run(NULL, "or irq, ra39, ra39" EMU_END, NULL, 0);
	ok(machine_interrupts(emu.machine) != 0,
	   "13: what register 39 yields is such a value");
	emu_close(&emu);
}

static void
item_14(void)
{
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA, 77 };
	struct emu emu = emu_open(NULL);

	emu_words(&emu, EMU_DATA)[0] = 5;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov t0s, unif\nmov r1, unif\nldtmu0\nmov r0, r4" EMU_END),
		uniforms, 2);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 5) &&
		   emu_all(emu_r(&emu, 1), 77),
	   "14: a direct lookup takes its address from a uniform");
	emu_close(&emu);
}

static void
item_15(void)
{
	struct emu emu = emu_open(NULL);

	emu_words(&emu, EMU_DATA)[0] = 31;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"ldi unif_addr, 0x40010000\nldi vw_setup, 0xa05\nnop\n"
			"ldi ra3, rb4, 0x1234\nmov vpm, unif\n"
			"ldi vr_setup, 0x101a05\nnop\nnop\nnop\nmov r0, vpm" EMU_END),
		NULL, 0);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 31) &&
		   emu_all(emu_ra(&emu, 3), 0x1234) &&
		   emu_all(emu_rb(&emu, 4), 0x1234),
	   "15: loads into setups and unif_addr, and into two registers");
	emu_close(&emu);
}

static void
item_16(void)
{
	/* On all twelve QPUs, half of which swap their TMUs. */
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(
		&emu, "mov t0s, unif\nmov t1s, unif\nldtmu0\nmov r0, r4\n"
		      "ldtmu1\nmov r1, r4" EMU_END);
	const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA + 4,
	};
	bool good;

	emu_words(&emu, EMU_DATA)[0] = 1;
	emu_words(&emu, EMU_DATA)[1] = 2;
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		emu_program(&emu, code, uniforms, 2);
	good = emu_go(&emu, 1000) == MACHINE_DONE;
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		good = good &&
		       emu_all(machine_register(emu.machine, i, 2, 0), 1) &&
		       emu_all(machine_register(emu.machine, i, 2, 1), 2);
	ok(good, "16: the TMU swap shows in no result");
	emu_close(&emu);
}

static void
item_17(void)
{
	/* The program is all the memory there is around it. */
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "nop" EMU_END);
	_Alignas(8) uint8_t alone[32];
	struct machine *machine = machine_create(NULL, NULL);
	struct machine_program program = { .code = 0x1000, .uniforms = 0 };

	memcpy(alone, emu.memory + (code - EMU_BASE), sizeof(alone));
	machine_add_memory(machine, 0x1000, alone, sizeof(alone), NULL);
	ok(machine_launch(machine, &program, 1, NULL) &&
		   machine_run(machine, 100, 0, &emu.why) == MACHINE_DONE,
	   "17: nothing is fetched behind the end");
	machine_destroy(machine);
	emu_close(&emu);
}

static void
item_18(void)
{
	/* A ring: QPU i waits for i and releases i + 1, in any order. */
	bool good = true;

	for (unsigned seed = 0; seed < 20; seed++) {
		const struct machine_options options = {
			.check = true,
			.seed = seed,
		};
		struct emu emu = emu_open(&options);
		char text[64];

		for (unsigned i = 0; i < MACHINE_QPUS; i++) {
			snprintf(text, sizeof(text), "%s%u\nsrel -, %u" EMU_END,
				 i ? "sacq -, " : "mov r0, ", i, i + 1);
			emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		}
		good = good && emu_go(&emu, 10000) == MACHINE_DONE &&
		       machine_semaphore(emu.machine, 12) == 1;
		emu_close(&emu);
	}
	ok(good, "18: twelve programs run in any order and interleaving");
}

static void
item_19(void)
{
	const struct machine_options options = {
		.check = true,
		.seed = 1,
		.qpus = 1,
	};
	struct emu emu = emu_run(&options, "nop" EMU_END, NULL, 0);
	unsigned zeros = 0;

	for (unsigned n = 0; n < 32; n++) {
		zeros += emu_ra(&emu, n)[0] == 0;
		zeros += emu_rb(&emu, n)[0] == 0;
		zeros += machine_vpm(emu.machine, n)[0] == 0;
	}
	ok(zeros == 0, "19: registers and VPM are noise at the start");
	emu_close(&emu);
}

/* How often is a lookup of a stored line reported? */
static unsigned
stale_findings(const char *text)
{
	const struct machine_options options = { .check = true };
	const uint32_t uniforms[] = {
		0xc0000000 | EMU_DATA,
		EMU_BASE + EMU_DATA,
		0xc0000000 | EMU_DATA,
	};
	struct emu emu = emu_run(&options, text, uniforms, 3);
	const unsigned findings = emu.findings[30];

	emu_close(&emu);
	return findings;
}

#define STORE                                                                  \
	"ldi vw_setup, 0xa00\nmov vpm, 1\nldi vw_setup, 0x80904000\n"          \
	"mov vw_addr, unif\n"

static void
item_20(void)
{
	ok(stale_findings("mov t0s, unif\nldtmu0\n" STORE
			  "mov -, vw_wait\nmov t0s, unif\nldtmu0" EMU_END) == 1,
	   "20: a TMU read of what a DMA stored behind its back is reported");
	ok(stale_findings("mov r0, unif\n" STORE
			  "mov t0s, unif\nldtmu0\nmov -, vw_wait" EMU_END) == 1,
	   "20: so is one of what a DMA is still storing");
	ok(stale_findings("mov r0, unif\n" STORE
			  "mov -, vw_wait\nmov t0s, unif\nldtmu0" EMU_END) == 0,
	   "20: what no TMU had fetched before is read as it was stored");
}

int
main(void)
{
	item_1();
	item_2();
	item_3();
	item_4();
	item_5();
	item_6();
	item_7();
	item_8();
	item_9();
	item_10();
	item_11();
	item_12();
	item_13();
	item_14();
	item_15();
	item_16();
	item_17();
	item_18();
	item_19();
	item_20();
	return tap_done();
}
