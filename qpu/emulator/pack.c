/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/machine.h"

#include "qpu/emulator/base/float.h"

/* To a float, or the byte d everywhere. */
static uint32_t
unpack_lane(unsigned mode, uint32_t x)
{
	switch (mode & 7) {
	case QPU_UNPACK_16A: return emu_float_from_half(x & 0xffff);
	case QPU_UNPACK_16B: return emu_float_from_half(x >> 16);
	case QPU_UNPACK_8DREP: return (x >> 24) * 0x01010101u;
	default: return emu_float_from_byte(x >> 8 * (mode & 3) & 0xff);
	}
}

void
emu_unpack_slow(unsigned mode, const emu_vec *from, emu_vec *to)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		(*to)[lane] = unpack_lane(mode, (*from)[lane]);
}

static int64_t
clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Replace bits at shift, as many as the mask has. */
static uint32_t
insert(uint32_t old, unsigned shift, uint32_t mask, uint32_t value)
{
	return (old & ~(mask << shift)) | value << shift;
}

/* Modes 8a to 8d, and those that clamp, end in the number of the byte. */
static uint32_t
insert_byte(uint32_t old, unsigned mode, uint32_t byte)
{
	return insert(old, 8 * (mode & 3), 0xff, byte);
}

/*
 * The guide, pack and unpack; value is what a 32-bit saturating ALU would have given,
 * and a sum that did saturate keeps its sign in 16 bits in all modes.
 */
static uint32_t
pack_lane(unsigned mode, bool is_float, bool overflow, uint32_t value,
	  uint32_t old)
{
	const int32_t number = (int32_t)value;
	uint32_t byte = value & 0xff;
	uint32_t half = value & 0xffff;

	if (is_float)
		half = emu_float_to_half(value);
	else if (mode > QPU_PACK_32S || overflow)
		half = (uint32_t)clamp(number, INT16_MIN, INT16_MAX) & 0xffff;
	if (mode > QPU_PACK_32S && !is_float)
		byte = (uint32_t)clamp(number, 0, 255);

	switch (mode) {
	case QPU_PACK_16A:
	case QPU_PACK_16AS: return insert(old, 0, 0xffff, half);
	case QPU_PACK_16B:
	case QPU_PACK_16BS: return insert(old, 16, 0xffff, half);
	case QPU_PACK_8888:
	case QPU_PACK_8888S: return byte * 0x01010101u;
	case QPU_PACK_32S: return value;
	default: return insert_byte(old, mode, byte);
	}
}

/* The guide, pack and unpack: a float 0..1 as a byte; the bit for saturation changes
 * nothing. */
static uint32_t
pack_mul_lane(unsigned mode, uint32_t value, uint32_t old)
{
	const uint32_t byte = emu_float_to_byte(value);

	if (mode == QPU_PACK_8888 || mode == QPU_PACK_8888S)
		return byte * 0x01010101u;
	return insert_byte(old, mode, byte);
}

/* Integer sums saturate on signed overflow before any packing. */
static uint32_t
saturated(const struct emu_qpu *qpu, const struct emu_op *op, unsigned lane,
	  uint32_t value)
{
	const int64_t a = (int32_t)qpu->file[op->add.a][lane];
	const int64_t b = (int32_t)qpu->file[op->add.b][lane];

	if (op->mul.packs)
		return value;
	if (op->add.op == QPU_ADD_ADD)
		return (uint32_t)clamp(a + b, INT32_MIN, INT32_MAX);
	if (op->add.op == QPU_ADD_SUB)
		return (uint32_t)clamp(a - b, INT32_MIN, INT32_MAX);
	return value;
}

void
emu_pack_result(const struct emu_qpu *qpu, const struct emu_op *op,
		emu_vec *result)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const uint32_t old = qpu->file[op->pack_into][lane];
		const uint32_t wrapped = (*result)[lane];
		const uint32_t value = saturated(qpu, op, lane, wrapped);

		(*result)[lane] =
			op->pack_mul ? pack_mul_lane(op->pack, wrapped, old) :
				       pack_lane(op->pack, op->pack_float,
						 value != wrapped, value, old);
	}
}

void
emu_rotate(emu_vec *value, unsigned n, bool quads)
{
	const emu_vec from = *value;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const unsigned to = quads ? (lane & ~3u) | ((lane + n) & 3) :
					    (lane + n) & 15;

		(*value)[to] = from[lane];
	}
}
