/* SPDX-License-Identifier: MIT */
/*
 * alu template: the two ALUs of section 4 on 16 lanes.
 *
 * Included by emu_core.c once for each instruction set of the host with
 *	EMU_NAME(name)	the name with a suffix of that set
 *	EMU_TARGET	the function attribute that selects it, or nothing
 * Everything is inlined into the core; operands are pointers because vectors
 * must not cross a function boundary by value.
 */

#define EMU_INLINE EMU_TARGET static inline __attribute__((always_inline))

#ifndef EMU_SELECT
/* Lanes of a mask are all-ones or zero. */
# define EMU_SELECT(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))
# define EMU_MASK(comparison) ((emu_vec)(comparison))
# define EMU_FLUSH(x) \
	((x) & EMU_MASK(((x) & EMU_FLOAT_EXPONENT) != 0))
/* Floats in an order that integers have: NaN is outside infinity (4.3). */
# define EMU_FLOAT_ORDER(x) \
	((emu_vec_s)((x) ^ ((emu_vec)((emu_vec_s)(x) >> 31) & \
			    EMU_FLOAT_MAGNITUDE)))
#endif

EMU_INLINE bool
EMU_NAME(any)(const emu_vec *mask)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < EMU_LANES; i++)
		bits |= (*mask)[i];
	return bits;
}

EMU_INLINE bool
EMU_NAME(any_special)(const emu_vec *pa, const emu_vec *pb)
{
	const emu_vec a = *pa & EMU_FLOAT_EXPONENT;
	const emu_vec b = *pb & EMU_FLOAT_EXPONENT;
	const emu_vec special = EMU_MASK(a == EMU_FLOAT_EXPONENT) |
				EMU_MASK(b == EMU_FLOAT_EXPONENT);

	return EMU_NAME(any)(&special);
}

EMU_INLINE void
EMU_NAME(float_add)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		    emu_vec *sum)
{
	const emu_vec a = EMU_FLUSH(*pa), b = EMU_FLUSH(*pb);

	if (__builtin_expect(EMU_NAME(any_special)(&a, &b), 0)) {
		emu_float_add(op, pa, pb, sum);
		return;
	}
	if (op == QPU_ADD_FADD)
		*sum = (emu_vec)((emu_vec_f)a + (emu_vec_f)b);
	else
		*sum = (emu_vec)((emu_vec_f)a - (emu_vec_f)b);
	*sum = EMU_FLUSH(*sum);
}

EMU_INLINE void
EMU_NAME(float_mul)(const emu_vec *pa, const emu_vec *pb, emu_vec *product)
{
	const emu_vec a = EMU_FLUSH(*pa), b = EMU_FLUSH(*pb);

	if (__builtin_expect(EMU_NAME(any_special)(&a, &b), 0)) {
		emu_float_mul(pa, pb, product);
		return;
	}
	*product = (emu_vec)((emu_vec_f)a * (emu_vec_f)b);
	*product = EMU_FLUSH(*product);
}

EMU_INLINE void
EMU_NAME(clz)(const emu_vec *a, emu_vec *x)
{
	for (unsigned i = 0; i < EMU_LANES; i++)
		(*x)[i] = (*a)[i] ? (unsigned)__builtin_clz((*a)[i]) : 32;
}

EMU_INLINE void
EMU_NAME(add_bytes)(const emu_vec *a, const emu_vec *b, emu_vec *x)
{
	const emu_vec_b sum = (emu_vec_b)*a + (emu_vec_b)*b;

	*x = (emu_vec)(sum | (emu_vec_b)(sum < (emu_vec_b)*a));
}

EMU_INLINE void
EMU_NAME(sub_bytes)(const emu_vec *a, const emu_vec *b, emu_vec *x)
{
	const emu_vec_b left = (emu_vec_b)*a, right = (emu_vec_b)*b;

	*x = (emu_vec)((left - right) & (emu_vec_b)(left > right));
}

EMU_INLINE void
EMU_NAME(min_bytes)(const emu_vec *a, const emu_vec *b, emu_vec *x)
{
	const emu_vec_b left = (emu_vec_b)*a, right = (emu_vec_b)*b;

	*x = (emu_vec)EMU_SELECT((emu_vec_b)(left < right), left, right);
}

EMU_INLINE void
EMU_NAME(max_bytes)(const emu_vec *a, const emu_vec *b, emu_vec *x)
{
	const emu_vec_b left = (emu_vec_b)*a, right = (emu_vec_b)*b;

	*x = (emu_vec)EMU_SELECT((emu_vec_b)(left > right), left, right);
}

/*
 * (a * b + 127) / 255 of each byte: t/255 = (t + 1 + (t + 1)/256)/256, which
 * is exact for t below 65535, and t is 65152 at most.
 */
EMU_INLINE void
EMU_NAME(mul_bytes)(const emu_vec *a, const emu_vec *b, emu_vec *x)
{
	const emu_vec_h even_a = (emu_vec_h)(*a & 0x00ff00ff);
	const emu_vec_h even_b = (emu_vec_h)(*b & 0x00ff00ff);
	const emu_vec_h odd_a = (emu_vec_h)(*a >> 8 & 0x00ff00ff);
	const emu_vec_h odd_b = (emu_vec_h)(*b >> 8 & 0x00ff00ff);
	const emu_vec_h even = even_a * even_b + 128;
	const emu_vec_h odd = odd_a * odd_b + 128;

	*x = (emu_vec)((even + (even >> 8)) >> 8) |
	     (emu_vec)((odd + (odd >> 8)) >> 8) << 8;
}

