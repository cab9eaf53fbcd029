/* SPDX-License-Identifier: MIT */
/*
 * What reads memory besides DMA: TMU lookups (section 9) and uniforms (3.14);
 * and the SFU (10).
 */
#include "config.h"

#include <math.h>

#include "tests/emulator/emu.h"

static void
fill(struct emu *emu)
{
	for (unsigned i = 0; i < 1024; i++)
		emu_words(emu, EMU_DATA)[i] = 1000 + i;
}

static void
test_lookup(void)
{
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(NULL);
	uint32_t expected[MACHINE_LANES];

	fill(&emu);
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov r0, elem_num\nmul24 r0, r0, r0\nshl r0, r0, 2\n"
			"add r0, r0, 3\nadd t0s, r0, unif\nldtmu0\nmov r1, r4" EMU_END),
		uniforms, 1);
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = 1000 + i * i;
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   emu_lanes_are(emu_r(&emu, 1), expected),
	   "each lane fetches its word, low address bits are ignored");
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

static void
test_order(void)
{
	const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA + 4,
		EMU_BASE + EMU_DATA + 8,
		EMU_BASE + EMU_DATA + 12,
	};
	struct emu emu = emu_open(NULL);

	fill(&emu);
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov t0s, unif\nmov t1s, unif\nmov t0s, unif\nmov t1s, unif\n"
			"ldtmu0\nmov r0, r4\nldtmu1\nmov r1, r4\nldtmu1\nmov r2, r4\n"
			"ldtmu0\nmov r3, r4" EMU_END),
		uniforms, 4);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 1000) &&
		   emu_all(emu_r(&emu, 1), 1001) &&
		   emu_all(emu_r(&emu, 2), 1003) &&
		   emu_all(emu_r(&emu, 3), 1002),
	   "results come in order from each of the two units");
	emu_close(&emu);
}

static void
test_depth(void)
{
	char text[512] = "mov r0, unif\n";
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu;

	for (unsigned i = 0; i < 8; i++)
		strcat(text, "mov t0s, r0\n");
	strcat(text, EMU_END);
	emu = emu_run(NULL, text, uniforms, 1);
	ok(emu.status == MACHINE_DONE, "eight requests fit");
	emu_close(&emu);
	text[strlen(text) - strlen(EMU_END)] = '\0';
	strcat(text, "mov t0s, r0\n" EMU_END);
	emu = emu_run(NULL, text, uniforms, 1);
	ok(emu.status == MACHINE_DEADLOCK &&
		   strstr(emu.why.text, "TMU request"),
	   "the ninth stalls");
	emu_close(&emu);
	emu = emu_run(NULL, "ldtmu1" EMU_END, NULL, 0);
	ok(emu.status == MACHINE_DEADLOCK && strstr(emu.why.text, "TMU result"),
	   "a load without a request never ends");
	emu_close(&emu);
}

static void
test_aliases(void)
{
	const uint32_t uniforms[] = {
		EMU_DATA,
		0x40000000 | EMU_DATA,
		0x80000000u | EMU_DATA,
		0xc0000000u | EMU_DATA,
	};
	struct emu emu = emu_open(NULL);

	fill(&emu);
	emu_program(&emu,
		    emu_assemble(
			    &emu,
			    "mov r0, 0\nmov t0s, unif\nldtmu0\nadd r0, r0, r4\n"
			    "mov t0s, unif\nldtmu0\nadd r0, r0, r4\n"
			    "mov t0s, unif\nldtmu0\nadd r0, r0, r4\n"
			    "mov t0s, unif\nldtmu0\nadd r0, r0, r4" EMU_END),
		    uniforms, 4);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 4000),
	   "the four bus aliases name the same memory");
	emu_close(&emu);
}

/* Twice around: lanes 0..7 inside of memory, lanes 8..15 behind it. */
static struct emu
look_behind(bool check)
{
	const struct machine_options options = {
		.check = check,
		.seed = 1,
		.qpus = 1,
	};
	const uint32_t uniforms[] = { EMU_BASE + EMU_BYTES - 32 };
	struct emu emu = emu_open(&options);

	for (unsigned i = 0; i < 8; i++)
		emu_words(&emu, EMU_BYTES - 32)[i] = 100 + i;
	emu_program(
		&emu,
		emu_assemble(&emu,
			     "mov r0, elem_num\nshl r0, r0, 2\nldi r2, 2\n"
			     "add r0, r0, unif\n:loop\nmov t0s, r0\nldtmu0\n"
			     "mov r1, r4\nsub.setf r2, r2, 1\n"
			     "brr.anynz -, :loop\nnop\nnop\nnop" EMU_END),
		uniforms, 1);
	emu_go(&emu, 1000);
	return emu;
}

/*
 * There is no MMU.  Rot3D and HeatMap of QPULib and pi-gemm look a little
 * beyond their arrays, and work on boards.
 */
