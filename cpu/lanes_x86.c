/* SPDX-License-Identifier: MIT */
/*
 * The lane template for the vector instruction sets of x86: what is different
 * between them is how a block of every lane gets into the vectors, and which
 * logical functions are one instruction.
 */
#include "config.h"

#include "cpu/lanes_x86.h"

#if defined __x86_64__ || defined __i386__

#include <immintrin.h>

#include "cpu/sha256.h"

#define INLINE		static inline __attribute__((always_inline))

/* Byte order of every word of 16 bytes reversed. */
#define SWAP_MASK \
	_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203)

/* FIPS 180-4, 4.1.2, in fewer operations than the standard's forms. */
#define CH(x, y, z)		((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z, x_y, y_z)	((x_y) = (x) ^ (y), (y) ^ ((x_y) & (y_z)))

/* AVX-512, sixteen lanes -------------------------------------------------- */
#define TARGET_AVX512	__attribute__((target("avx512f,avx512bw")))

typedef uint32_t vec16 __attribute__((vector_size(64)));

#define UNPACKLO_32(x, y)	_mm512_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y)	_mm512_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y)	_mm512_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y)	_mm512_unpackhi_epi64(x, y)

/* Rows r..r+3 hold four words of four lanes in each 128-bit part; columns of
 * words become rows. */
#define TRANSPOSE_4X4(type, x, r)					\
	do {								\
		const type ab02 = UNPACKLO_32((x)[r], (x)[(r) + 1]);	\
		const type ab13 = UNPACKHI_32((x)[r], (x)[(r) + 1]);	\
		const type cd02 = UNPACKLO_32((x)[(r) + 2], (x)[(r) + 3]); \
		const type cd13 = UNPACKHI_32((x)[(r) + 2], (x)[(r) + 3]); \
		(x)[r] = UNPACKLO_64(ab02, cd02);			\
		(x)[(r) + 1] = UNPACKHI_64(ab02, cd02);			\
		(x)[(r) + 2] = UNPACKLO_64(ab13, cd13);			\
		(x)[(r) + 3] = UNPACKHI_64(ab13, cd13);			\
	} while (0)

TARGET_AVX512
INLINE void
load_avx512_x16(vec16 w[16], const uint8_t *const *data, size_t offset)
{
	const __m512i swap = _mm512_broadcast_i32x4(SWAP_MASK);
	__m512i x[16];

	for (int lane = 0; lane < 16; lane++)
		x[lane] = _mm512_shuffle_epi8(
			_mm512_loadu_si512(data[lane] + offset), swap);

	/* Now part p of x[4q + i] holds word 4p + i of lanes 4q..4q+3. */
	for (int q = 0; q < 16; q += 4)
		TRANSPOSE_4X4(__m512i, x, q);

	/* Gather part p of the four q into one vector, for each i. */
	for (int i = 0; i < 4; i++) {
		const __m512i p01_q01 =
			_mm512_shuffle_i32x4(x[i], x[4 + i], 0x44);
		const __m512i p23_q01 =
			_mm512_shuffle_i32x4(x[i], x[4 + i], 0xee);
		const __m512i p01_q23 =
			_mm512_shuffle_i32x4(x[8 + i], x[12 + i], 0x44);
		const __m512i p23_q23 =
			_mm512_shuffle_i32x4(x[8 + i], x[12 + i], 0xee);

		w[i] = (vec16)_mm512_shuffle_i32x4(p01_q01, p01_q23, 0x88);
		w[4 + i] = (vec16)_mm512_shuffle_i32x4(p01_q01, p01_q23, 0xdd);
		w[8 + i] = (vec16)_mm512_shuffle_i32x4(p23_q01, p23_q23, 0x88);
		w[12 + i] = (vec16)_mm512_shuffle_i32x4(p23_q01, p23_q23,
							0xdd);
	}
}

#undef UNPACKLO_32
#undef UNPACKHI_32
#undef UNPACKLO_64
#undef UNPACKHI_64

#define TERNARY_16(x, y, z, table) \
	((vec16)_mm512_ternarylogic_epi32((__m512i)(x), (__m512i)(y), \
					  (__m512i)(z), table))

