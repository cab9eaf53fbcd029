/* SPDX-License-Identifier: MIT */
/*
 * core_avx512: the core for processors with AVX-512.
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stddef.h>

#if defined __x86_64__ || defined __i386__

#include <cpuid.h>

/* Bits of CPUID's leaves 1 and 7 (Intel's manual, volume 2). */
enum {
	LEAF1_ECX_OSXSAVE = 1 << 27,
	/* F, DQ, CD, BW; VL, bit 31, does not fit an enum. */
	LEAF7_EBX_AVX512 = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30,
	/* Volume 1, 13.3: state components that the system switches. */
	XCR0_AVX512 = 0xe6,
};
static const uint32_t LEAF7_EBX_AVX512VL = UINT32_C(1) << 31;

static bool
has_avx512(void)
{
	const uint32_t needed = LEAF7_EBX_AVX512 | LEAF7_EBX_AVX512VL;
	uint32_t eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) ||
	    !(ecx & LEAF1_ECX_OSXSAVE))
		return false;
	__asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	return (eax & XCR0_AVX512) == XCR0_AVX512 &&
	       __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
	       (ebx & needed) == needed;
}

/* All that follows, but for what the headers above have, is for AVX-512. */
#define EMU_BYTES 64
/* clang-format off */
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd")
#endif
/* clang-format on */
#include "qpu/emulator/core_run.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

emu_core *
emu_core_avx512(void)
{
	return has_avx512() ? run : NULL;
}

#else

emu_core *
emu_core_avx512(void)
{
	return NULL;
}

#endif
