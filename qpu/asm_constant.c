/* SPDX-License-Identifier: MIT */
/*
 * asm_constant: looks for x op x = value over the small immediates x.
 *
 * Integer operations only, and only those whose result the hardware
 * reference states without doubt.
 */
#include "config.h"
#include "qpu/asm_constant.h"

#include "qpu/asm_inst.h"
#include "qpu/isa.h"

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

static bool
add_gives(unsigned code, uint32_t x, uint32_t *result)
{
	const unsigned n = x & 31;

	switch (code) {
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
	case QPU_MUL_V8ADDS:
		*result = bytes_doubled(x);
		return true;
	default:
		return false;
	}
}

bool
asm_constant_find(unsigned unit, uint32_t value, uint8_t *code,
		  uint32_t *operand)
{
	const unsigned ncodes = unit == ASM_UNIT_ADD ? 32 : 8;

	for (unsigned i = 0; i < ncodes; i++)
		for (unsigned small = 0; small < QPU_SMALL_ROT; small++) {
			const uint32_t x = qpu_small_value(small);
			uint32_t result;

			if ((unit == ASM_UNIT_ADD ? add_gives : mul_gives)
			    (i, x, &result) && result == value) {
				*code = i;
				*operand = x;
				return true;
			}
		}
	return false;
}
