/* SPDX-License-Identifier: MIT */
/*
 * reference: values of both ALUs, packing and unpacking, one lane at a time,
 * straight from sections 4 and 5 and as slowly as it may be.
 */
#ifndef TESTS_EMULATOR_REFERENCE_H
#define TESTS_EMULATOR_REFERENCE_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "qpu/isa/isa.h"

struct result {
	uint32_t value;
	bool carry;
};

static double
as_double(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

static bool
is_special(uint32_t bits)
{
	return (bits & 0x7f800000) == 0x7f800000;
}

/* No denormals, and no -0. */
static uint32_t
flushed(uint32_t bits)
{
	return bits & 0x7f800000 ? bits : 0;
}

/* The float next to a number on the side of zero. */
static uint32_t
truncated(double number)
{
	uint64_t bits;
	int exponent;

	memcpy(&bits, &number, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff) - 1023 + 127;
	if (exponent <= 0)
		return 0;
	if (exponent >= 255)
		return (uint32_t)(bits >> 63) << 31 | 0x7f7fffff;
	return (uint32_t)(bits >> 63) << 31 | (uint32_t)exponent << 23 |
	       (bits >> 29 & 0x7fffff);
}

static uint32_t
from_half(uint32_t half)
{
	const uint32_t sign = (half & 0x8000) << 16;
	const uint32_t fraction = half & 0x3ff;

	if ((half >> 10 & 31) == 31)
		return sign | 0x7f800000 | fraction << 13;
	if ((half & 0x7fff) == 0)
		return sign;
	/* Also a subnormal has an implicit 1: the hardware's mistake. */
	return sign |
	       truncated(ldexp(1024 + fraction, (int)(half >> 10 & 31) - 25));
}

/* Rounds away from zero; what is too small for a normal half is 0. */
static uint32_t
to_half(uint32_t bits)
{
	const uint32_t sign = bits >> 16 & 0x8000;
	int exponent;
	double fraction;

	if (is_special(bits))
		return sign | 0x7c00;
	fraction = ceil(frexp(fabs(as_double(bits)), &exponent) * 2048);
	if (fraction == 2048) {
		fraction = 1024;
		exponent++;
	}
	if (fabs(as_double(bits)) < 1 / 16384.)
		return sign;
	if (exponent > 16)
		return sign | 0x7c00;
	return sign | (uint32_t)(exponent + 14) << 10 |
	       ((uint32_t)fraction & 0x3ff);
}

static uint32_t
from_byte(uint32_t byte)
{
	return byte == 255 ? 0x3f800000 : truncated(byte / 255.);
}

static uint32_t
to_byte(uint32_t bits)
{
	const bool negative = bits >> 31, nan = (bits << 1) > 0xff000000;

	if (negative || nan)
		return 0;
	if (is_special(bits) || as_double(bits) >= 1)
		return 255;
	return (uint32_t)floor(as_double(flushed(bits)) * 255 + 0.5);
}

/* Section 5.1, and 5.2 with all conversions to float. */
static uint32_t
unpacked(unsigned mode, bool to_float, uint32_t x)
{
	const uint32_t half = mode == QPU_UNPACK_16A ? x & 0xffff : x >> 16;
	const uint32_t byte = x >> 8 * (mode & 3) & 0xff;

	if (!mode)
		return x;
	if (mode == QPU_UNPACK_8DREP)
		return (x >> 24) * 0x01010101;
	if (mode <= QPU_UNPACK_16B)
		return to_float ? from_half(half) :
				  (half ^ 0x8000) - 0x8000; /* its sign */
	return to_float ? from_byte(byte) : byte;
}

static int64_t
clamped(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Section 5.3; exact is the result without a limit of 32 bits. */
static uint32_t
packed(unsigned mode, bool is_float, int64_t exact, uint32_t value,
       uint32_t old)
{
	const int64_t limited = clamped(exact, INT32_MIN, INT32_MAX);
	const bool saturates = mode > QPU_PACK_32S || limited != exact;
	const unsigned at = 8 * (mode & 3);
	uint32_t half, byte;

	if (mode == QPU_PACK_32S)
		return (uint32_t)limited;
	half = is_float	 ? to_half(value) :
	       saturates ? (uint32_t)clamped(limited, -32768, 32767) :
			   (uint32_t)limited;
	byte = mode > QPU_PACK_32S ? (uint32_t)clamped(limited, 0, 255) :
				     (uint32_t)limited & 0xff;
	switch (mode & 7) {
	case 1: return (old & 0xffff0000) | (half & 0xffff);
	case 2: return half << 16 | (old & 0xffff);
	case 3: return byte * 0x01010101;
	default: return (old & ~(0xffu << at)) | byte << at;
	}
}

/* Section 5.4. */
static uint32_t
packed_mul(unsigned mode, uint32_t value, uint32_t old)
{
	const unsigned at = 8 * (mode & 3);

	if ((mode & 7) == 3)
		return to_byte(value) * 0x01010101;
	return (old & ~(0xffu << at)) | to_byte(value) << at;
}

/* In the order that floats have, NaN outside of infinity. */
static int64_t
in_order(uint32_t bits)
{
	return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) - 1 : (int64_t)bits;
}

/* Operations on four bytes, which both ALUs have; by their numbers in the mul
 * ALU. */
static uint32_t
bytes_alu(unsigned op, uint32_t a, uint32_t b)
{
	uint32_t bytes = 0;

	for (unsigned at = 0; at < 32; at += 8) {
		const int x = a >> at & 0xff, y = b >> at & 0xff;
		int byte;

		switch (op) {
		case QPU_MUL_V8MULD: byte = (x * y + 127) / 255; break;
		case QPU_MUL_V8MIN: byte = x < y ? x : y; break;
		case QPU_MUL_V8MAX: byte = x > y ? x : y; break;
		case QPU_MUL_V8ADDS: byte = x + y > 255 ? 255 : x + y; break;
		default: byte = x < y ? 0 : x - y; break;
		}
		bytes |= (uint32_t)byte << at;
	}
	return bytes;
}

/* As said of fadd in section 4.3: of two that are no numbers the second wins. */
static uint32_t
added(uint32_t a, uint32_t b)
{
	const int mode = fegetround();
	volatile double sum;

	if (is_special(a) || is_special(b))
		return ((is_special(b) ? b : a) & 0x80000000) | 0x7f800000;
	fesetround(FE_TOWARDZERO);
	sum = as_double(flushed(a));
	sum += as_double(flushed(b));
	fesetround(mode);
	return truncated(sum);
}

static struct result
add_alu(unsigned op, uint32_t a, uint32_t b)
{
	const unsigned n = b & 31;
	const int32_t sa = (int32_t)a, sb = (int32_t)b;
	const uint32_t ma = a & 0x7fffffff, mb = b & 0x7fffffff;
	const bool float_greater = in_order(a) > in_order(b);

	switch (op) {
	case QPU_ADD_FADD:
	case QPU_ADD_FSUB: {
		const uint32_t negate = op == QPU_ADD_FSUB ? 1u << 31 : 0;
		const uint32_t sum = added(a, b ^ negate);

		return (struct result){ sum, (int32_t)sum > 0 };
	}
	case QPU_ADD_FMIN:
		return (struct result){ flushed(float_greater ? b : a),
					float_greater };
	case QPU_ADD_FMAX:
		return (struct result){ flushed(float_greater ? a : b),
					float_greater };
	case QPU_ADD_FMINABS:
		return (struct result){ flushed(ma > mb ? mb : ma), ma > mb };
	case QPU_ADD_FMAXABS:
		return (struct result){ flushed(ma > mb ? ma : mb), ma > mb };
	case QPU_ADD_FTOI:
		if (ma < 0x4f000000)
			return (struct result){ (uint32_t)(int32_t)as_double(a),
						false };
		return (struct result){ ma == 0x4f000000 || ma == 0x7f7fffff ?
						0x80000000 :
						0,
					false };
	case QPU_ADD_ITOF:
		return (struct result){ sa ? truncated(sa) : 0, false };
	case QPU_ADD_ADD: return (struct result){ a + b, a + b < a };
	case QPU_ADD_SUB: return (struct result){ a - b, a < b };
	case QPU_ADD_SHR:
		return (struct result){ a >> n, n && a >> (n - 1) & 1 };
	case QPU_ADD_ASR:
		return (struct result){ (uint32_t)((int64_t)sa >> n),
					n && a >> (n - 1) & 1 };
	case QPU_ADD_ROR:
		return (struct result){
			(uint32_t)(((uint64_t)a << 32 | a) >> n), false
		};
	case QPU_ADD_SHL:
		return (struct result){ a << n, (uint64_t)a << n >> 32 & 1 };
	case QPU_ADD_MIN: return (struct result){ sa > sb ? b : a, sa > sb };
	case QPU_ADD_MAX: return (struct result){ sa > sb ? a : b, sa > sb };
	case QPU_ADD_AND: return (struct result){ a & b, false };
	case QPU_ADD_OR: return (struct result){ a | b, false };
	case QPU_ADD_XOR: return (struct result){ a ^ b, false };
	case QPU_ADD_NOT: return (struct result){ ~a, false };
	case QPU_ADD_V8ADDS:
		return (struct result){ bytes_alu(QPU_MUL_V8ADDS, a, b),
					false };
	case QPU_ADD_V8SUBS:
		return (struct result){ bytes_alu(QPU_MUL_V8SUBS, a, b),
					false };
	default: return (struct result){ a ? __builtin_clz(a) : 32, false };
	}
}

static uint32_t
multiplied(uint32_t a, uint32_t b)
{
	const uint32_t sign = (a ^ b) & 0x80000000;

	if (!flushed(a) || !flushed(b))
		return 0;
	if (is_special(a) || is_special(b))
		return sign | 0x7f800000;
	return truncated(as_double(a) * as_double(b));
}

static struct result
mul_alu(unsigned op, uint32_t a, uint32_t b)
{
	const uint64_t product = (uint64_t)(a & 0xffffff) * (b & 0xffffff);

	if (op == QPU_MUL_FMUL)
		return (struct result){ multiplied(a, b), false };
	if (op == QPU_MUL_MUL24)
		return (struct result){ (uint32_t)product, product > 0xffffff };
	return (struct result){ bytes_alu(op, a, b), false };
}

#endif
