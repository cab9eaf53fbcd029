/* SPDX-License-Identifier: MIT */
/* The lane template in plain C, with one lane, and for NEON, with four lanes in
 * 128 bits; lanes_x86.c has the other instances. */
#include "config.h"

#include "cpu/kernel_functions.h"

#include <string.h>
#ifdef HAVE_KERNELS_ARM
#include <arm_neon.h>
#endif

#include "cpu/sha256.h"

#define INLINE static inline __attribute__((always_inline))

/* FIPS 180-4, 3.1: words are stored big-endian. */
INLINE uint32_t
load_word(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap32(word);
#endif
	return word;
}

INLINE void
load_portable_x1(uint32_t w[4], const uint8_t *const *data, size_t offset)
{
	for (int i = 0; i < 4; i++)
		w[i] = load_word(data[0] + offset + 4 * i);
}

#define LANES_NAME sha256_portable_x1
#define LANES_TARGET
#define LANES_LOAD load_portable_x1
#define VEC uint32_t
#define VEC_GET(p) (*(p))
#define VEC_PUT(p, v) (*(p) = (v))
#define VEC_SET1(k) (k)
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#ifdef HAVE_KERNELS_ARM

TARGET_NEON
static inline void
load_neon_x4(uint32x4_t w[4], const uint8_t *const *data, size_t offset)
{
	uint32x4_t x[4];

	for (int lane = 0; lane < 4; lane++)
		x[lane] = vreinterpretq_u32_u8(
			vrev32q_u8(vld1q_u8(data[lane] + offset)));

	const uint32x4x2_t low = vtrnq_u32(x[0], x[1]);
	const uint32x4x2_t high = vtrnq_u32(x[2], x[3]);
	for (int i = 0; i < 2; i++) {
		w[i] = vcombine_u32(vget_low_u32(low.val[i]),
				    vget_low_u32(high.val[i]));
		w[i + 2] = vcombine_u32(vget_high_u32(low.val[i]),
					vget_high_u32(high.val[i]));
	}
}

#define LANES_NAME sha256_neon_x4
#define LANES_TARGET TARGET_NEON
#define LANES_LOAD load_neon_x4
#define VEC uint32x4_t
#define VEC_GET(p) vld1q_u32(p)
#define VEC_PUT(p, v) vst1q_u32(p, v)
#define VEC_SET1(k) vdupq_n_u32(k)
#define VEC_ROR(x, n) vsriq_n_u32(vshlq_n_u32(x, 32 - (n)), x, n)
#define VEC_SHR(x, n) vshrq_n_u32(x, n)
#define VEC_CH(x, y, z) vbslq_u32(x, y, z)
/* Take z if x and y differ. */
#define VEC_MAJ(x, y, z, x_y, y_z)                                             \
	((void)(y_z), (x_y) = (x) ^ (y), vbslq_u32(x_y, z, y))
#include "cpu/lanes_template.h"
#undef LANES_TARGET

#endif
