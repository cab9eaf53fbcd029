/* SPDX-License-Identifier: MIT */
/*
 * Float operations give the bits that section 4.3 says, with every vector
 * instruction set that this host has, and the SFU (10) what libm is near to.
 * test-words has all other operations.
 */
#include "config.h"

#include <math.h>

#include "tests/emulator/emu.h"

/* Bits in, bits out: section 4.3. */
static const struct {
	const char *op;
	uint32_t a, b, result;
	const char *why;
} floats[] = {
	{ "fadd", 0x3f800000, 0x40000000, 0x40400000, "1 + 2 = 3" },
	{ "fadd", 0x3f800000, 0xbf800000, 0, "1 - 1 = +0" },
	{ "fadd", 0x3f800000, 0x33ffffff, 0x3f800000, "truncates" },
	{ "fadd", 0xbf800000, 0xb3ffffff, 0xbf800000, "truncates toward zero" },
	{ "fadd", 0x00000001, 0x00000001, 0, "denormals are zero" },
	{ "fadd", 0x80000000, 0x80000000, 0, "-0 is +0" },
	{ "fadd", 0x00800001, 0x80800000, 0, "a denormal result is zero" },
	{ "fadd", 0x7fc00000, 0x3f800000, 0x7f800000, "NaN gives infinity" },
	{ "fadd", 0x7fc00000, 0xffc00000, 0xff800000,
	  "the second NaN gives the sign" },
	{ "fsub", 0x3f800000, 0x7fc00000, 0xff800000,
	  "fsub turns the second NaN's sign" },
	{ "fsub", 0x40400000, 0x3f800000, 0x40000000, "3 - 1 = 2" },
	{ "fadd", 0x7f800000, 0x3f800000, 0x7f800000, "infinity stays" },
	{ "fmin", 0x3f800000, 0xbf800000, 0xbf800000, "min(1, -1)" },
	{ "fmax", 0x3f800000, 0xbf800000, 0x3f800000, "max(1, -1)" },
	{ "fmax", 0x7fc00000, 0x7f800000, 0x7fc00000,
	  "+NaN is above infinity" },
	{ "fmin", 0xffc00000, 0xff800000, 0xffc00000,
	  "-NaN is below -infinity" },
	{ "fminabs", 0xc0000000, 0x3f800000, 0x3f800000, "min(|-2|, |1|)" },
	{ "fmaxabs", 0xc0000000, 0x3f800000, 0x40000000, "max(|-2|, |1|)" },
	{ "ftoi", 0x4048f5c3, 0, 3, "3.14 to 3" },
	{ "ftoi", 0xc048f5c3, 0, 0xfffffffd, "-3.14 to -3" },
	{ "ftoi", 0x4f800000, 0, 0, "2^32 to 0" },
	{ "ftoi", 0x4f000000, 0, 0x80000000, "2^31 to 0x80000000" },
	{ "ftoi", 0x7f800000, 0, 0, "infinity to 0" },
	{ "ftoi", 0x7f7fffff, 0, 0x80000000, "the largest float" },
	{ "itof", 0xffffffff, 0, 0xbf800000, "-1 to -1.0" },
	{ "itof", 0x7fffffff, 0, 0x4effffff, "truncates 2^31-1" },
	{ "fmul", 0x40000000, 0xc0400000, 0xc0c00000, "2 * -3 = -6" },
	{ "fmul", 0x00000000, 0x7f800000, 0, "0 * infinity = 0" },
	{ "fmul", 0x00000001, 0x7f000000, 0, "denormals are zero" },
	{ "fmul", 0x3f800001, 0x3f800001, 0x3f800002, "truncates" },
	{ "fmul", 0x7fc00000, 0xbf800000, 0xff800000, "NaN * -1" },
};

