/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/features.h"

#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#elif defined __arm__ || defined __aarch64__
#include <sys/auxv.h>
#endif
#ifdef HAVE_SYS_PLATFORM_X86_H
#include <sys/platform/x86.h>
#endif

const struct cpu_feature_name cpu_feature_names[] = {
	{CPU_SSE2,	"sse2"},
	{CPU_SSSE3,	"ssse3"},
	{CPU_SSE41,	"sse4.1"},
	{CPU_AVX2,	"avx2"},
	{CPU_BMI2,	"bmi2"},
	{CPU_AVX512F,	"avx512f"},
	{CPU_AVX512VL,	"avx512vl"},
	{CPU_AVX512BW,	"avx512bw"},
	{CPU_SHA,	"sha"},
	{CPU_FAST512,	"fast512"},
	{CPU_NEON,	"neon"},
	{CPU_SHA2,	"sha2"},
	{0,		NULL}
};

#if defined __x86_64__ || defined __i386__

/* Intel's manual, volume 2, CPUID: leaf 1 and leaf 7. */
enum {
	LEAF1_ECX_SSSE3		= 1 << 9,
	LEAF1_ECX_SSE41		= 1 << 19,
	LEAF1_ECX_OSXSAVE	= 1 << 27,
	LEAF1_EDX_SSE2		= 1 << 26,
	LEAF7_EBX_AVX2		= 1 << 5,
	LEAF7_EBX_BMI2		= 1 << 8,
	LEAF7_EBX_AVX512F	= 1 << 16,
	LEAF7_EBX_SHA		= 1 << 29,
	LEAF7_EBX_AVX512BW	= 1 << 30,
	/* Volume 1, 13.3: state components that the system switches. */
	XCR0_AVX		= 0x06,
	XCR0_AVX512		= 0xe6
};
#define LEAF7_EBX_AVX512VL	(1u << 31)

struct cpuid {
	uint32_t family;
	uint32_t leaf1_ecx, leaf1_edx;
	uint32_t leaf7_ebx;
};

/*
 * In a virtual machine every CPUID traps (7 us each where it was measured),
 * and the C library has asked already; take its copy where it gives it away.
 */
static void
read_cpuid(struct cpuid *id)
{
	uint32_t version = 0;

#ifdef HAVE_SYS_PLATFORM_X86_H
	const struct cpuid_feature *leaf;

	leaf = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1);
	version = leaf->cpuid_array[0];
	id->leaf1_ecx = leaf->cpuid_array[2];
	id->leaf1_edx = leaf->cpuid_array[3];
	leaf = __x86_get_cpuid_feature_leaf(CPUID_INDEX_7);
	id->leaf7_ebx = leaf->cpuid_array[1];
#else
	uint32_t eax, ebx, ecx, edx;

	if (__get_cpuid(1, &version, &ebx, &ecx, &edx)) {
		id->leaf1_ecx = ecx;
		id->leaf1_edx = edx;
	}
	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		id->leaf7_ebx = ebx;
#endif
	id->family = version >> 8 & 0xf;
	if (id->family == 0xf)
		id->family += version >> 20 & 0xff;
}

static uint32_t
read_xcr0(void)
{
	uint32_t low, high;

	/* xgetbv, as bytes: no target attribute needed. */
	__asm__ volatile (".byte 0x0f, 0x01, 0xd0"
			  : "=a" (low), "=d" (high) : "c" (0));
	return low;
}

uint32_t
cpu_features_detect(void)
{
	struct cpuid id = {0};
	uint32_t xcr0 = 0;
	uint32_t found = 0;

	read_cpuid(&id);
	if (id.leaf1_ecx & LEAF1_ECX_OSXSAVE)
		xcr0 = read_xcr0();

	found |= id.leaf1_edx & LEAF1_EDX_SSE2 ? CPU_SSE2 : 0;
	found |= id.leaf1_ecx & LEAF1_ECX_SSSE3 ? CPU_SSSE3 : 0;
	found |= id.leaf1_ecx & LEAF1_ECX_SSE41 ? CPU_SSE41 : 0;
	found |= id.leaf7_ebx & LEAF7_EBX_BMI2 ? CPU_BMI2 : 0;
	found |= id.leaf7_ebx & LEAF7_EBX_SHA ? CPU_SHA : 0;
	if ((xcr0 & XCR0_AVX) == XCR0_AVX)
		found |= id.leaf7_ebx & LEAF7_EBX_AVX2 ? CPU_AVX2 : 0;
	if ((xcr0 & XCR0_AVX512) == XCR0_AVX512 &&
	    id.leaf7_ebx & LEAF7_EBX_AVX512F) {
		found |= CPU_AVX512F;
		found |= id.leaf7_ebx & LEAF7_EBX_AVX512VL ? CPU_AVX512VL : 0;
		found |= id.leaf7_ebx & LEAF7_EBX_AVX512BW ? CPU_AVX512BW : 0;
		/*
		 * Family 6 with AVX-512 is Intel.  Measured on its Golden
		 * Cove: sha256rnds2 starts every third cycle, so SHA takes
		 * 1.5 cycles a byte, and sixteen lanes 0.9.  On AMD's Zen 4
		 * it is 0.82 against 1.01.
		 */
		if (id.family == 6)
			found |= CPU_FAST512;
	}
	return found;
}

#elif defined __aarch64__

uint32_t
cpu_features_detect(void)
{
	enum {HWCAP_BIT_ASIMD = 1 << 1, HWCAP_BIT_SHA2 = 1 << 6};
	const unsigned long caps = getauxval(AT_HWCAP);

	return (caps & HWCAP_BIT_ASIMD ? CPU_NEON : 0) |
	       (caps & HWCAP_BIT_SHA2 ? CPU_SHA2 : 0);
}

#elif defined __arm__

uint32_t
cpu_features_detect(void)
{
	enum {HWCAP_BIT_NEON = 1 << 12, HWCAP2_BIT_SHA2 = 1 << 3};

	return (getauxval(AT_HWCAP) & HWCAP_BIT_NEON ? CPU_NEON : 0) |
	       (getauxval(AT_HWCAP2) & HWCAP2_BIT_SHA2 ? CPU_SHA2 : 0);
}

#else

uint32_t
cpu_features_detect(void)
{
	return 0;
}

#endif

/* The features whose names begin with the word; 0 = there are none. */
static uint32_t
features_named(const char *word, size_t len)
{
	uint32_t bits = 0;

	if (len == 0)
		return 0;
	for (const struct cpu_feature_name *row = cpu_feature_names;
	     row->bit; row++) {
		if (strncmp(row->name, word, len) == 0 ||
		    (len == 3 && memcmp(word, "all", 3) == 0))
			bits |= row->bit;
	}
	return bits;
}

bool
cpu_features_hide(uint32_t *features, const char *words, struct diag *why_not)
{
	while (*words) {
		const size_t len = strcspn(words, ",");
		const uint32_t bits = *words == '-' ?
				features_named(words + 1, len - 1) : 0;

		if (!bits) {
			diag_set(why_not, "'%.*s' hides no CPU feature; say"
				 " -NAME, for instance -avx512", (int)len,
				 words);
			return false;
		}
		*features &= ~bits;
		words += len;
		words += *words == ',';
	}
	return true;
}

bool
cpu_features_get(uint32_t *features, struct diag *why_not)
{
	const char *words = getenv("QPU_SHA256SUM_CPU");
	struct diag reason;

	*features = cpu_features_detect();
	if (!words || cpu_features_hide(features, words, &reason))
		return true;
	diag_set(why_not, "QPU_SHA256SUM_CPU: %s", reason.text);
	return false;
}
