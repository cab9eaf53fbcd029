/* SPDX-License-Identifier: MIT */
/*
 * Packing and unpacking (section 5).
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* x and y are uniforms in ra0 and rb0; the result is ra1 (was 0x11223344). */
static const struct {
	const char *text;
	uint32_t x, y, result;
	const char *why;
} rows[] = {
	/* Unpack, integer. */
	{ "mov ra1, ra0.16a", 0x12348765, 0, 0xffff8765, "16a extends sign" },
	{ "mov ra1, ra0.16b", 0x82348765, 0, 0xffff8234, "16b extends sign" },
	{ "mov ra1, ra0.8a", 0x818283f4, 0, 0xf4, "8a extends zero" },
	{ "mov ra1, ra0.8b", 0x818283f4, 0, 0x83, "8b" },
	{ "mov ra1, ra0.8c", 0x818283f4, 0, 0x82, "8c" },
	{ "mov ra1, ra0.8d", 0x818283f4, 0, 0x81, "8d" },
	{ "mov ra1, ra0.8dr", 0x818283f4, 0, 0x81818181, "8d replicated" },
	{ "add ra1, ra0.8b, rb0", 0x00001200, 5, 0x17,
	  "only the A operand is unpacked" },
	/* Unpack, float. */
	{ "fadd ra1, ra0.16a, rb0", 0x00003c00, 0x3f800000, 0x40000000,
	  "half 1.0 + 1.0" },
	{ "fadd ra1, ra0.16b, rb0", 0xc0000000, 0, 0xc0000000, "half -2.0" },
	{ "fadd ra1, ra0.16a, rb0", 0x00007c00, 0, 0x7f800000,
	  "half infinity" },
	{ "fmul ra1, ra0.8a, rb0", 0x000000ff, 0x40000000, 0x40000000,
	  "byte 255 is 1.0" },
	{ "fmul ra1, ra0.8d, rb0", 0x00ffffff, 0x40000000, 0, "byte 0 is 0" },
	/* Pack, integer. */
	{ "mov ra1.16a, ra0", 0xaabbccdd, 0, 0x1122ccdd, "low half in 16a" },
	{ "mov ra1.16b, ra0", 0xaabbccdd, 0, 0xccdd3344, "low half in 16b" },
	{ "mov ra1.8abcd, ra0", 0xaabbccdd, 0, 0xdddddddd, "byte to all" },
	{ "mov ra1.8a, ra0", 0xaabbccdd, 0, 0x112233dd, "byte in 8a" },
	{ "mov ra1.8b, ra0", 0xaabbccdd, 0, 0x1122dd44, "byte in 8b" },
	{ "mov ra1.8c, ra0", 0xaabbccdd, 0, 0x11dd3344, "byte in 8c" },
	{ "mov ra1.8d, ra0", 0xaabbccdd, 0, 0xdd223344, "byte in 8d" },
	{ "mov ra1.16as, ra0", 0x00012345, 0, 0x11227fff, "16a clamps" },
	{ "mov ra1.16bs, ra0", 0x80000000, 0, 0x80003344, "16b clamps" },
	{ "mov ra1.8as, ra0", 0x00000100, 0, 0x112233ff, "8a clamps high" },
	{ "mov ra1.8ds, ra0", 0xffffffff, 0, 0x00223344, "8d clamps low" },
	{ "mov ra1.8abcds, ra0", 300, 0, 0xffffffff, "8abcd clamps" },
	{ "add ra1.32s, ra0, rb0", 0x7fffffff, 1, 0x7fffffff,
	  "a sum saturates" },
	{ "sub ra1.32s, ra0, rb0", 0x80000000, 1, 0x80000000,
	  "a difference saturates" },
	{ "add ra1.32s, ra0, rb0", 0xffffffff, 1, 0,
	  "no saturation without signed overflow" },
	{ "add ra1.16a, ra0, rb0", 0x7fffffff, 1, 0x11227fff,
	  "an overflow keeps its sign in 16 bits, above" },
	{ "sub ra1.16a, ra0, rb0", 0x80000000, 1, 0x11228000, "and below" },
	{ "add r0, ra0, ra0; v8min ra1.16a, rb0, rb0", 0x7fffffff, 0xabcd,
	  0x1122abcd, "an overflow of the other ALU is not its own" },
	/* Pack, float. */
	{ "fadd ra1.16a, ra0, rb0", 0x3f800000, 0x3f800000, 0x11224000,
	  "2.0 as a half" },
	{ "fadd ra1.16b, ra0, rb0", 0x7f000000, 0, 0x7c003344,
	  "too large a half is infinity" },
	{ "fadd ra1.16a, ra0, rb0", 0x33800000, 0, 0x11220000,
	  "a denormal half is 0" },
	/* Pack of the mul result: 0..1 to a byte. */
	{ "fmul ra1.8af, ra0, rb0", 0x3f800000, 0x3f000000, 0x11223380,
	  "0.5 is byte 128" },
	{ "fmul ra1.8df, ra0, rb0", 0x40000000, 0x3f800000, 0xff223344,
	  "above 1 is 255" },
	{ "fmul ra1.8abcdf, ra0, rb0", 0xbf800000, 0x3f800000, 0,
	  "below 0 is 0" },
};

