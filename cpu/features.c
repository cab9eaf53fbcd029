/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/features.h"

#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#ifdef HAVE_SYS_PLATFORM_X86_H
#include <sys/platform/x86.h>
#endif
#elif defined __arm__ || defined __aarch64__
#include <sys/auxv.h>
#endif

const struct cpu_feature_name cpu_feature_names[] = {
	{ CPU_SSE2, "sse2" },
	{ CPU_SSSE3, "ssse3" },
	{ CPU_AVX2, "avx2" },
	{ CPU_AVX512F, "avx512f" },
	{ CPU_AVX512VL, "avx512vl" },
	{ CPU_AVX512BW, "avx512bw" },
	{ CPU_SHA, "sha" },
	{ CPU_FAST512, "fast512" },
	{ CPU_SLOW512, "slow512" },
	{ CPU_NEON, "neon" },
	{ CPU_NEON128, "neon128" },
	{ CPU_SHA2, "sha2" },
	{ 0, NULL }
};

/* x86 --------------------------------------------------------------------- */

/* Intel's manual, volume 2, CPUID: leaf 1 and leaf 7. */
enum {
	LEAF1_ECX_SSSE3 = 1 << 9,
	LEAF1_ECX_OSXSAVE = 1 << 27,
	LEAF1_EDX_SSE2 = 1 << 26,
	LEAF7_EBX_AVX2 = 1 << 5,
	LEAF7_EBX_AVX512F = 1 << 16,
	LEAF7_EBX_SHA = 1 << 29,
	LEAF7_EBX_AVX512BW = 1 << 30,
	/* Volume 1, 13.3: state components that the system saves. */
	XCR0_AVX = 0x06,
	XCR0_AVX512 = 0xe6
};
#define LEAF7_EBX_AVX512VL (1u << 31)

/* Return the family with its extension, which Intel and AMD compute alike (Intel's
 * manual, volume 2, CPUID, "Version Information"). */
static uint32_t
family(const struct cpuid *id)
{
	const uint32_t base = id->leaf1_eax >> 8 & 0xf;

	return base == 0xf ? base + (id->leaf1_eax >> 20 & 0xff) : base;
}

/*
 * Rate sixteen lanes of AVX-512 against the SHA extensions on a CPU that has both.
 * Return CPU_FAST512, CPU_SLOW512, or 0 for a family that was not measured; README.md
 * has the figures.  No two vendors use the same family number for such CPUs.
 */
static uint32_t
rate_avx512(const struct cpuid *id)
{
	switch (family(id)) {
	case 6: return CPU_FAST512;    /* Intel; measured on Golden Cove */
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

/* ARM --------------------------------------------------------------------- */

/* Linux, Documentation/arch/arm64/elf_hwcaps.rst, and uapi/asm/hwcap.h. */
enum {
	HWCAP64_ASIMD = 1 << 1,
	HWCAP64_SHA2 = 1 << 6,
	HWCAP64_CPUID = 1 << 11,
	HWCAP32_NEON = 1 << 12,
	HWCAP32_2_SHA2 = 1 << 3
};

/*
 * Return true for cores that run the 128 bits of NEON in two passes of 64, by their
 * Software Optimization Guides and LLVM's model of the Cortex-A53.  ARM's Architecture
 * Reference Manual, MIDR_EL1, describes implementer and part.
 */
static bool
has_narrow_neon(uint32_t midr)
{
	enum { ARM = 0x41, A53 = 0xd03, A35 = 0xd04, A55 = 0xd05 };
	const uint32_t part = midr >> 4 & 0xfff;

	return midr >> 24 == ARM && (part == A53 || part == A35 || part == A55);
}

uint32_t
cpu_features_of_arm(const struct arm_id *id)
{
	uint32_t found = 0;

	if (id->aarch64) {
		found |= id->hwcap & HWCAP64_ASIMD ? CPU_NEON : 0;
		found |= id->hwcap & HWCAP64_SHA2 ? CPU_SHA2 : 0;
	} else {
		found |= id->hwcap & HWCAP32_NEON ? CPU_NEON : 0;
		found |= id->hwcap2 & HWCAP32_2_SHA2 ? CPU_SHA2 : 0;
	}
	if (found & CPU_NEON && !has_narrow_neon(id->midr))
		found |= CPU_NEON128;
	return found;
}

/* The CPU that runs this -------------------------------------------------- */

#if defined __x86_64__ || defined __i386__

static uint32_t
read_xcr0(void)
{
	uint32_t low, high;

	/* xgetbv as bytes, which needs no target attribute. */
	__asm__ volatile(".byte 0x0f, 0x01, 0xd0"
			 : "=a"(low), "=d"(high)
			 : "c"(0));
	return low;
}

/*
 * Use the C library's copy of the answers if it has one: in a virtual machine
 * every CPUID traps (1.5 to 20 us each, measured).
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

#elif defined __arm__ || defined __aarch64__

/* Read MIDR_EL1, or return 0.  Reading traps to the kernel, so it is read only if the
 * choice depends on it: without SHA-2 instructions. */
static uint32_t
read_midr(unsigned long hwcap)
{
	uint64_t midr = 0;

#ifdef __aarch64__
	if (hwcap & HWCAP64_CPUID && !(hwcap & HWCAP64_SHA2))
		__asm__("mrs %0, midr_el1" : "=r"(midr));
#else
	(void)hwcap;
#endif
	return (uint32_t)midr;
}

static void
arm_id_read(struct arm_id *id)
{
	*id = (struct arm_id){ .aarch64 = sizeof(void *) == 8,
			       .hwcap = getauxval(AT_HWCAP),
			       .hwcap2 = getauxval(AT_HWCAP2) };
	id->midr = read_midr(id->hwcap);
}

#endif

static uint32_t
detect(void)
{
#if defined __x86_64__ || defined __i386__
	struct cpuid id;

	cpuid_read(&id);
	return cpu_features_of_x86(&id);
#elif defined __arm__ || defined __aarch64__
	struct arm_id id;

	arm_id_read(&id);
	return cpu_features_of_arm(&id);
#else
	return 0;
#endif
}

/* Detect only once: in a virtual machine CPUID may take a twentieth of the program's
 * start. */
uint32_t
cpu_features_detect(void)
{
	enum { DETECTED = 1 << 30 };
	static uint32_t cache;
	uint32_t features = __atomic_load_n(&cache, __ATOMIC_RELAXED);

	if (!features) {
		features = detect() | DETECTED;
		__atomic_store_n(&cache, features, __ATOMIC_RELAXED);
	}
	return features & ~(uint32_t)DETECTED;
}

/* Return the features whose names begin with the word, or all for "all"; 0 if there
 * are none. */
static uint32_t
features_named(const char *word, size_t len)
{
	uint32_t bits = 0;

	if (len == 0)
		return 0;
	for (const struct cpu_feature_name *row = cpu_feature_names; row->bit;
	     row++) {
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
		const uint32_t bits =
			*words == '-' ? features_named(words + 1, len - 1) : 0;

		if (!bits) {
			diag_set(why_not,
				 "'%.*s' hides no CPU feature; say"
				 " -NAME, for instance -avx512",
				 (int)len, words);
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