#define LANES_NAME		sha256_avx512_x16
#define LANES_TARGET		TARGET_AVX512
#define LANES_LOAD		load_avx512_x16
#define VEC			vec16
#define VEC_GET(p)		((vec16)_mm512_load_si512(p))
#define VEC_PUT(p, v)		_mm512_store_si512(p, (__m512i)(v))
#define VEC_SET1(k)		((vec16)_mm512_set1_epi32((int)(k)))
#define VEC_ROR(x, n)		((vec16)_mm512_ror_epi32((__m512i)(x), n))
#define VEC_SHR(x, n)		((x) >> (n))
#define VEC_XOR3(x, y, z)	TERNARY_16(x, y, z, 0x96)
#define VEC_CH(x, y, z)		TERNARY_16(x, y, z, 0xca)
#define VEC_MAJ(x, y, z, x_y, y_z) \
	((void)(y_z), (x_y) = (x), TERNARY_16(x, y, z, 0xe8))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

/* Eight lanes of 256 bits ------------------------------------------------- */
#define TARGET_AVX2	__attribute__((target("avx2")))
#define TARGET_AVX512VL	__attribute__((target("avx2,avx512f,avx512vl")))

typedef uint32_t vec8 __attribute__((vector_size(32)));

#define UNPACKLO_32(x, y)	_mm256_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y)	_mm256_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y)	_mm256_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y)	_mm256_unpackhi_epi64(x, y)

/* Words t..t+3 of all lanes: lane i in the low and i + 4 in the high part;
 * the insertion from memory needs no shuffle port. */
TARGET_AVX2
INLINE void
load_4_words_x8(vec8 *w, const uint8_t *const *data, size_t offset)
{
	const __m256i swap = _mm256_broadcastsi128_si256(SWAP_MASK);
	__m256i x[4];

	for (int lane = 0; lane < 4; lane++) {
		const __m128i *const low =
			(const __m128i *)(data[lane] + offset);
		const __m128i *const high =
			(const __m128i *)(data[lane + 4] + offset);

		x[lane] = _mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_loadu_si128(low)),
			_mm_loadu_si128(high), 1);
	}
	TRANSPOSE_4X4(__m256i, x, 0);
	for (int i = 0; i < 4; i++)
		w[i] = (vec8)_mm256_shuffle_epi8(x[i], swap);
}

#undef UNPACKLO_32
#undef UNPACKHI_32
#undef UNPACKLO_64
#undef UNPACKHI_64

TARGET_AVX2
INLINE void
load_avx2_x8(vec8 w[16], const uint8_t *const *data, size_t offset)
{
	for (int t = 0; t < 16; t += 4)
		load_4_words_x8(w + t, data, offset + 4 * (size_t)t);
}

#define TERNARY_8(x, y, z, table) \
	((vec8)_mm256_ternarylogic_epi32((__m256i)(x), (__m256i)(y), \
					 (__m256i)(z), table))

#define LANES_NAME		sha256_avx512vl_x8
#define LANES_TARGET		TARGET_AVX512VL
#define LANES_LOAD		load_avx2_x8
#define VEC			vec8
#define VEC_GET(p)		((vec8)_mm256_load_si256((__m256i *)(p)))
#define VEC_PUT(p, v)		_mm256_store_si256((__m256i *)(p), (__m256i)(v))
#define VEC_SET1(k)		((vec8)_mm256_set1_epi32((int)(k)))
#define VEC_ROR(x, n)		((vec8)_mm256_ror_epi32((__m256i)(x), n))
#define VEC_SHR(x, n)		((x) >> (n))
#define VEC_XOR3(x, y, z)	TERNARY_8(x, y, z, 0x96)
#define VEC_CH(x, y, z)		TERNARY_8(x, y, z, 0xca)
#define VEC_MAJ(x, y, z, x_y, y_z) \
	((void)(y_z), (x_y) = (x), TERNARY_8(x, y, z, 0xe8))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#define LANES_NAME		sha256_avx2_x8
