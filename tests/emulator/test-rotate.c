/* SPDX-License-Identifier: MIT */
/*
 * Vector rotation (section 6) and replication through r5 (3.4).
 */
#include "config.h"

#include "tests/emulator/emu.h"

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