EMU_INLINE void
EMU_NAME(add_alu)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		  emu_vec *x)
{
	const emu_vec a = *pa, b = *pb;

	switch (op) {
	case QPU_ADD_FADD:
		EMU_NAME(float_add)(QPU_ADD_FADD, pa, pb, x);
		break;
	case QPU_ADD_FSUB:
		EMU_NAME(float_add)(QPU_ADD_FSUB, pa, pb, x);
		break;
	case QPU_ADD_FMIN:
		*x = EMU_SELECT(EMU_MASK(EMU_FLOAT_ORDER(a) >
					 EMU_FLOAT_ORDER(b)), b, a);
		*x = EMU_FLUSH(*x);
		break;
	case QPU_ADD_FMAX:
		*x = EMU_SELECT(EMU_MASK(EMU_FLOAT_ORDER(a) >
					 EMU_FLOAT_ORDER(b)), a, b);
		*x = EMU_FLUSH(*x);
		break;
	case QPU_ADD_FMINABS: {
		const emu_vec u = a & EMU_FLOAT_MAGNITUDE;
		const emu_vec v = b & EMU_FLOAT_MAGNITUDE;

		*x = EMU_SELECT(EMU_MASK(u > v), v, u);
		*x = EMU_FLUSH(*x);
		break;
	}
	case QPU_ADD_FMAXABS: {
		const emu_vec u = a & EMU_FLOAT_MAGNITUDE;
		const emu_vec v = b & EMU_FLOAT_MAGNITUDE;

		*x = EMU_SELECT(EMU_MASK(u > v), u, v);
		*x = EMU_FLUSH(*x);
		break;
	}
	case QPU_ADD_FTOI:
		emu_float_to_int(pa, x);
		break;
	case QPU_ADD_ITOF:
		*x = (emu_vec)__builtin_convertvector((emu_vec_s)a, emu_vec_f);
		break;
	case QPU_ADD_ADD:
		*x = a + b;
		break;
	case QPU_ADD_SUB:
		*x = a - b;
		break;
	case QPU_ADD_SHR:
		*x = a >> (b & 31);
		break;
	case QPU_ADD_ASR:
		*x = (emu_vec)((emu_vec_s)a >> (emu_vec_s)(b & 31));
		break;
	case QPU_ADD_ROR:
		*x = a >> (b & 31) | a << (-b & 31);
		break;
	case QPU_ADD_SHL:
		*x = a << (b & 31);
		break;
	case QPU_ADD_MIN:
		*x = EMU_SELECT(EMU_MASK((emu_vec_s)a > (emu_vec_s)b), b, a);
		break;
	case QPU_ADD_MAX:
		*x = EMU_SELECT(EMU_MASK((emu_vec_s)a > (emu_vec_s)b), a, b);
		break;
	case QPU_ADD_AND:
		*x = a & b;
		break;
	case QPU_ADD_OR:
		*x = a | b;
		break;
	case QPU_ADD_XOR:
		*x = a ^ b;
		break;
	case QPU_ADD_NOT:
		*x = ~a;
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
	default:		/* EMU_ADD_MOV, and a nop's result is lost */
		*x = a;
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
		*x = (*pa & 0xffffff) * (*pb & 0xffffff);
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
	default:		/* EMU_MUL_MOV, and a nop's result is lost */
		*x = *pa;
		break;
	}
}

/* The C column of table 4.1 as a mask. */
EMU_INLINE void
EMU_NAME(add_carry)(unsigned op, const emu_vec *pa, const emu_vec *pb,
		    const emu_vec *px, emu_vec *carry)
{
	const emu_vec a = *pa, b = *pb, n = b & 31;

	switch (op) {
	case QPU_ADD_FADD:
	case QPU_ADD_FSUB:
		*carry = EMU_MASK((emu_vec_s)*px > 0);
		break;
	case QPU_ADD_FMIN:
	case QPU_ADD_FMAX:
		*carry = EMU_MASK(EMU_FLOAT_ORDER(a) > EMU_FLOAT_ORDER(b));
		break;
	case QPU_ADD_FMINABS:
	case QPU_ADD_FMAXABS:
		*carry = EMU_MASK((a & EMU_FLOAT_MAGNITUDE) >
				  (b & EMU_FLOAT_MAGNITUDE));
		break;
	case QPU_ADD_ADD:
		*carry = EMU_MASK(*px < a);
		break;
	case QPU_ADD_SUB:
		*carry = EMU_MASK(a < b);
		break;
	case QPU_ADD_SHR:
	case QPU_ADD_ASR:
		*carry = -(a >> ((n - 1) & 31) & 1) & EMU_MASK(n != 0);
		break;
	case QPU_ADD_SHL:
		*carry = -(a >> (-n & 31) & 1) & EMU_MASK(n != 0);
		break;
	case QPU_ADD_MIN:
	case QPU_ADD_MAX:
		*carry = EMU_MASK((emu_vec_s)a > (emu_vec_s)b);
		break;
	default:		/* itof: UNSURE(U1) */
		*carry = (emu_vec){ 0 };
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
