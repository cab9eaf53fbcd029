/* SPDX-License-Identifier: MIT */
/*
 * Flags and predication: sections 3.6, 3.7 and 3.2.
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

int
main(void)
{
	test_conditions();
	test_add_wins();
	test_load_flags();
	test_never();
	test_mul_condition();
	return tap_done();
}
