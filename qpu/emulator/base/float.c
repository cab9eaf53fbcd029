/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/base/float.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>

#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

#include "qpu/isa/isa.h"

enum { SIGN = 31 };

/*
 * libm is loaded with the first machine, so that a program that may emulate,
 * but does not, starts without it.  Where it is a part of the C library its
 * functions are just there.
 */
static struct {
	int (*fegetround)(void);
	int (*fesetround)(int);
	double (*exp2)(double);
	double (*log2)(double);
	double (*sqrt)(double);
} libm;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
load(void)
{
#ifdef LIBM_SO
	void *const handle = dlopen(LIBM_SO, RTLD_NOW);

	if (!handle)
		return;
	*(void **)&libm.fegetround = dlsym(handle, "fegetround");
	*(void **)&libm.fesetround = dlsym(handle, "fesetround");
	*(void **)&libm.exp2 = dlsym(handle, "exp2");
	*(void **)&libm.log2 = dlsym(handle, "log2");
	*(void **)&libm.sqrt = dlsym(handle, "sqrt");
#else
	libm.fegetround = fegetround;
	libm.fesetround = fesetround;
	libm.exp2 = exp2;
	libm.log2 = log2;
	libm.sqrt = sqrt;
#endif
}

bool
emu_float_load(void)
{
	return pthread_once(&once, load) == 0 && libm.fegetround &&
	       libm.fesetround && libm.exp2 && libm.log2 && libm.sqrt;
}

int
emu_float_enter(void)
{
	const int mode = libm.fegetround();

#ifdef FE_TOWARDZERO
	libm.fesetround(FE_TOWARDZERO);
#endif
	return mode;
}

void
emu_float_leave(int mode)
{
	libm.fesetround(mode);
}

/* Infinity or NaN. */
static bool
is_special(uint32_t bits)
{
	return (bits & EMU_FLOAT_EXPONENT) == EMU_FLOAT_EXPONENT;
}

static uint32_t
infinity_like(uint32_t bits)
{
	return (bits & (1u << SIGN)) | EMU_FLOAT_EXPONENT;
}

/* Infinity and NaN give infinity of their sign; the second operand wins. */
static uint32_t
add_lane(uint32_t a, uint32_t b)
{
	if (is_special(b))
		return infinity_like(b);
	if (is_special(a))
		return infinity_like(a);
	a = emu_float_flush(a);
	b = emu_float_flush(b);
	return emu_float_bits(emu_float_value(a) + emu_float_value(b));
}

void
emu_float_add(unsigned op, const emu_vec *a, const emu_vec *b, emu_vec *sum)
{
	const uint32_t negate = op == QPU_ADD_FSUB ? 1u << SIGN : 0;

	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		(*sum)[lane] = add_lane((*a)[lane], (*b)[lane] ^ negate);
}

/*
 * 0 times anything is 0.  Truncates like the adder: with this, and with none of
 * the other roundings tried, GPU_FFT 2.0 has the errors it is published with
 * (0.27 ppm for 256 points, 0.42 for 512).
 */
static uint32_t
mul_lane(uint32_t a, uint32_t b)
{
	a = emu_float_flush(a);
	b = emu_float_flush(b);
	if (!a || !b)
		return 0;
	if (is_special(a) || is_special(b))
		return infinity_like(a ^ b);
	return emu_float_bits(emu_float_value(a) * emu_float_value(b));
}

void
emu_float_mul(const emu_vec *a, const emu_vec *b, emu_vec *product)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		(*product)[lane] = mul_lane((*a)[lane], (*b)[lane]);
}

/* Out of range is 0, but for 2^31 and the largest floats. */
static uint32_t
to_int_lane(uint32_t a)
{
	const uint32_t magnitude = a & EMU_FLOAT_MAGNITUDE;

	if (magnitude < 0x4f000000)
		return (uint32_t)(int32_t)emu_float_value(a);
	return magnitude == 0x4f000000 || magnitude == 0x7f7fffff ? 0x80000000 :
								    0;
}

void
emu_float_to_int(const emu_vec *a, emu_vec *result)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		(*result)[lane] = to_int_lane((*a)[lane]);
}

/* Convert a half. A subnormal half is converted wrongly, as in hardware: its
 * mantissa is shifted, the exponent stays the smallest normal's (section
 * 5.1). */
uint32_t
emu_float_from_half(uint32_t half)
{
	const uint32_t sign = (half & 0x8000) << 16;
	const uint32_t exponent = half >> 10 & 31;
	const uint32_t mantissa = half & 0x3ff;

	if (exponent == 31)
		return sign | EMU_FLOAT_EXPONENT | mantissa << 13;
	if (!exponent && !mantissa)
		return sign;
	return sign | (exponent + 112) << 23 | mantissa << 13;
}

/* Rounds away from zero, UNSURE(U13). */
uint32_t
emu_float_to_half(uint32_t bits)
{
	const uint32_t sign = bits >> 16 & 0x8000;
	const uint32_t magnitude = bits & EMU_FLOAT_MAGNITUDE;
	const uint32_t rounded = (magnitude + 0x1fff) >> 13;
	const uint32_t bias = (127 - 15) << 10;

	if (magnitude < (127 - 14) << 23)
		return sign; /* too small for a normal half */
	if (magnitude >= EMU_FLOAT_EXPONENT || rounded - bias >= 0x7c00)
		return sign | 0x7c00;
	return sign | (rounded - bias);
}

uint32_t
emu_float_from_byte(uint32_t byte)
{
	return emu_float_bits((float)byte / 255.0f);
}

uint32_t
emu_float_to_byte(uint32_t bits)
{
	const float value = emu_float_value(emu_float_flush(bits));

	if ((bits & EMU_FLOAT_MAGNITUDE) > EMU_FLOAT_EXPONENT || bits >> SIGN)
		return 0;
	if (value >= 1.0f)
		return 255;
	return (uint32_t)(value * 255.0f + 0.5f);
}

static double
function(unsigned waddr, double x)
{
	switch (waddr) {
	case QPU_W_RECIP: return x == 0 ? (double)INFINITY : 1 / x;
	case QPU_W_RECIPSQRT:
		return x == 0 ? (double)INFINITY : 1 / libm.sqrt(fabs(x));
	case QPU_W_EXP: return libm.exp2(x);
	default: return x == 0 ? (double)-INFINITY : libm.log2(fabs(x));
	}
}

/*
 * The hardware has 10 to 12 good bits; which wrong ones it has is not known,
 * so the correctly rounded value is given.
 */
void
emu_float_function(unsigned waddr, const emu_vec *x, emu_vec *result)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const float in = emu_float_value(emu_float_flush((*x)[lane]));
		const double out = function(waddr, (double)in);

		(*result)[lane] = emu_float_flush(emu_float_bits((float)out));
	}
}
