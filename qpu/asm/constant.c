/* SPDX-License-Identifier: MIT */
/*
 * constant: looks for x op x = value over the small immediates x.
 *
 * Only operations whose result the hardware reference states without doubt:
 * those on integers, and conversions that are exact.
 */
#include "config.h"

#include "qpu/asm/constant.h"

#include <string.h>

#include "qpu/asm/stmt.h"
#include "qpu/isa/isa.h"

static uint32_t
bytes_doubled(uint32_t x)
{
	uint32_t sum = 0;

	for (unsigned shift = 0; shift < 32; shift += 8) {
		const uint32_t byte = 2 * (x >> shift & 0xff);

		sum |= (byte > 0xff ? 0xff : byte) << shift;
	}
	return sum;
}

static uint32_t
float_bits(float f)
{
	uint32_t word;

	memcpy(&word, &f, sizeof(word));
	return word;
}

/* 1.0, 2.0, ... 128.0: the floats that are integers. */
static bool
float_is_integer(uint32_t x, uint32_t *integer)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	*integer = f >= 1 && f <= 128 ? (uint32_t)f : 0;
	return *integer;
}

static bool
add_gives(unsigned code, uint32_t x, uint32_t *result)
{
	const unsigned n = x & 31;

	switch (code) {
	case QPU_ADD_FTOI: return float_is_integer(x, result);
	case QPU_ADD_ITOF:
		*result = float_bits((int32_t)x);
		return (int32_t)x >= -16 && (int32_t)x < 16;
	case QPU_ADD_ADD: *result = x + x; return true;
	case QPU_ADD_SHR: *result = x >> n; return true;
	case QPU_ADD_ASR: *result = (int32_t)x >> n; return true;
	case QPU_ADD_ROR: *result = n ? x >> n | x << (32 - n) : x; return true;
	case QPU_ADD_SHL: *result = x << n; return true;
	case QPU_ADD_NOT: *result = ~x; return true;
	case QPU_ADD_CLZ: *result = x ? __builtin_clz(x) : 32; return true;
	case QPU_ADD_V8ADDS: *result = bytes_doubled(x); return true;
	default: return false;
	}
}

static bool
mul_gives(unsigned code, uint32_t x, uint32_t *result)
{
	switch (code) {
	case QPU_MUL_MUL24:
		*result = (x & 0xffffff) * (x & 0xffffff);
		return true;
	case QPU_MUL_V8ADDS: *result = bytes_doubled(x); return true;
	default: return false;
	}
}

/* Does the pack mode that copies the low byte into all bytes give it? */
static bool
replicas_give(uint32_t x, uint32_t value)
{
	return (x & 0xff) * UINT32_C(0x01010101) == value;
}

bool
asm_constant_next(struct asm_constant *constant)
{
	const bool is_add = constant->unit == ASM_UNIT_ADD;
	const unsigned move = is_add ? QPU_ADD_OR : QPU_MUL_V8MIN;
	const unsigned ncodes = is_add ? 32 : 8;
	const unsigned ntries = (ncodes + 1) * QPU_SMALL_ROT;

	while (constant->next < ntries) {
		unsigned code = constant->next / QPU_SMALL_ROT;
		const uint32_t x =
			qpu_small_value(constant->next % QPU_SMALL_ROT);
		uint32_t result;

		/* Integer operations before conversions. */
		if (is_add && code < ncodes)
			code = (code + QPU_ADD_ADD) % ncodes;
		constant->next++;
		constant->operand = x;
		constant->replicates = code == ncodes;
		constant->code = code == ncodes ? move : code;
		if (code == ncodes ? replicas_give(x, constant->value) :
				     (is_add ? add_gives :
					       mul_gives)(code, x, &result) &&
					     result == constant->value)
			return true;
	}
	return false;
}
