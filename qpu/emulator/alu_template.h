/* SPDX-License-Identifier: MIT */
/*
 * alu template: the two ALUs of section 4 on 16 lanes.
 *
 * Included by core.c once for each instruction set of the host with
 *	EMU_NAME(name)	the name with a suffix of that set
 *	EMU_TARGET	the function attribute that selects it, or nothing
 *	EMU_BYTES	size of its vectors: 16 or 64
 * Everything is inlined into the core.  Operands are pointers to 16 lanes,
 * worked on in pieces of EMU_BYTES: compilers make poor code of vectors that
 * are wider than the host's, and must not pass them by value.
 */

/* It would take NAME(function)(arguments) apart. */
/* clang-format off */
#define EMU_INLINE EMU_TARGET static inline __attribute__((always_inline))

typedef uint32_t EMU_NAME(vec)
	__attribute__((vector_size(EMU_BYTES), may_alias));
typedef int32_t EMU_NAME(vec_s)
	__attribute__((vector_size(EMU_BYTES), may_alias));
typedef float EMU_NAME(vec_f)
	__attribute__((vector_size(EMU_BYTES), may_alias));
typedef uint8_t EMU_NAME(vec_b)
	__attribute__((vector_size(EMU_BYTES), may_alias));
typedef uint16_t EMU_NAME(vec_h)
	__attribute__((vector_size(EMU_BYTES), may_alias));

#ifndef EMU_EACH
/* Compute every piece of x from the pieces a and b of pa and pb. */
# define EMU_EACH(x, expression)					\
	do {								\
		const VEC *const a_ = (const VEC *)pa;			\
		const VEC *const b_ = (const VEC *)pb;			\
		VEC *const x_ = (VEC *)(x);				\
		_Pragma("GCC unroll 4")					\
		for (unsigned k_ = 0; k_ < 64 / EMU_BYTES; k_++) {	\
			const VEC a = a_[k_], b = b_[k_];		\
									\
			(void)a;					\
			(void)b;					\
			x_[k_] = (VEC)(expression);			\
		}							\
	} while (0)
# define VEC EMU_NAME(vec)
# define VEC_S EMU_NAME(vec_s)
# define VEC_F EMU_NAME(vec_f)
# define VEC_B EMU_NAME(vec_b)
# define VEC_H EMU_NAME(vec_h)
/* Lanes of a mask are all-ones or zero. */
# define EMU_SELECT(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))
# define EMU_FLUSH(x) ((x) & (VEC)(((x) & EMU_FLOAT_EXPONENT) != 0))
# define EMU_SPECIAL(x) \
	((VEC)(((x) & EMU_FLOAT_EXPONENT) == EMU_FLOAT_EXPONENT))
/* Floats in an order that integers have: NaN is outside infinity (4.3). */
# define EMU_FLOAT_ORDER(x) \
	((VEC_S)((x) ^ ((VEC)((VEC_S)(x) >> 31) & EMU_FLOAT_MAGNITUDE)))
# define EMU_ABS(x) ((x) & EMU_FLOAT_MAGNITUDE)
#endif

EMU_INLINE bool
EMU_NAME(any)(const emu_vec *mask)
{
	const VEC *pieces = (const VEC *)mask;
	VEC all = pieces[0];
	uint32_t bits = 0;

	for (unsigned k = 1; k < 64 / EMU_BYTES; k++)
		all |= pieces[k];
	for (unsigned i = 0; i < EMU_BYTES / 4; i++)
		bits |= all[i];
	return bits;
}

EMU_INLINE void
EMU_NAME(float_add)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		    emu_vec *x)
{
	emu_vec special;

	EMU_EACH(&special, EMU_SPECIAL(a) | EMU_SPECIAL(b));
	if (__builtin_expect(EMU_NAME(any)(&special), 0))
		emu_float_add(op, pa, pb, x);
	else if (op == QPU_ADD_FADD)
		EMU_EACH(x, (VEC_F)EMU_FLUSH(a) + (VEC_F)EMU_FLUSH(b));
	else
		EMU_EACH(x, (VEC_F)EMU_FLUSH(a) - (VEC_F)EMU_FLUSH(b));
	pa = pb = x;
	EMU_EACH(x, EMU_FLUSH(a));
}

