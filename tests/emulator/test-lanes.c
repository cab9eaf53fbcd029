/* SPDX-License-Identifier: MIT */
/*
 * What lanes decide and exchange: conditions and flags (sections 3.6 and 3.7),
 * rotation (section 6), and r5, which is filled from other lanes (3.4).
 */
#include "config.h"

#include "tests/emulator/emu.h"

static void
test_conditions(void)
{
	/* Lanes 0..15 minus 8: N below 8, Z at 8; C is the borrow. */
	struct emu emu = emu_run(
		NULL,
		"mov r0, elem_num\nmov r1, 0\nsub.setf -, r0, 8\n"
		"add.ifz r1, r1, 1\nadd.ifnz r1, r1, 2\nadd.ifn r1, r1, 4\n"
		"add.ifnn r1, r1, 8\nldi r2, 16\nldi r3, 32\n"
		"add.ifc r1, r1, r2\nadd.ifcc r1, r1, r3" EMU_END,
		NULL, 0);
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = (i == 8 ? 1 : 2) + (i < 8 ? 4 + 16 : 8 + 32);
	ok(emu_lanes_are(emu_r(&emu, 1), expected),
	   "each condition selects its lanes");
	emu_close(&emu);
}

static void
test_add_wins(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, elem_num\nmov r1, 0\n"
			"sub.setf r2, r0, r0; v8min r3, r0, r0\n"
			"mov.ifz r1, 1\n"
			"mov ra1, r1\nmov r1, 0\n"
			"nop; v8min.setf r3, r0, r0\nmov.ifz r1, 1" EMU_END,
			NULL, 0);
	uint32_t lane_0[MACHINE_LANES] = { 1 };

	ok(emu_all(emu_ra(&emu, 1), 1), "flags come from the add ALU");
	ok(emu_lanes_are(emu_r(&emu, 1), lane_0),
	   "flags come from the mul ALU when the add operation is nop");
	emu_close(&emu);
}

static void
test_load_flags(void)
{
	struct emu emu = emu_run(
		NULL,
		"mov r1, 0\nsub.setf -, r1, 1\n"
		"ldi.setf r0, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]\n"
		"mov.ifz r1, 1\nmov.ifn r1, 2\nadd.ifc r1, r1, 4" EMU_END,
		NULL, 0);
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = i % 4 == 0 ? 1 : i % 4 == 1 ? 0 : 2;
	ok(emu_lanes_are(emu_r(&emu, 1), expected),
	   "a load sets Z and N, and clears C");
	emu_close(&emu);
}

static void
test_never(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, elem_num\nmov.setf -, r0\n"
			"mov.never r0, 15\nmov r1, 0\nmov.ifz r1, 1" EMU_END,
			NULL, 0);
	uint32_t lanes[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		lanes[i] = i;
	ok(emu_lanes_are(emu_r(&emu, 0), lanes), "never writes nothing");
	emu_close(&emu);
}

static void
test_mul_condition(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, elem_num\nmov r1, 0\nmov r2, 0\n"
			"sub.setf -, r0, 4\n"
			"add.ifn r1, r0, 2; mul24.ifnn r2, r0, 2" EMU_END,
			NULL, 0);
	uint32_t add[MACHINE_LANES], mul[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		add[i] = i < 4 ? i + 2 : 0;
		mul[i] = i < 4 ? 0 : 2 * i;
	}
	ok(emu_lanes_are(emu_r(&emu, 1), add) &&
		   emu_lanes_are(emu_r(&emu, 2), mul),
	   "each ALU has its own condition");
	emu_close(&emu);
}

/* Lane i of the result came from lane i - n, in the vector or its quad. */
static bool
is_rotated(const uint32_t *lanes, unsigned n, bool quads)
{
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = quads ? (i & ~3u) | ((i - n) & 3) : (i - n) & 15;
	return emu_lanes_are(lanes, expected);
}

static void
test_all_counts(const char *source, bool by_r5, bool quads)
{
	bool good = true;

	for (unsigned n = by_r5 ? 0 : 1; n < 16; n++) {
		const uint32_t uniforms[] = { n, EMU_BASE + EMU_DATA };
		struct emu emu = emu_open(NULL);
		char text[512], count[16];

		for (unsigned i = 0; i < MACHINE_LANES; i++)
			emu_words(&emu, EMU_DATA)[i] = i;
		/* The encoding's count: lane i goes to lane i + n. */
		snprintf(count, sizeof(count), by_r5 ? "r5" : "%u", n);
		snprintf(text, sizeof(text),
			 "mov r5rep, unif\nmov r1, elem_num\nshl r1, r1, 2\n"
			 "add t0s, r1, unif\nldtmu0\nmov r0, elem_num\n"
			 "mov ra0, r0\nmov rb0, r0\nnop\n"
			 "mov.rot %s, r2, %s" EMU_END,
			 count, source);
		emu_program(&emu, emu_assemble(&emu, text), uniforms, 2);
		good = good && emu_go(&emu, 100) == MACHINE_DONE &&
		       is_rotated(emu_r(&emu, 2), n, quads);
		emu_close(&emu);
	}
	ok(good, "%s up by %s rotates %s", source, by_r5 ? "r5" : "1..15",
	   quads ? "inside quads" : "all 16 lanes");
}

static void
test_add_side(void)
{
	struct emu emu = emu_run(NULL,
				 "mov r0, elem_num\nmov r1, elem_num\nnop\n"
				 "mov r2, r0; mov r3, r1 >> 3" EMU_END,
				 NULL, 0);

	ok(is_rotated(emu_r(&emu, 2), 0, false) &&
		   is_rotated(emu_r(&emu, 3), 3, false),
	   "the add ALU of the same instruction does not rotate");
	emu_close(&emu);
}

static void
test_condition(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, elem_num\nldi r1, 99\nsub.setf -, r0, 4\n"
			"mov.ifn r1, r0 >> 2" EMU_END,
			NULL, 0);
	const uint32_t expected[MACHINE_LANES] = {
		14, 15, 0, 1, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
	};

	ok(emu_lanes_are(emu_r(&emu, 1), expected),
	   "the condition is the destination lane's");
	emu_close(&emu);
}

static void
test_r5(void)
{
	struct emu emu =
		emu_run(NULL,
			"mov r0, elem_num\nadd r0, r0, 5\nmov r5quad, r0\n"
			"mov r1, r5\nmov r5rep, r0\nmov r2, r5\n"
			"mov r5rep, 1\nsub.setf -, r0, 5\nmov.ifnz r5rep, 3\n"
			"mov r3, r5\nmov.ifz r5rep, 7\nmov ra0, r5" EMU_END,
			NULL, 0);
	uint32_t quads[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		quads[i] = (i & ~3u) + 5;
	ok(emu_lanes_are(emu_r(&emu, 1), quads),
	   "r5quad: the first lane of each quad fills it");
	ok(emu_all(emu_r(&emu, 2), 5), "r5rep: lane 0 fills all");
	ok(emu_all(emu_r(&emu, 3), 1) && emu_all(emu_ra(&emu, 0), 7),
	   "a write to r5rep obeys the condition of lane 0");
	emu_close(&emu);
}

int
main(void)
{
	test_conditions();
	test_add_wins();
	test_load_flags();
	test_never();
	test_mul_condition();
	test_all_counts("r0", false, false);
	test_all_counts("r0", true, false);
	test_all_counts("ra0", false, true);
	test_all_counts("ra0", true, true);
	test_all_counts("r4", false, true);
	test_all_counts("r4", true, true);
	test_add_side();
	test_condition();
	test_r5();
	return tap_done();
}
