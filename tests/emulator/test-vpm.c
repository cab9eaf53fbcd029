/* SPDX-License-Identifier: MIT */
/*
 * Generic VPM access in all its modes (sections 11.2 to 11.6).
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* Element i of a vector belongs at bits shift.. of (row, column). */
struct place {
	unsigned row, column, shift;
};

/* Straight from the table of 11.5. */
static struct place
place_of(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub, unsigned i)
{
	unsigned word = i, part = sub;

	if (size == 2) {
		part = 0;
	} else if (!laned) {
		word = size == 1 ? 8 * sub + i / 2 : 4 * sub + i / 4;
		part = size == 1 ? i & 1 : i & 3;
	}
	return (struct place){
		.row = horizontal ? y : (y & 0x30) + word,
		.column = horizontal ? word : x,
		.shift = part * (8u << size),
	};
}

static uint32_t
setup_of(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub)
{
	const unsigned where = horizontal ? y : (y & 0x30) | x;
	const unsigned addr = size == 2 ? where :
			      size == 1 ? where << 1 | sub :
					  where << 2 | sub;

	return (uint32_t)horizontal << 11 | (uint32_t)laned << 10 | size << 8 |
	       addr;
}

/* Write one vector, look at the VPM, read the vector back. */
static bool
try_mode(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub)
{
	const uint32_t setup = setup_of(horizontal, laned, size, y, x, sub);
	const uint32_t uniforms[] = { setup, 1u << 20 | setup };
	const uint32_t mask = size == 2 ? ~0u : (1u << (8 << size)) - 1;
	struct emu emu = emu_open(NULL);
	bool good;

	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov r0, elem_num\nldi r1, 0x01020304\nmul24 r0, r0, r1\n"
			"ldi r1, 0xf0f0f0f0\nadd ra0, r0, r1\nnop\n"
			"mov vw_setup, unif\nmov vpm, ra0\n"
			"mov vr_setup, unif\nnop\nnop\nnop\nmov ra1, vpm" EMU_END),
		uniforms, 2);
	good = emu_go(&emu, 100) == MACHINE_DONE;
	for (unsigned i = 0; good && i < MACHINE_LANES; i++) {
		const struct place place =
			place_of(horizontal, laned, size, y, x, sub, i);
		const uint32_t value = emu_ra(&emu, 0)[i] & mask;
		const uint32_t word =
			machine_vpm(emu.machine, place.row)[place.column];

		good = (word >> place.shift & mask) == value &&
		       emu_ra(&emu, 1)[i] == value;
	}
	emu_close(&emu);
	return good;
}

static void
test_modes(void)
{
	for (unsigned mode = 0; mode < 12; mode++) {
		const bool horizontal = mode & 1, laned = mode >> 1 & 1;
		const unsigned size = mode >> 2;
		bool good = true;

		for (unsigned sub = 0; sub < 4u >> size; sub++)
			good = good &&
			       try_mode(horizontal, laned, size, 5, 3, sub) &&
			       try_mode(horizontal, laned, size, 63, 15, sub);
		ok(good, "%s %u-bit %s: written and read back",
		   horizontal ? "horizontal" : "vertical", 8u << size,
		   laned ? "laned" : "packed");
	}
}

static void
test_stride(void)
{
	/* h32(2) stride 3, h32(60) stride 0 is 64: the same row again. */
	const uint32_t uniforms[] = {
		3 << 12 | 0xa02,
		0xa3c,
		3u << 20 | 3 << 12 | 0xa02,
	};
	struct emu emu = emu_run(
		NULL,
		"mov vw_setup, unif\nmov vpm, 1\nmov vpm, 2\nmov vpm, 3\n"
		"mov vw_setup, unif\nmov vpm, 4\nmov vpm, 5\n"
		"mov vr_setup, unif\nnop\nnop\nnop\n"
		"mov r0, vpm\nmov r1, vpm\nmov r2, vpm" EMU_END,
		uniforms, 3);

	ok(emu_all(machine_vpm(emu.machine, 2), 1) &&
		   emu_all(machine_vpm(emu.machine, 5), 2) &&
		   emu_all(machine_vpm(emu.machine, 8), 3),
	   "the stride is added after each vector");
	ok(emu_all(machine_vpm(emu.machine, 60), 5), "stride 0 is 64");
	ok(emu_all(emu_r(&emu, 0), 1) && emu_all(emu_r(&emu, 1), 2) &&
		   emu_all(emu_r(&emu, 2), 3),
	   "reads have a stride, too");
	emu_close(&emu);
}