EMU_INLINE void
EMU_NAME(float_mul)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	emu_vec special;

	EMU_EACH(&special, EMU_SPECIAL(a) | EMU_SPECIAL(b));
	if (__builtin_expect(EMU_NAME(any)(&special), 0))
		emu_float_mul(pa, pb, x);
	else
		EMU_EACH(x, (VEC_F)EMU_FLUSH(a) * (VEC_F)EMU_FLUSH(b));
	pa = pb = x;
	EMU_EACH(x, EMU_FLUSH(a));
}

EMU_INLINE void
EMU_NAME(clz)(const emu_vec *a, emu_vec *x)
{
	for (unsigned i = 0; i < EMU_LANES; i++)
		(*x)[i] = (*a)[i] ? (unsigned)__builtin_clz((*a)[i]) : 32;
}

EMU_INLINE void
EMU_NAME(add_bytes)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, ((VEC_B)a + (VEC_B)b) |
		    (VEC_B)((VEC_B)((VEC_B)a + (VEC_B)b) < (VEC_B)a));
}

EMU_INLINE void
EMU_NAME(sub_bytes)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, ((VEC_B)a - (VEC_B)b) &
		    (VEC_B)((VEC_B)a > (VEC_B)b));
}

EMU_INLINE void
EMU_NAME(min_bytes)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, EMU_SELECT((VEC)((VEC_B)a < (VEC_B)b), a, b));
}

EMU_INLINE void
EMU_NAME(max_bytes)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	EMU_EACH(x, EMU_SELECT((VEC)((VEC_B)a > (VEC_B)b), a, b));
}

/*
 * (a * b + 127) / 255 of each byte: with t = a * b + 128 that is
 * (t + t / 256) / 256, exact up to t = 65153, the largest there is.
 */
EMU_INLINE void
EMU_NAME(mul_bytes)(const emu_vec *pa, const emu_vec *pb, emu_vec *x)
{
	const uint32_t even = 0x00ff00ff;
	emu_vec products, *const t = &products;

	EMU_EACH(t, (VEC_H)(a & even) * (VEC_H)(b & even) + 128);
	EMU_EACH(x, (VEC_H)(a >> 8 & even) * (VEC_H)(b >> 8 & even) + 128);
	pa = t;
	pb = x;
	EMU_EACH(x, (VEC)(((VEC_H)a + ((VEC_H)a >> 8)) >> 8) |
		    (VEC)(((VEC_H)b + ((VEC_H)b >> 8)) >> 8) << 8);
}

EMU_INLINE void
EMU_NAME(add_alu)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		  emu_vec *x)
{
	switch (op) {
	case QPU_ADD_FADD:
		EMU_NAME(float_add)(QPU_ADD_FADD, pa, pb, x);
		break;
	case QPU_ADD_FSUB:
		EMU_NAME(float_add)(QPU_ADD_FSUB, pa, pb, x);
		break;
	case QPU_ADD_FMIN:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((VEC)(EMU_FLOAT_ORDER(a) >
					EMU_FLOAT_ORDER(b)), b, a)));
		break;
	case QPU_ADD_FMAX:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((VEC)(EMU_FLOAT_ORDER(a) >
					EMU_FLOAT_ORDER(b)), a, b)));
		break;
	case QPU_ADD_FMINABS:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((VEC)(EMU_ABS(a) >
				EMU_ABS(b)), EMU_ABS(b), EMU_ABS(a))));
		break;
	case QPU_ADD_FMAXABS:
		EMU_EACH(x, EMU_FLUSH(EMU_SELECT((VEC)(EMU_ABS(a) >
				EMU_ABS(b)), EMU_ABS(a), EMU_ABS(b))));
		break;
	case QPU_ADD_FTOI:
		emu_float_to_int(pa, x);
		break;
	case QPU_ADD_ITOF:
		EMU_EACH(x, __builtin_convertvector((VEC_S)a, VEC_F));
		break;
	case QPU_ADD_ADD:
		EMU_EACH(x, a + b);
		break;
	case QPU_ADD_SUB:
		EMU_EACH(x, a - b);
		break;
	case QPU_ADD_SHR:
		EMU_EACH(x, a >> (b & 31));
		break;
	case QPU_ADD_ASR:
		EMU_EACH(x, (VEC_S)a >> (VEC_S)(b & 31));
		break;
	case QPU_ADD_ROR:
		EMU_EACH(x, a >> (b & 31) | a << (-b & 31));
		break;
	case QPU_ADD_SHL:
		EMU_EACH(x, a << (b & 31));
		break;
	case QPU_ADD_MIN:
		EMU_EACH(x, EMU_SELECT((VEC)((VEC_S)a > (VEC_S)b), b, a));
		break;
	case QPU_ADD_MAX:
		EMU_EACH(x, EMU_SELECT((VEC)((VEC_S)a > (VEC_S)b), a, b));
		break;
	case QPU_ADD_AND:
		EMU_EACH(x, a & b);
		break;
	case QPU_ADD_OR:
		EMU_EACH(x, a | b);
		break;
	case QPU_ADD_XOR:
		EMU_EACH(x, a ^ b);
		break;
	case QPU_ADD_NOT:
		EMU_EACH(x, ~a);
		break;
	case QPU_ADD_CLZ:
		EMU_NAME(clz)(pa, x);
		break;
	case QPU_ADD_V8ADDS:
		EMU_NAME(add_bytes)(pa, pb, x);
		break;
	case QPU_ADD_V8SUBS:
		EMU_NAME(sub_bytes)(pa, pb, x);
		break;
	default:		/* EMU_MOV, and a nop's result is lost */
		EMU_EACH(x, a);
		break;
	}
}

