/* SPDX-License-Identifier: MIT */
/*
 * random: numbers for tests, the same in every run (Marsaglia, "Xorshift RNGs",
 * Journal of Statistical Software 8, 2003).
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

static inline uint32_t
random_32(void)
{
	static uint32_t state = 1;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static inline uint32_t
random_below(uint32_t limit)
{
	return random_32() % limit;
}

#endif
