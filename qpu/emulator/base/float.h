/* SPDX-License-Identifier: MIT */
/*
 * float: the arithmetic of the hardware where it is not IEEE 754 (section
 * 4.3), one lane at a time.  No denormals, results truncated, no NaN.
 *
 * The host's rounding mode must be toward zero (emu_float_enter).
 */
#ifndef QPU_EMULATOR_BASE_FLOAT_H
#define QPU_EMULATOR_BASE_FLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "qpu/emulator/base/memory.h"

enum { EMU_FLOAT_EXPONENT = 0x7f800000, EMU_FLOAT_MAGNITUDE = 0x7fffffff };

static inline float
emu_float_value(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint32_t
emu_float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Denormals and -0 are +0. */
static inline uint32_t
emu_float_flush(uint32_t bits)
{
	return bits & EMU_FLOAT_EXPONENT ? bits : 0;
}

/* Call this before all others; false if libm cannot be loaded. */
bool
emu_float_load(void);

/* Set the host's rounding and say what it was; go back to it. */
int
emu_float_enter(void);
void
emu_float_leave(int mode);

/* Any operands, infinities and NaN included; op is QPU_ADD_FADD, FSUB.  A
 * result may yet be a denormal or -0. */
void
emu_float_add(unsigned op, const emu_vec *a, const emu_vec *b, emu_vec *sum);
void
emu_float_mul(const emu_vec *a, const emu_vec *b, emu_vec *product);
void
emu_float_to_int(const emu_vec *a, emu_vec *result);

/*
 * The special functions: reciprocal, its square root, power and
 * logarithm of two; waddr is the address written, QPU_W_RECIP .. QPU_W_LOG.
 */
void
emu_float_function(unsigned waddr, const emu_vec *x, emu_vec *result);

uint32_t
emu_float_from_half(uint32_t half);
uint32_t
emu_float_to_half(uint32_t bits);
/* 0..255 to 0..1 and back. */
uint32_t
emu_float_from_byte(uint32_t byte);
uint32_t
emu_float_to_byte(uint32_t bits);

#endif