EMU_INLINE void
EMU_NAME(mul_alu)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		  emu_vec *x)
{
	switch (op) {
	case QPU_MUL_FMUL:
		EMU_NAME(float_mul)(pa, pb, x);
		break;
	case QPU_MUL_MUL24:
		EMU_EACH(x, (a & 0xffffff) * (b & 0xffffff));
		break;
	case QPU_MUL_V8MULD:
		EMU_NAME(mul_bytes)(pa, pb, x);
		break;
	case QPU_MUL_V8MIN:
		EMU_NAME(min_bytes)(pa, pb, x);
		break;
	case QPU_MUL_V8MAX:
		EMU_NAME(max_bytes)(pa, pb, x);
		break;
	case QPU_MUL_V8ADDS:
		EMU_NAME(add_bytes)(pa, pb, x);
		break;
	case QPU_MUL_V8SUBS:
		EMU_NAME(sub_bytes)(pa, pb, x);
		break;
	default:		/* EMU_MOV, and a nop's result is lost */
		EMU_EACH(x, a);
		break;
	}
}

/* The C column of table 4.1 as a mask, given the result of the operation. */
EMU_INLINE void
EMU_NAME(add_carry)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		    const emu_vec *result, emu_vec *x)
{
	switch (op) {
	case QPU_ADD_FADD:
	case QPU_ADD_FSUB:
		pa = result;
		EMU_EACH(x, (VEC_S)a > 0);
		break;
	case QPU_ADD_FMIN:
	case QPU_ADD_FMAX:
		EMU_EACH(x, EMU_FLOAT_ORDER(a) > EMU_FLOAT_ORDER(b));
		break;
	case QPU_ADD_FMINABS:
	case QPU_ADD_FMAXABS:
		EMU_EACH(x, EMU_ABS(a) > EMU_ABS(b));
		break;
	case QPU_ADD_ADD:
		pb = result;
		EMU_EACH(x, b < a);
		break;
	case QPU_ADD_SUB:
		EMU_EACH(x, a < b);
		break;
	case QPU_ADD_SHR:
	case QPU_ADD_ASR:
		EMU_EACH(x, -(a >> ((b - 1) & 31) & 1) &
			    (VEC)((b & 31) != 0));
		break;
	case QPU_ADD_SHL:
		EMU_EACH(x, -(a >> (-b & 31) & 1) & (VEC)((b & 31) != 0));
		break;
	case QPU_ADD_MIN:
	case QPU_ADD_MAX:
		EMU_EACH(x, (VEC_S)a > (VEC_S)b);
		break;
	default:		/* itof: UNSURE(U1) */
		EMU_EACH(x, a ^ a);
		break;
	}
}

/* Section 4.2; that mul24 sets C above 24 bits is UNSURE(U1). */
EMU_INLINE void
EMU_NAME(mul_carry)(unsigned op, const emu_vec *a, const emu_vec *b,
		    emu_vec *carry)
{
	*carry = (emu_vec){ 0 };
	if (op != QPU_MUL_MUL24)
		return;
	for (unsigned i = 0; i < EMU_LANES; i++) {
		const uint64_t product = (uint64_t)((*a)[i] & 0xffffff) *
					 ((*b)[i] & 0xffffff);

		(*carry)[i] = product > 0xffffff ? ~0u : 0;
	}
}

#undef EMU_INLINE
