/* SPDX-License-Identifier: MIT */
/* The lane template in plain C, with one lane. */
#include "config.h"

#include "cpu/kernel_functions.h"

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
