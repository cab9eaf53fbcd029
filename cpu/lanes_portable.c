/* SPDX-License-Identifier: MIT */
/* The lane template in plain C, and with the vectors of GNU C. */
#include "config.h"

#include "cpu/lanes_portable.h"

#include <string.h>

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

typedef uint32_t vec4 __attribute__((vector_size(16), may_alias));

INLINE void
load_vector_x4(vec4 w[4], const uint8_t *const *data, size_t offset)
{
	for (int i = 0; i < 4; i++, offset += 4)
		w[i] = (vec4){ load_word(data[0] + offset),
			       load_word(data[1] + offset),
			       load_word(data[2] + offset),
			       load_word(data[3] + offset) };
}

#define LANES_NAME sha256_vector_x4
#define LANES_TARGET
#define LANES_LOAD load_vector_x4
#define VEC vec4
#define VEC_GET(p) (*(const vec4 *)(const void *)(p))
#define VEC_PUT(p, v) (*(vec4 *)(void *)(p) = (v))
#define VEC_SET1(k) ((vec4){ (k), (k), (k), (k) })
#include "cpu/lanes_template.h"
#undef LANES_TARGET