#define LANES_TARGET		TARGET_AVX2
#define LANES_LOAD		load_avx2_x8
#define VEC			vec8
#define VEC_GET(p)		((vec8)_mm256_load_si256((__m256i *)(p)))
#define VEC_PUT(p, v)		_mm256_store_si256((__m256i *)(p), (__m256i)(v))
#define VEC_SET1(k)		((vec8)_mm256_set1_epi32((int)(k)))
#define VEC_ROR(x, n)		((x) >> (n) ^ (x) << (32 - (n)))
#define VEC_SHR(x, n)		((x) >> (n))
#define VEC_XOR3(x, y, z)	((x) ^ (y) ^ (z))
#define VEC_CH(x, y, z)		CH(x, y, z)
#define VEC_MAJ			MAJ
#include "cpu/lanes_template.h"
#undef LANES_TARGET

/* Four lanes of 128 bits -------------------------------------------------- */
#define TARGET_SSE2	__attribute__((target("sse2")))
#define TARGET_SSSE3	__attribute__((target("ssse3")))

typedef uint32_t vec4 __attribute__((vector_size(16)));

#define UNPACKLO_32(x, y)	_mm_unpacklo_epi32(x, y)
#define UNPACKHI_32(x, y)	_mm_unpackhi_epi32(x, y)
#define UNPACKLO_64(x, y)	_mm_unpacklo_epi64(x, y)
#define UNPACKHI_64(x, y)	_mm_unpackhi_epi64(x, y)

TARGET_SSE2
INLINE void
load_4_words_x4(__m128i x[4], const uint8_t *const *data, size_t offset)
{
	for (int lane = 0; lane < 4; lane++)
		x[lane] = _mm_loadu_si128(
			(const __m128i *)(data[lane] + offset));
	TRANSPOSE_4X4(__m128i, x, 0);
}

TARGET_SSSE3
INLINE void
load_ssse3_x4(vec4 w[16], const uint8_t *const *data, size_t offset)
{
	for (int t = 0; t < 16; t += 4) {
		__m128i x[4];

		load_4_words_x4(x, data, offset + 4 * (size_t)t);
		for (int i = 0; i < 4; i++)
			w[t + i] = (vec4)_mm_shuffle_epi8(x[i], SWAP_MASK);
	}
}

/* Swap the bytes of each half of a word, then the halves. */
TARGET_SSE2
INLINE void
load_sse2_x4(vec4 w[16], const uint8_t *const *data, size_t offset)
{
	for (int t = 0; t < 16; t += 4) {
		__m128i x[4];

		load_4_words_x4(x, data, offset + 4 * (size_t)t);
		for (int i = 0; i < 4; i++) {
			const __m128i halves =
				_mm_or_si128(_mm_slli_epi16(x[i], 8),
					     _mm_srli_epi16(x[i], 8));
			const vec4 v = (vec4)halves;

			w[t + i] = v << 16 | v >> 16;
		}
	}
}

#define LANES_NAME		sha256_ssse3_x4
#define LANES_TARGET		TARGET_SSSE3
#define LANES_LOAD		load_ssse3_x4
#define VEC			vec4
#define VEC_GET(p)		((vec4)_mm_load_si128((__m128i *)(p)))
#define VEC_PUT(p, v)		_mm_store_si128((__m128i *)(p), (__m128i)(v))
#define VEC_SET1(k)		((vec4)_mm_set1_epi32((int)(k)))
#define VEC_ROR(x, n)		((x) >> (n) ^ (x) << (32 - (n)))
#define VEC_SHR(x, n)		((x) >> (n))
#define VEC_XOR3(x, y, z)	((x) ^ (y) ^ (z))
#define VEC_CH(x, y, z)		CH(x, y, z)
#define VEC_MAJ			MAJ
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#define LANES_NAME		sha256_sse2_x4
#define LANES_TARGET		TARGET_SSE2
#define LANES_LOAD		load_sse2_x4
#define VEC			vec4
#define VEC_GET(p)		((vec4)_mm_load_si128((__m128i *)(p)))
#define VEC_PUT(p, v)		_mm_store_si128((__m128i *)(p), (__m128i)(v))
#define VEC_SET1(k)		((vec4)_mm_set1_epi32((int)(k)))
#define VEC_ROR(x, n)		((x) >> (n) ^ (x) << (32 - (n)))
#define VEC_SHR(x, n)		((x) >> (n))
#define VEC_XOR3(x, y, z)	((x) ^ (y) ^ (z))
#define VEC_CH(x, y, z)		CH(x, y, z)
#define VEC_MAJ			MAJ
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#endif