static void
test_floats(const char *set, enum machine_simd simd)
{
	const struct machine_options options = { .simd = simd };

	for (size_t i = 0; i < sizeof(floats) / sizeof(*floats); i++) {
		const uint32_t uniforms[] = { floats[i].a, floats[i].b };
		const bool unary = !strcmp(floats[i].op, "ftoi") ||
				   !strcmp(floats[i].op, "itof");
		char text[256];
		struct emu emu;

		snprintf(text, sizeof(text),
			 "mov ra0, unif\nmov rb0, unif\n"
			 "nop\n%s ra1, ra0%s" EMU_END,
			 floats[i].op, unary ? "" : ", rb0");
		emu = emu_run(&options, text, uniforms, 2);
		ok(emu_all(emu_ra(&emu, 1), floats[i].result), "%s: %s (%s)",
		   floats[i].op, floats[i].why, set);
		emu_close(&emu);
	}
}

/* A lane with NaN or infinity takes another way; the others must not change. */
static void
test_beside_special(const char *set, enum machine_simd simd)
{
	static const uint32_t specials[] = { 0x7f800000, 0xff800000, 0x7fc00000,
					     0xffffffff };
	static const uint32_t values[] = {
		0,	    0x80000000, 1,	    0x80000001, 0x007fffff,
		0x00800000, 0x80800001, 0x3f800000, 0xbf800001, 0x33ffffff,
		0x7f7fffff, 0x40490fdb, 0xc0490fdb, 0x00ffffff, 0x7effffff,
	};
	static const char *const ops[] = { "fadd", "fsub", "fmul" };
	const struct machine_options options = { .simd = simd };

	for (unsigned n = 0; n < 3; n++) {
		struct emu emu = emu_open(&options);
		char text[64];
		bool good = true;

		snprintf(text, sizeof(text), "%s ra1, ra0, rb0" EMU_END,
			 ops[n]);
		emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		for (unsigned i = 0; i < 15 * 8; i++) {
			uint32_t *a = (uint32_t *)emu_ra(&emu, 0);
			uint32_t *b = (uint32_t *)emu_rb(&emu, 0);
			uint32_t plain[MACHINE_LANES];

			for (unsigned lane = 0; lane < 15; lane++) {
				a[lane] = values[lane];
				b[lane] = values[(lane + i / 8) % 15];
			}
			a[15] = b[15] = 0;
			emu_go(&emu, 100);
			memcpy(plain, emu_ra(&emu, 1), sizeof(plain));
			(i & 1 ? a : b)[15] = specials[i / 2 % 4];
			emu_go(&emu, 100);
			good = good && memcmp(plain, emu_ra(&emu, 1),
					      15 * sizeof(*plain)) == 0;
		}
		ok(good, "%s of lanes beside one that is not a number (%s)",
		   ops[n], set);
		emu_close(&emu);
	}
}

/* The last bits of these are libm's. */
static void
test_sfu(void)
{
	static const struct {
		const char *name;
		uint32_t x;
		double result;
	} rows[] = {
		{ "exp", 0x40400000, 8 },	   { "exp", 0xbf800000, 0.5 },
		{ "exp", 0x3f000000, 1.41421356 }, { "log", 0x41000000, 3 },
		{ "log", 0x3f000000, -1 },	   { "log", 0, -HUGE_VAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[128];
		struct emu emu;
		float result;

		snprintf(text, sizeof(text),
			 "mov %s, unif\nnop\nnop\nmov r0, r4" EMU_END,
			 rows[i].name);
		emu = emu_run(NULL, text, &rows[i].x, 1);
		memcpy(&result, &emu_r(&emu, 0)[7], sizeof(result));
		ok((double)result == rows[i].result ||
			   fabs((double)result - rows[i].result) <
				   1e-4 * fabs(rows[i].result),
		   "%s of the float %08x is %g", rows[i].name, rows[i].x,
		   rows[i].result);
		emu_close(&emu);
	}
}

int
main(void)
{
	emu_each_simd(test_floats);
	emu_each_simd(test_beside_special);
	test_sfu();
	return tap_done();
}