static void
test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint32_t uniforms[] = { rows[i].x, rows[i].y };
		char text[256];
		struct emu emu;

		snprintf(text, sizeof(text),
			 "mov ra0, unif\nmov rb0, unif\n"
			 "ldi ra1, 0x11223344\nnop\n%s" EMU_END,
			 rows[i].text);
		emu = emu_run(NULL, text, uniforms, 2);
		ok(emu_all(emu_ra(&emu, 1), rows[i].result), "%s: %s",
		   rows[i].text, rows[i].why);
		emu_close(&emu);
	}
}

static void
test_r4(void)
{
	/* The word at the address is a colour, 0x40ff8000. */
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(NULL);

	emu_words(&emu, EMU_DATA)[0] = 0x40ff8000;
	emu_program(&emu,
		    emu_assemble(
			    &emu,
			    "mov t0s, unif\nldtmu0\nmov r0, r4.8dr\n"
			    "fmul r1, r4.8c, 1.0\nfmul r2, r4.8a, 1.0" EMU_END),
		    uniforms, 1);
	ok(emu_go(&emu, 100) == MACHINE_DONE &&
		   emu_all(emu_r(&emu, 0), 0x40404040),
	   "r4.8dr replicates");
	ok(emu_all(emu_r(&emu, 1), 0x3f800000) && emu_all(emu_r(&emu, 2), 0),
	   "bytes of r4 are floats 0..1");
	emu_close(&emu);
}

static void
test_ports(void)
{
	struct emu emu =
		emu_run(NULL,
			"ldi vw_setup, 0xa00\nldi r0, 0x12345678\nnop\n"
			"mov vpm, r0\nmov rb1, r0" EMU_END,
			NULL, 0);

	ok(emu_all(machine_vpm(emu.machine, 0), 0x12345678) &&
		   emu_all(emu_rb(&emu, 1), 0x12345678),
	   "only results in file A are packed");
	emu_close(&emu);
}

static void
test_condition(void)
{
	struct emu emu = emu_run(NULL,
				 "mov r0, elem_num\nldi ra1, 0x11223344\n"
				 "sub.setf -, r0, 8\nldi r1, 0xff\n"
				 "mov.ifn ra1.8d, r1" EMU_END,
				 NULL, 0);
	uint32_t expected[MACHINE_LANES];

	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = i < 8 ? 0xff223344 : 0x11223344;
	ok(emu_lanes_are(emu_ra(&emu, 1), expected),
	   "a packed write obeys its condition");
	emu_close(&emu);
}

int
main(void)
{
	test_rows();
	test_r4();
	test_ports();
	test_condition();
	return tap_done();
}
