/* SPDX-License-Identifier: MIT */
/*
 * The lane template for the vector instruction sets of x86.  They differ in how a
 * block of every lane gets into the vectors, and in the functions of FIPS 180-4,
 * 4.1.2, that take one instruction.
 */
#include "config.h"

#include "cpu/kernel_functions.h"

#if defined __x86_64__ || defined __i386__

#include <immintrin.h>

#include "cpu/sha256.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 4")
#define LOAD_128(p) _mm_loadu_si128((const __m128i *)(p))

/* Mask for pshufb: reverse the bytes of each 32-bit word. */
#define SWAP_MASK _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203)

/* Sixteen lanes of 512 bits ----------------------------------------------- */
#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw")))

typedef uint32_t vec16 __attribute__((vector_size(64)));

#define UNPACKLO_32(x, y) _mm512_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y) _mm512_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y) _mm512_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y) _mm512_unpackhi_epi64(x, y)

/* Transpose the 4 x 4 words in each 128-bit part: x[i] has four words of one lane
 * there, and w[i] gets one word of four lanes.  Callers swap the bytes before, since
 * clang would merge a later byte shuffle with these unpacks into slower code. */
#define TRANSPOSE_4X4(vec, type, w, x)                                         \
	do {                                                                   \
		const type ab01 = UNPACKLO_32((x)[0], (x)[1]);                 \
		const type ab23 = UNPACKHI_32((x)[0], (x)[1]);                 \
		const type cd01 = UNPACKLO_32((x)[2], (x)[3]);                 \
		const type cd23 = UNPACKHI_32((x)[2], (x)[3]);                 \
		(w)[0] = (vec)UNPACKLO_64(ab01, cd01);                         \
		(w)[1] = (vec)UNPACKHI_64(ab01, cd01);                         \
		(w)[2] = (vec)UNPACKLO_64(ab23, cd23);                         \
		(w)[3] = (vec)UNPACKHI_64(ab23, cd23);                         \
	} while (0)

/* Put lanes 4p..4p+3 into 128-bit part p.  An insertion from memory does not use
 * Intel's only shuffle port. */
TARGET_AVX512
INLINE void
load_avx512_x16(vec16 w[4], const uint8_t *const *data, size_t offset)
{
	const __m512i swap = _mm512_broadcast_i32x4(SWAP_MASK);
	__m512i x[4];

	UNROLL
	for (int lane = 0; lane < 4; lane++) {
		__m512i v =
			_mm512_castsi128_si512(LOAD_128(data[lane] + offset));

		v = _mm512_inserti32x4(v, LOAD_128(data[lane + 4] + offset), 1);
		v = _mm512_inserti32x4(v, LOAD_128(data[lane + 8] + offset), 2);
		v = _mm512_inserti32x4(v, LOAD_128(data[lane + 12] + offset),
				       3);
		x[lane] = _mm512_shuffle_epi8(v, swap);
	}
	TRANSPOSE_4X4(vec16, __m512i, w, x);
}

#undef UNPACKLO_32
#undef UNPACKHI_32
#undef UNPACKLO_64
#undef UNPACKHI_64

#define TERNARY_16(x, y, z, table)                                             \
	((vec16)_mm512_ternarylogic_epi32((__m512i)(x), (__m512i)(y),          \
					  (__m512i)(z), table))

/* Keep the template's order of additions: the operand that is known last comes last.
 * gcc's own order makes longer chains, which cost a Zen 5 more than a third.  The
 * kernels without AVX-512, which have fewer registers, are 2 % faster in gcc's order. */
#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("no-tree-reassoc")
#endif
#define LANES_NAME sha256_avx512_x16
#define LANES_TARGET TARGET_AVX512
#define LANES_LOAD load_avx512_x16
#define VEC vec16
#define VEC_GET(p) ((vec16)_mm512_load_si512(p))
#define VEC_PUT(p, v) _mm512_store_si512(p, (__m512i)(v))
#define VEC_SET1(k) ((vec16)_mm512_set1_epi32((int)(k)))
#define VEC_ROR(x, n) ((vec16)_mm512_ror_epi32((__m512i)(x), n))
/* The constants are the functions' truth tables, with x as the highest bit of the
 * index.  x_y is not needed, but the template reads it. */
#define VEC_XOR3(x, y, z) TERNARY_16(x, y, z, 0x96)
#define VEC_CH(x, y, z) TERNARY_16(x, y, z, 0xca)
#define VEC_MAJ(x, y, z, x_y, y_z)                                             \
	((void)(y_z), (x_y) = (x), TERNARY_16(x, y, z, 0xe8))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

/* Eight lanes of 256 bits ------------------------------------------------- */
#define TARGET_AVX2 __attribute__((target("avx2")))
#define TARGET_AVX512VL __attribute__((target("avx2,avx512f,avx512vl")))

typedef uint32_t vec8 __attribute__((vector_size(32)));

#define UNPACKLO_32(x, y) _mm256_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y) _mm256_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y) _mm256_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y) _mm256_unpackhi_epi64(x, y)