static void
test_vertical_stride(void)
{
	/* v32(0, 14): columns 14, 15, then 0 of the next 16 rows. */
	const uint32_t uniforms[] = { 1 << 12 | 0x20e };
	struct emu emu = emu_run(
		NULL,
		"mov vw_setup, unif\nmov vpm, 1\nmov vpm, 2\nmov vpm, 3" EMU_END,
		uniforms, 1);

	ok(machine_vpm(emu.machine, 3)[14] == 1 &&
		   machine_vpm(emu.machine, 3)[15] == 2 &&
		   machine_vpm(emu.machine, 19)[0] == 3,
	   "vertical addresses step through columns, then 16 rows");
	emu_close(&emu);
}

static void
test_one_read_for_both(void)
{
	const uint32_t uniforms[] = { 2u << 20 | 1 << 12 | 0xa00 };
	struct emu emu = emu_open(NULL);

	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		machine_vpm(emu.machine, 0)[i] = 10;
		machine_vpm(emu.machine, 1)[i] = 20;
	}
	emu_program(&emu,
		    emu_assemble(&emu, "mov vr_setup, unif\nnop\nnop\nnop\n"
				       "add r0, vpm, vpm\nmov r1, vpm" EMU_END),
		    uniforms, 1);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 20) &&
		   emu_all(emu_r(&emu, 1), 20),
	   "reading the VPM through A and B takes one vector");
	emu_close(&emu);
}

static void
test_waiting_forever(void)
{
	struct emu emu = emu_run(NULL, "mov r0, vpm" EMU_END, NULL, 0);

	ok(emu.status == MACHINE_DEADLOCK &&
		   strstr(emu.why.text, "waits for VPM read"),
	   "a read without a setup never ends");
	emu_close(&emu);
}

static void
test_second_setup(void)
{
	/* Row 1 twice is pending when row 9 is set up: ignored. */
	const uint32_t uniforms[] = {
		2u << 20 | 1 << 12 | 0xa01,
		1u << 20 | 0xa09,
		1u << 20 | 0xa0a,
	};
	struct emu emu = emu_open(NULL);

	for (unsigned row = 0; row < 64; row++)
		machine_vpm(emu.machine, row)[0] = row;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov vr_setup, unif\nmov vr_setup, unif\nnop\nnop\nnop\n"
			"mov r0, vpm\nmov vr_setup, unif\nnop\nnop\nnop\n"
			"mov r1, vpm\nmov r2, vpm" EMU_END),
		uniforms, 3);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_r(&emu, 0)[0] == 1 &&
		   emu_r(&emu, 1)[0] == 2,
	   "a setup is ignored while two vectors wait");
	ok(emu_r(&emu, 2)[0] == 10,
	   "a setup beside the read of the last vector is not ignored");
	emu_close(&emu);
}

/* Both ALUs into one port: the mul ALU's value is what arrives. */
static void
test_two_writes(void)
{
	static const struct qpu_inst both = {
		.sig = QPU_SIG_NONE,
		.cond_add = QPU_COND_ALWAYS,
		.cond_mul = QPU_COND_ALWAYS,
		.op_add = QPU_ADD_OR,
		.op_mul = QPU_MUL_V8MIN,
		.waddr_add = QPU_W_VPM,
		.waddr_mul = QPU_W_VPM,
		.raddr_a = QPU_R_NOP,
		.raddr_b = QPU_R_NOP,
		.add_a = 1,
		.add_b = 1,
		.mul_a = 2,
		.mul_b = 2,
	};

	for (unsigned ws = 0; ws < 2; ws++) {
		const uint32_t uniforms[] = { 1 << 12 | 0xa00 };
		struct qpu_inst inst = both;
		struct emu emu = emu_open(NULL);
		const uint32_t code = emu_assemble(
			&emu, "mov vw_setup, unif\nmov r1, 1\nmov r2, 2\n"
			      "nop\nmov vpm, 3" EMU_END);

		inst.ws = ws;
		qpu_word_store(emu.memory + (code - EMU_BASE) + 24,
			       qpu_pack(&inst));
		emu_program(&emu, code, uniforms, 1);
		emu_go(&emu, 100);
		ok(emu_all(machine_vpm(emu.machine, 0), 2) &&
			   emu_all(machine_vpm(emu.machine, 1), 3),
		   "of two writes to the VPM that of the mul ALU arrives");
		emu_close(&emu);
	}
}