static void
test_lookup_outside(void)
{
	struct emu emu = look_behind(false);
	bool good = emu.status == MACHINE_DONE;

	for (unsigned i = 0; i < 8; i++)
		good = good && emu_r(&emu, 1)[i] == 100 + i &&
		       emu_r(&emu, 1)[8 + i] == 0;
	ok(good, "a lookup outside of memory goes on, with 0");
	ok(emu.nfindings == 1 && emu.nwarnings == 1 &&
		   emu.finding_pc[33] == EMU_BASE + EMU_CODE + 32 &&
		   strstr(emu.finding,
			  "C33: TMU lookup at 0x40100000 in lane 8"),
	   "a lookup outside of memory is one warning, with its address");
	emu_close(&emu);
	emu = look_behind(true);
	ok(emu.status == MACHINE_DONE && emu_r(&emu, 1)[7] == 107 &&
		   emu_r(&emu, 1)[8] != emu_r(&emu, 1)[9],
	   "a lookup outside of memory gets noise in checking mode");
	ok(emu.findings[33] == 1 && emu.nwarnings == 0,
	   "a lookup outside of memory is a hazard in checking mode");
	emu_close(&emu);
}

static void
test_lookup_faults(void)
{
	struct emu emu = emu_run(NULL, "mov t0t, 0" EMU_END, NULL, 0);
	ok(emu.status == MACHINE_FAULT && strstr(emu.why.text, "t0t"),
	   "texture lookups are refused by name");
	emu_close(&emu);
	for (unsigned i = 0; i < 2; i++) {
		emu = emu_run(NULL,
			      i ? "mov r0, y_coord" EMU_END :
				  "mov r0, x_coord" EMU_END,
			      NULL, 0);
		ok(emu.status == MACHINE_FAULT &&
			   strstr(emu.why.text, i ? "y_coord" : "x_coord"),
		   "coordinates of pixels belong to the graphics pipeline");
		emu_close(&emu);
	}
}

static void
test_uniforms(void)
{
	const uint32_t uniforms[] = { 11, 22, 33, 44 };
	struct emu emu = emu_run(
		NULL, "mov r0, unif\nadd r1, unif, unif\nmov r2, unif" EMU_END,
		uniforms, 4);

	ok(emu_all(emu_r(&emu, 0), 11) && emu_all(emu_r(&emu, 2), 33),
	   "uniforms are read in order, in all lanes");
	ok(emu_all(emu_r(&emu, 1), 44),
	   "an instruction reads one uniform, through A and B alike");
	emu_close(&emu);
}

static void
test_uniform_address(void)
{
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA, 5 };
	struct emu emu = emu_open(NULL);

	fill(&emu);
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov unif_addr, unif\nnop\nnop\nmov r0, unif\nmov r1, unif" EMU_END),
		uniforms, 2);
	ok(emu_go(&emu, 100) == MACHINE_DONE && emu_all(emu_r(&emu, 0), 1000) &&
		   emu_all(emu_r(&emu, 1), 1001),
	   "unif_addr moves the stream");
	emu_close(&emu);
	emu = emu_run(NULL,
		      "ldi unif_addr, 0x3fffff00\nnop\nnop\n"
		      "mov r0, unif" EMU_END,
		      NULL, 0);
	ok(emu.status == MACHINE_FAULT && strstr(emu.why.text, "uniform"),
	   "a uniform from outside of memory is a fault");
	emu_close(&emu);
}

static float
as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void
test_sfu(void)
{
	static const struct {
		const char *name;
		uint32_t x;
		double result;
	} rows[] = {
		{ "recip", 0x40800000, 0.25 },
		{ "recip", 0xc0400000, -1 / 3. },
		{ "recip", 0, HUGE_VAL },
		{ "recip", 1, HUGE_VAL },
		{ "recipsqrt", 0x41100000, 1 / 3. },
		{ "recipsqrt", 0xc1100000, 1 / 3. },
		{ "recipsqrt", 0, HUGE_VAL },
		{ "exp", 0x40400000, 8 },
		{ "exp", 0xbf800000, 0.5 },
		{ "exp", 0x3f000000, 1.41421356 },
		{ "log", 0x41000000, 3 },
		{ "log", 0x3f000000, -1 },
		{ "log", 0, -HUGE_VAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint32_t uniforms[] = { rows[i].x };
		char text[128];
		struct emu emu;
		double result;

		snprintf(text, sizeof(text),
			 "mov %s, unif\nnop\nnop\n"
			 "mov r0, r4" EMU_END,
			 rows[i].name);
		emu = emu_run(NULL, text, uniforms, 1);
		result = (double)as_float(emu_r(&emu, 0)[7]);
		ok(result == rows[i].result ||
			   fabs(result - rows[i].result) < 1e-4 * fabs(result),
		   "%s(%g) is %g", rows[i].name, (double)as_float(rows[i].x),
		   rows[i].result);
		emu_close(&emu);
	}
}

int
main(void)
{
	test_lookup();
	test_regions();
	test_order();
	test_depth();
	test_aliases();
	test_lookup_outside();
	test_lookup_faults();
	test_uniforms();
	test_uniform_address();
	test_sfu();
	return tap_done();
}
