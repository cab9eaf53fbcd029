/* SPDX-License-Identifier: MIT */
/*
 * Both ALUs compute what section 4 says, lane by lane, with every vector
 * instruction set that this host has.
 */
#include "config.h"

#include <inttypes.h>

#include "tests/emulator/emu.h"

enum { ROUNDS = 40 };

struct answer {
	uint32_t value;
	bool carry;
};

static uint8_t
byte_of(uint32_t x, unsigned i)
{
	return x >> 8 * i;
}

static uint32_t
each_byte(uint32_t a, uint32_t b, int (*function)(int, int))
{
	uint32_t result = 0;

	for (unsigned i = 0; i < 4; i++)
		result |= (uint32_t)function(byte_of(a, i), byte_of(b, i))
			  << 8 * i;
	return result;
}

static int
byte_adds(int a, int b)
{
	return a + b > 255 ? 255 : a + b;
}

static int
byte_subs(int a, int b)
{
	return a < b ? 0 : a - b;
}

static int
byte_min(int a, int b)
{
	return a < b ? a : b;
}

static int
byte_max(int a, int b)
{
	return a > b ? a : b;
}

static int
byte_muld(int a, int b)
{
	return (a * b + 127) / 255;
}

#define ANSWER(name, result, c)                                                \
	static struct answer name(uint32_t a, uint32_t b)                      \
	{                                                                      \
		const unsigned n = b & 31;                                     \
                                                                               \
		(void)n;                                                       \
		return (struct answer){ (result), (c) };                       \
	}

ANSWER(do_add, a + b, (uint64_t)a + b > UINT32_MAX)
ANSWER(do_sub, a - b, a < b)
ANSWER(do_shr, a >> n, n && (a >> (n - 1) & 1))
ANSWER(do_asr, (uint32_t)((int64_t)(int32_t)a >> n), n && (a >> (n - 1) & 1))
ANSWER(do_ror, (uint32_t)(((uint64_t)a << 32 | a) >> n), false)
ANSWER(do_shl, a << n, (uint64_t)a << n >> 32 & 1)
ANSWER(do_min, (int32_t)a > (int32_t)b ? b : a, (int32_t)a > (int32_t)b)
ANSWER(do_max, (int32_t)a > (int32_t)b ? a : b, (int32_t)a > (int32_t)b)
ANSWER(do_and, a &b, false)
ANSWER(do_or, a | b, false)
ANSWER(do_xor, a ^ b, false)
ANSWER(do_not, ~a + 0 * b, false)
ANSWER(do_clz, (a ? (uint32_t)__builtin_clz(a) : 32) + 0 * b, false)
ANSWER(do_v8adds, each_byte(a, b, byte_adds), false)
ANSWER(do_v8subs, each_byte(a, b, byte_subs), false)
ANSWER(do_v8min, each_byte(a, b, byte_min), false)
ANSWER(do_v8max, each_byte(a, b, byte_max), false)
ANSWER(do_v8muld, each_byte(a, b, byte_muld), false)
ANSWER(do_mul24, (a & 0xffffff) * (b & 0xffffff),
       (uint64_t)(a & 0xffffff) * (b & 0xffffff) > 0xffffff)

