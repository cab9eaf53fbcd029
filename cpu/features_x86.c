/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/features_x86.h"

#include <string.h>

#include "cpu/features.h"

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif
#ifdef HAVE_SYS_PLATFORM_X86_H
#include <sys/platform/x86.h>
#endif

/* Intel's manual, volume 2, CPUID: leaf 1 and leaf 7. */
enum {
	LEAF1_ECX_SSSE3 = 1 << 9,
	LEAF1_ECX_OSXSAVE = 1 << 27,
	LEAF1_EDX_SSE2 = 1 << 26,
	LEAF7_EBX_AVX2 = 1 << 5,
	LEAF7_EBX_AVX512F = 1 << 16,
	LEAF7_EBX_SHA = 1 << 29,
	LEAF7_EBX_AVX512BW = 1 << 30,
	/* Volume 1, 13.3: state components that the system switches. */
	XCR0_AVX = 0x06,
	XCR0_AVX512 = 0xe6
};
#define LEAF7_EBX_AVX512VL (1u << 31)

/* Intel's manual, volume 2, CPUID, "Version Information"; AMD's the same. */
static uint32_t
family(const struct cpuid *id)
{
	const uint32_t base = id->leaf1_eax >> 8 & 0xf;

	return base == 0xf ? base + (id->leaf1_eax >> 20 & 0xff) : base;
}

/*
 * Where both can be had: is AVX-512 with sixteen lanes faster than the SHA
 * extensions?  Families that were measured; see kernels.c for the figures.  No
 * two vendors have such processors with the same number.
 */
static uint32_t
rate_avx512(const struct cpuid *id)
{
	switch (family(id)) {
	case 6: return CPU_FAST512;    /* Intel's Golden Cove */
	case 0x19: return CPU_SLOW512; /* AMD's Zen 4: two passes of 256 bits */
	default: return 0;
	}
}

uint32_t
cpu_features_of_x86(const struct cpuid *id)
{
	const uint32_t ebx = id->leaf7_ebx;
	uint32_t found = 0;

	found |= id->leaf1_edx & LEAF1_EDX_SSE2 ? CPU_SSE2 : 0;
	found |= id->leaf1_ecx & LEAF1_ECX_SSSE3 ? CPU_SSSE3 : 0;
	found |= ebx & LEAF7_EBX_SHA ? CPU_SHA : 0;
	if ((id->xcr0 & XCR0_AVX) == XCR0_AVX)
		found |= ebx & LEAF7_EBX_AVX2 ? CPU_AVX2 : 0;
	if ((id->xcr0 & XCR0_AVX512) == XCR0_AVX512 &&
	    ebx & LEAF7_EBX_AVX512F) {
		found |= CPU_AVX512F;
		found |= ebx & LEAF7_EBX_AVX512VL ? CPU_AVX512VL : 0;
		found |= ebx & LEAF7_EBX_AVX512BW ? CPU_AVX512BW : 0;
		if (ebx & LEAF7_EBX_SHA)
			found |= rate_avx512(id);
	}
	return found;
}

#if defined __x86_64__ || defined __i386__

static uint32_t
read_xcr0(void)
{
	uint32_t low, high;

	/* xgetbv, as bytes: no target attribute needed. */
	__asm__ volatile(".byte 0x0f, 0x01, 0xd0"
			 : "=a"(low), "=d"(high)
			 : "c"(0));
	return low;
}

/*
 * In a virtual machine every CPUID traps (1.5 to 20 us each where it was
 * measured), and the C library has asked already; take its copy where it gives
 * it away.
 */
void
cpuid_read(struct cpuid *id)
{
	memset(id, 0, sizeof(*id));
#ifdef HAVE_SYS_PLATFORM_X86_H
	const struct cpuid_feature *leaf;

	leaf = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1);
	id->leaf1_eax = leaf->cpuid_array[0];
	id->leaf1_ecx = leaf->cpuid_array[2];
	id->leaf1_edx = leaf->cpuid_array[3];
	leaf = __x86_get_cpuid_feature_leaf(CPUID_INDEX_7);
	id->leaf7_ebx = leaf->cpuid_array[1];
#else
	uint32_t eax, ebx, ecx, edx;

	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
		id->leaf1_eax = eax;
		id->leaf1_ecx = ecx;
		id->leaf1_edx = edx;
	}
	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		id->leaf7_ebx = ebx;
#endif
	if (id->leaf1_ecx & LEAF1_ECX_OSXSAVE)
		id->xcr0 = read_xcr0();
}

#endif
