/* SPDX-License-Identifier: MIT */
/*
 * alu: the two ALUs (the guide, ALU operations) on 16 lanes.
 *
 * Included once for each instruction set of the host, whose vectors have EMU_BYTES:
 * 16 in core.c, 64 in core_avx512.c.  Everything is inlined into the core.
 * Operands are pointers to 16 lanes, worked on in pieces of EMU_BYTES: compilers
 * make poor code of vectors that are wider than the host's, and must not pass
 * them by value.
 */
#ifndef QPU_EMULATOR_ALU_H
#define QPU_EMULATOR_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/float.h"
#include "qpu/emulator/machine.h"

#define EMU_INLINE static inline __attribute__((always_inline))

typedef uint32_t vec __attribute__((vector_size(EMU_BYTES), may_alias));
typedef int32_t vec_s __attribute__((vector_size(EMU_BYTES), may_alias));
typedef float vec_f __attribute__((vector_size(EMU_BYTES), may_alias));
typedef uint8_t vec_b __attribute__((vector_size(EMU_BYTES), may_alias));
typedef uint16_t vec_h __attribute__((vector_size(EMU_BYTES), may_alias));

/* clang-format off */
/* Compute every piece of x from the pieces a and b of pa and pb. */
#define EMU_EACH(x, expression)					\
	do {								\
		const vec *const a_ = (const vec *)pa;			\
		const vec *const b_ = (const vec *)pb;			\
		vec *const x_ = (vec *)(x);				\
		_Pragma("GCC unroll 4")					\
		for (unsigned k_ = 0; k_ < 64 / EMU_BYTES; k_++) {	\
			const vec a = a_[k_], b = b_[k_];		\
									\
			(void)a;					\
			(void)b;					\
			x_[k_] = (vec)(expression);			\
		}							\
	} while (0)
/* Lanes of a mask are all-ones or zero. */
#define EMU_SELECT(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))
#define EMU_FLUSH(x) ((x) & (vec)(((x) & EMU_FLOAT_EXPONENT) != 0))
#define EMU_SPECIAL(x) \
	((vec)(((x) & EMU_FLOAT_EXPONENT) == EMU_FLOAT_EXPONENT))
/* Floats in an order that integers have: NaN is outside infinity. */
#define EMU_FLOAT_ORDER(x) \
	((vec_s)((x) ^ ((vec)((vec_s)(x) >> 31) & EMU_FLOAT_MAGNITUDE)))
#define EMU_ABS(x) ((x) & EMU_FLOAT_MAGNITUDE)
/* clang-format on */

EMU_INLINE bool
any(const emu_vec *mask)
{
	const vec *pieces = (const vec *)mask;
	vec all = pieces[0];
	uint32_t bits = 0;

	for (unsigned k = 1; k < 64 / EMU_BYTES; k++)
		all |= pieces[k];
	for (unsigned i = 0; i < EMU_BYTES / 4; i++)
		bits |= all[i];
	return bits;
}

EMU_INLINE void
float_add(unsigned op, const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	emu_vec special;

	EMU_EACH(&special, EMU_SPECIAL(a) | EMU_SPECIAL(b));
	if (__builtin_expect(any(&special), 0))
		emu_float_add(op, pa, pb, x);
	else if (op == QPU_ADD_FADD)
		EMU_EACH(x, (vec_f)EMU_FLUSH(a) + (vec_f)EMU_FLUSH(b));
	else
		EMU_EACH(x, (vec_f)EMU_FLUSH(a) - (vec_f)EMU_FLUSH(b));
	pa = pb = x;
	EMU_EACH(x, EMU_FLUSH(a));
}

EMU_INLINE void
float_mul(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	emu_vec special;

	EMU_EACH(&special, EMU_SPECIAL(a) | EMU_SPECIAL(b));
	if (__builtin_expect(any(&special), 0))
		emu_float_mul(pa, pb, x);
	else
		EMU_EACH(x, (vec_f)EMU_FLUSH(a) * (vec_f)EMU_FLUSH(b));
	pa = pb = x;
	EMU_EACH(x, EMU_FLUSH(a));
}

EMU_INLINE void
clz(const emu_vec *a, emu_vec *x)
{
	for (unsigned i = 0; i < EMU_LANES; i++)
		(*x)[i] = (*a)[i] ? (unsigned)__builtin_clz((*a)[i]) : 32;
}

EMU_INLINE void
add_bytes(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, ((vec_b)a + (vec_b)b) |
			    (vec_b)((vec_b)((vec_b)a + (vec_b)b) < (vec_b)a));
}

EMU_INLINE void
sub_bytes(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, ((vec_b)a - (vec_b)b) & (vec_b)((vec_b)a > (vec_b)b));
}

EMU_INLINE void
min_bytes(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, EMU_SELECT((vec)((vec_b)a < (vec_b)b), a, b));
}

EMU_INLINE void
max_bytes(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, EMU_SELECT((vec)((vec_b)a > (vec_b)b), a, b));
}

/*
 * (a * b + 127) / 255 of each byte: with t = a * b + 128 that is
 * (t + t / 256) / 256, exact up to t = 65153, the largest there is.
 */
EMU_INLINE void
mul_bytes(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	const uint32_t even = 0x00ff00ff;
	emu_vec products, *const t = &products;

	EMU_EACH(t, (vec_h)(a & even) * (vec_h)(b & even) + 128);
	EMU_EACH(x, (vec_h)(a >> 8 & even) * (vec_h)(b >> 8 & even) + 128);
	pa = t;
	pb = x;
	EMU_EACH(x, (vec)(((vec_h)a + ((vec_h)a >> 8)) >> 8) |
			    (vec)(((vec_h)b + ((vec_h)b >> 8)) >> 8) << 8);
}