static const struct row {
	const char *name, *text;
	struct answer (*answer)(uint32_t, uint32_t);
} rows[] = {
	{ "add", "add.setf ra2, ra0, rb0", do_add },
	{ "sub", "sub.setf ra2, ra0, rb0", do_sub },
	{ "shr", "shr.setf ra2, ra0, rb0", do_shr },
	{ "asr", "asr.setf ra2, ra0, rb0", do_asr },
	{ "ror", "ror.setf ra2, ra0, rb0", do_ror },
	{ "shl", "shl.setf ra2, ra0, rb0", do_shl },
	{ "min", "min.setf ra2, ra0, rb0", do_min },
	{ "max", "max.setf ra2, ra0, rb0", do_max },
	{ "and", "and.setf ra2, ra0, rb0", do_and },
	{ "or", "or.setf ra2, ra0, rb0", do_or },
	{ "xor", "xor.setf ra2, ra0, rb0", do_xor },
	{ "not", "not.setf ra2, ra0", do_not },
	{ "clz", "clz.setf ra2, ra0", do_clz },
	{ "v8adds", "v8adds.setf ra2, ra0, rb0", do_v8adds },
	{ "v8subs", "v8subs.setf ra2, ra0, rb0", do_v8subs },
	{ "mul24", "mul24.setf ra2, ra0, rb0", do_mul24 },
	{ "v8muld", "v8muld.setf ra2, ra0, rb0", do_v8muld },
	{ "v8min", "v8min.setf ra2, ra0, rb0", do_v8min },
	{ "v8max", "v8max.setf ra2, ra0, rb0", do_v8max },
	{ "v8adds (mul)", "nop; v8adds.setf ra2, ra0, rb0", do_v8adds },
	{ "v8subs (mul)", "nop; v8subs.setf ra2, ra0, rb0", do_v8subs },
};

static uint32_t random_state = 12345;

/* Edges are as likely as anything between. */
static uint32_t
random_word(void)
{
	static const uint32_t edges[] = {
		0,	    1,		2,	    31,
		32,	    33,		0x7f,	    0x80,
		0xff,	    0xffff,	0xffffff,   0x1000000,
		0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
	};

	random_state = random_state * 1664525 + 1013904223;
	if (random_state >> 30 == 0)
		return edges[random_state >> 20 & 15];
	return random_state ^ random_state >> 15;
}

static bool
try_row(struct emu *emu, const struct row *row)
{
	uint32_t *a = (uint32_t *)emu_ra(emu, 0);
	uint32_t *b = (uint32_t *)emu_rb(emu, 0);

	for (unsigned lane = 0; lane < MACHINE_LANES; lane++) {
		a[lane] = random_word();
		b[lane] = random_word();
	}
	if (emu_go(emu, 100) != MACHINE_DONE)
		return false;
	for (unsigned lane = 0; lane < MACHINE_LANES; lane++) {
		const struct answer answer = row->answer(a[lane], b[lane]);
		const uint32_t flags = emu_ra(emu, 3)[lane];
		const uint32_t expected = 1u * answer.carry |
					  2u * !answer.value |
					  4u * (answer.value >> 31);

		if (emu_ra(emu, 2)[lane] == answer.value && flags == expected)
			continue;
		tap_note("%08x, %08x: got %08x cnz %u, expected %08x %u",
			 a[lane], b[lane], emu_ra(emu, 2)[lane], flags,
			 answer.value, expected);
		return false;
	}
	return true;
}

static void
test_integers(const char *set, enum machine_simd simd)
{
	const struct machine_options options = { .simd = simd };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(&options);
		char text[512];
		bool good = true;

		snprintf(text, sizeof(text),
			 "%s\nmov r0, 0\n"
			 "add.ifc r0, r0, 1\nadd.ifz r0, r0, 2\n"
			 "add.ifn r0, r0, 4\nmov ra3, r0" EMU_END,
			 rows[i].text);
		emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		for (unsigned n = 0; good && n < ROUNDS; n++)
			good = try_row(&emu, &rows[i]);
		ok(good, "the operation %s with its flags C, Z and N (%s)",
		   rows[i].name, set);
		emu_close(&emu);
	}
}

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

int
main(void)
{
	static const struct {
		const char *name;
		enum machine_simd simd;
	} sets[] = {
		{ "portable", MACHINE_SIMD_PORTABLE },
		{ "AVX2", MACHINE_SIMD_AVX2 },
		{ "AVX-512", MACHINE_SIMD_AVX512 },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		const struct machine_options options = { .simd = sets[i].simd };
		struct machine *machine = machine_create(&options, NULL);

		machine_destroy(machine);
		if (!machine) {
			tap_skip("this host has no %s", sets[i].name);
			continue;
		}
		test_integers(sets[i].name, sets[i].simd);
		test_floats(sets[i].name, sets[i].simd);
		test_beside_special(sets[i].name, sets[i].simd);
	}
	return tap_done();
}