TARGET_AVX2
INLINE void
load_avx2_x8(vec8 w[4], const uint8_t *const *data, size_t offset)
{
	const __m256i swap = _mm256_broadcastsi128_si256(SWAP_MASK);
	__m256i x[4];

	UNROLL
	for (int lane = 0; lane < 4; lane++) {
		const __m256i v = _mm256_inserti128_si256(
			_mm256_castsi128_si256(LOAD_128(data[lane] + offset)),
			LOAD_128(data[lane + 4] + offset), 1);

		x[lane] = _mm256_shuffle_epi8(v, swap);
	}
	TRANSPOSE_4X4(vec8, __m256i, w, x);
}

#undef UNPACKLO_32
#undef UNPACKHI_32
#undef UNPACKLO_64
#undef UNPACKHI_64

#define TERNARY_8(x, y, z, table)                                              \
	((vec8)_mm256_ternarylogic_epi32((__m256i)(x), (__m256i)(y),           \
					 (__m256i)(z), table))

#define LANES_NAME sha256_avx512vl_x8
#define LANES_TARGET TARGET_AVX512VL
#define LANES_LOAD load_avx2_x8
#define VEC vec8
#define VEC_GET(p) ((vec8)_mm256_load_si256((__m256i *)(p)))
#define VEC_PUT(p, v) _mm256_store_si256((__m256i *)(p), (__m256i)(v))
#define VEC_SET1(k) ((vec8)_mm256_set1_epi32((int)(k)))
#define VEC_ROR(x, n) ((vec8)_mm256_ror_epi32((__m256i)(x), n))
#define VEC_XOR3(x, y, z) TERNARY_8(x, y, z, 0x96)
#define VEC_CH(x, y, z) TERNARY_8(x, y, z, 0xca)
#define VEC_MAJ(x, y, z, x_y, y_z)                                             \
	((void)(y_z), (x_y) = (x), TERNARY_8(x, y, z, 0xe8))
#include "cpu/lanes_template.h"
#undef LANES_TARGET
#ifndef __clang__
#pragma GCC pop_options
#endif

#define LANES_NAME sha256_avx2_x8
#define LANES_TARGET TARGET_AVX2
#define LANES_LOAD load_avx2_x8
#define VEC vec8
#define VEC_GET(p) ((vec8)_mm256_load_si256((__m256i *)(p)))
#define VEC_PUT(p, v) _mm256_store_si256((__m256i *)(p), (__m256i)(v))
#define VEC_SET1(k) ((vec8)_mm256_set1_epi32((int)(k)))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

/* Four lanes of 128 bits -------------------------------------------------- */
#define TARGET_SSE2 __attribute__((target("sse2")))
#define TARGET_SSSE3 __attribute__((target("ssse3")))

typedef uint32_t vec4 __attribute__((vector_size(16)));

#define UNPACKLO_32(x, y) _mm_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y) _mm_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y) _mm_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y) _mm_unpackhi_epi64(x, y)

TARGET_SSSE3
INLINE void
load_ssse3_x4(vec4 w[4], const uint8_t *const *data, size_t offset)
{
	__m128i x[4];

	UNROLL
	for (int lane = 0; lane < 4; lane++)
		x[lane] = _mm_shuffle_epi8(LOAD_128(data[lane] + offset),
					   SWAP_MASK);
	TRANSPOSE_4X4(vec4, __m128i, w, x);
}

TARGET_SSE2
INLINE void
load_sse2_x4(vec4 w[4], const uint8_t *const *data, size_t offset)
{
	__m128i x[4];

	UNROLL
	for (int lane = 0; lane < 4; lane++) {
		const __m128i v = LOAD_128(data[lane] + offset);
		/* Swap the bytes of each half of a word, then the halves. */
		const vec4 halves = (vec4)_mm_or_si128(_mm_slli_epi16(v, 8),
						       _mm_srli_epi16(v, 8));

		x[lane] = (__m128i)(halves << 16 | halves >> 16);
	}
	TRANSPOSE_4X4(vec4, __m128i, w, x);
}

#define LANES_NAME sha256_ssse3_x4
#define LANES_TARGET TARGET_SSSE3
#define LANES_LOAD load_ssse3_x4
#define VEC vec4
#define VEC_GET(p) ((vec4)_mm_load_si128((__m128i *)(p)))
#define VEC_PUT(p, v) _mm_store_si128((__m128i *)(p), (__m128i)(v))
#define VEC_SET1(k) ((vec4)_mm_set1_epi32((int)(k)))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#define LANES_NAME sha256_sse2_x4
#define LANES_TARGET TARGET_SSE2
#define LANES_LOAD load_sse2_x4
#define VEC vec4
#define VEC_GET(p) ((vec4)_mm_load_si128((__m128i *)(p)))
#define VEC_PUT(p, v) _mm_store_si128((__m128i *)(p), (__m128i)(v))
#define VEC_SET1(k) ((vec4)_mm_set1_epi32((int)(k)))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#endif