EMU_INLINE void
add_alu(unsigned op, const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	switch (op) {
	case QPU_ADD_FADD: float_add(QPU_ADD_FADD, pa, pb, x); break;
	case QPU_ADD_FSUB: float_add(QPU_ADD_FSUB, pa, pb, x); break;
	case QPU_ADD_FMIN:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((vec)(EMU_FLOAT_ORDER(a) >
						       EMU_FLOAT_ORDER(b)),
						 b, a)));
		break;
	case QPU_ADD_FMAX:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((vec)(EMU_FLOAT_ORDER(a) >
						       EMU_FLOAT_ORDER(b)),
						 a, b)));
		break;
	case QPU_ADD_FMINABS:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((vec)(EMU_ABS(a) > EMU_ABS(b)),
						 EMU_ABS(b), EMU_ABS(a))));
		break;
	case QPU_ADD_FMAXABS:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((vec)(EMU_ABS(a) > EMU_ABS(b)),
						 EMU_ABS(a), EMU_ABS(b))));
		break;
	case QPU_ADD_FTOI: emu_float_to_int(pa, x); break;
	case QPU_ADD_ITOF:
		EMU_EACH(x, __builtin_convertvector((vec_s)a, vec_f));
		break;
	case QPU_ADD_ADD: EMU_EACH(x, a + b); break;
	case QPU_ADD_SUB: EMU_EACH(x, a - b); break;
	case QPU_ADD_SHR: EMU_EACH(x, a >> (b & 31)); break;
	case QPU_ADD_ASR: EMU_EACH(x, (vec_s)a >> (vec_s)(b & 31)); break;
	case QPU_ADD_ROR: EMU_EACH(x, a >> (b & 31) | a << (-b & 31)); break;
	case QPU_ADD_SHL: EMU_EACH(x, a << (b & 31)); break;
	case QPU_ADD_MIN:
		EMU_EACH(x, EMU_SELECT((vec)((vec_s)a > (vec_s)b), b, a));
		break;
	case QPU_ADD_MAX:
		EMU_EACH(x, EMU_SELECT((vec)((vec_s)a > (vec_s)b), a, b));
		break;
	case QPU_ADD_AND: EMU_EACH(x, a & b); break;
	case QPU_ADD_OR: EMU_EACH(x, a | b); break;
	case QPU_ADD_XOR: EMU_EACH(x, a ^ b); break;
	case QPU_ADD_NOT: EMU_EACH(x, ~a); break;
	case QPU_ADD_CLZ: clz(pa, x); break;
	case QPU_ADD_V8ADDS: add_bytes(pa, pb, x); break;
	case QPU_ADD_V8SUBS: sub_bytes(pa, pb, x); break;
	default: /* EMU_MOV, and a nop's result is lost */
		EMU_EACH(x, a);
		break;
	}
}

EMU_INLINE void
mul_alu(unsigned op, const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	switch (op) {
	case QPU_MUL_FMUL: float_mul(pa, pb, x); break;
	case QPU_MUL_MUL24: EMU_EACH(x, (a & 0xffffff) * (b & 0xffffff)); break;
	case QPU_MUL_V8MULD: mul_bytes(pa, pb, x); break;
	case QPU_MUL_V8MIN: min_bytes(pa, pb, x); break;
	case QPU_MUL_V8MAX: max_bytes(pa, pb, x); break;
	case QPU_MUL_V8ADDS: add_bytes(pa, pb, x); break;
	case QPU_MUL_V8SUBS: sub_bytes(pa, pb, x); break;
	default: /* EMU_MOV, and a nop's result is lost */
		EMU_EACH(x, a);
		break;
	}
}

/* The C flag as a mask, given the result of the operation. */
EMU_INLINE void
add_carry(unsigned op, const emu_vec *pa, const emu_vec *pb,
	  const emu_vec *result, emu_vec *x)
{
	switch (op) {
	case QPU_ADD_FADD:
	case QPU_ADD_FSUB:
		pa = result;
		EMU_EACH(x, (vec_s)a > 0);
		break;
	case QPU_ADD_FMIN:
	case QPU_ADD_FMAX:
		EMU_EACH(x, EMU_FLOAT_ORDER(a) > EMU_FLOAT_ORDER(b));
		break;
	case QPU_ADD_FMINABS:
	case QPU_ADD_FMAXABS: EMU_EACH(x, EMU_ABS(a) > EMU_ABS(b)); break;
	case QPU_ADD_ADD:
		pb = result;
		EMU_EACH(x, b < a);
		break;
	case QPU_ADD_SUB: EMU_EACH(x, a < b); break;
	case QPU_ADD_SHR:
	case QPU_ADD_ASR:
		EMU_EACH(x, -(a >> ((b - 1) & 31) & 1) & (vec)((b & 31) != 0));
		break;
	case QPU_ADD_SHL:
		EMU_EACH(x, -(a >> (-b & 31) & 1) & (vec)((b & 31) != 0));
		break;
	case QPU_ADD_MIN:
	case QPU_ADD_MAX: EMU_EACH(x, (vec_s)a > (vec_s)b); break;
	default: /* itof: UNSURE(U1) */ EMU_EACH(x, a ^ a); break;
	}
}

/* That mul24 sets C above 24 bits is UNSURE(U1). */
EMU_INLINE void
mul_carry(unsigned op, const emu_vec *a, const emu_vec *b, emu_vec *carry)
{
	*carry = (emu_vec){ 0 };
	if (op != QPU_MUL_MUL24)
		return;
	for (unsigned i = 0; i < EMU_LANES; i++) {
		const uint64_t product =
			(uint64_t)((*a)[i] & 0xffffff) * ((*b)[i] & 0xffffff);

		(*carry)[i] = product > 0xffffff ? ~0u : 0;
	}
}

#endif