/* Nor does a port hear of a write that never happens. */
static void
test_never(void)
{
	const uint32_t uniforms[] = { 1 << 12 | 0xa00 };
	struct emu emu = emu_run(
		NULL,
		"mov vw_setup, unif\nmov r1, 1\nmov.never vpm, r1\n"
		"mov.setf -, 1\nnop; v8adds.never vpm, r1, r1\nmov vpm, 3" EMU_END,
		uniforms, 1);

	ok(emu.status == MACHINE_DONE &&
		   emu_all(machine_vpm(emu.machine, 0), 3),
	   "a write under the condition never does not happen");
	emu_close(&emu);
}

static void
test_reserved_rows(void)
{
	struct emu emu = emu_open(NULL);
	const uint32_t uniforms[] = { 1 << 12 | 0xa0f };

	machine_write(emu.machine, 0x504, 4);
	ok(machine_read(emu.machine, 0x504) == 4, "VPMBASE reads back");
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov vw_setup, unif\nmov vpm, 1\nmov vpm, 2" EMU_END),
		uniforms, 1);
	emu_go(&emu, 100);
	ok(emu_all(machine_vpm(emu.machine, 15), 1) &&
		   emu_all(machine_vpm(emu.machine, 16), 0) &&
		   machine_read(emu.machine, 0xf20) == 1 << 4,
	   "writes outside the reserved rows are masked and noted");
	emu_close(&emu);
}

/* Accesses within the reserved rows and behind them: ERRSTAT and C26. */
static void
test_outside(void)
{
	static const struct {
		const char *text;
		uint32_t errors;
		const char *what;
	} rows[] = {
		{ "ldi vw_setup, 0x1a1f\nmov vpm, 1", 0, "the last row" },
		{ "ldi vw_setup, 0x1a20\nmov vpm, 1", 1 << 4, "a row behind" },
		{ "ldi vw_setup, 0x1210\nmov vpm, 1", 0, "the last columns" },
		{ "ldi vw_setup, 0x1220\nmov vpm, 1", 1 << 4,
		  "a column behind" },
		{ "ldi vw_setup, 0x1940\nmov vpm, 1", 1 << 4,
		  "halves of a row behind" },
		{ "ldi vr_setup, 0x101a1f\nnop\nnop\nnop\nmov r0, vpm", 0,
		  "reading the last row" },
		{ "ldi vr_setup, 0x101a20\nnop\nnop\nnop\nmov r0, vpm", 1 << 5,
		  "reading a row behind" },
		{ "ldi vr_setup, 0x101210\nnop\nnop\nnop\nmov r0, vpm", 0,
		  "reading the last columns" },
		{ "ldi vr_setup, 0x101220\nnop\nnop\nnop\nmov r0, vpm", 1 << 5,
		  "reading a column behind" },
	};
	static const struct machine_options options = { .check = true };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(&options);
		char text[128];

		snprintf(text, sizeof(text), "%s" EMU_END, rows[i].text);
		machine_write(emu.machine, 0x504, 8);
		emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		emu_go(&emu, 100);
		ok(machine_read(emu.machine, 0xf20) == rows[i].errors &&
			   emu.findings[26] == (rows[i].errors != 0) &&
			   emu.nfindings == emu.findings[26],
		   "%s of 32 reserved rows", rows[i].what);
		machine_write(emu.machine, 0xf20, 0x10);
		ok(machine_read(emu.machine, 0xf20) ==
			   (rows[i].errors & ~0x10u),
		   "ERRSTAT is cleared by writing ones");
		emu_close(&emu);
	}
}

int
main(void)
{
	test_modes();
	test_stride();
	test_vertical_stride();
	test_one_read_for_both();
	test_waiting_forever();
	test_second_setup();
	test_two_writes();
	test_never();
	test_reserved_rows();
	test_outside();
	return tap_done();
}
