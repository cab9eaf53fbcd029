/* SPDX-License-Identifier: MIT */
/*
 * Promise: the features found are those that the CPU has and the operating
 * system has enabled, families of CPUs are distinguished, and exactly the named
 * features can be hidden.
 */
#include "config.h"

#include "cpu/features.h"

#if defined __x86_64__
#include <cpuid.h>
#endif
#include <stdlib.h>

#include "tests/support/tap.h"

static const char *
feature_names(uint32_t features)
{
	static char text[256];
	size_t len = 0;

	text[0] = '\0';
	for (const struct cpu_feature_name *row = cpu_feature_names; row->bit;
	     row++)
		if (features & row->bit)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%s", len ? " " : "",
						row->name);
	return text;
}

/* CPUID's bits by the manuals; each name ends with the number of its bit. */
#define SSE2_26 (1u << 26)
#define SSSE3_9 (1u << 9)
#define OSXSAVE_27 (1u << 27)
#define AVX2_5 (1u << 5)
#define AVX512F_16 (1u << 16)
#define SHA_29 (1u << 29)
#define AVX512BW_30 (1u << 30)
#define AVX512VL_31 (1u << 31)

#define XSAVE_ECX (SSSE3_9 | OSXSAVE_27)
#define AVX512_EBX (AVX2_5 | AVX512F_16 | AVX512BW_30 | AVX512VL_31)

#define SSE_ALL "sse2 ssse3"
#define AVX512_ALL SSE_ALL " avx2 avx512f avx512vl avx512bw"

/* clang-format off */
static const struct x86_case {
	const char *name;
	uint32_t leaf1_eax, leaf1_ecx, leaf7_ebx, xcr0;
	const char *expected;
} x86_cases[] = {
	{"Pentium 4", 0x00000f29, 0, 0, 0, "sse2"},
	{"Core 2 of 65 nm", 0x000006f6, SSSE3_9, 0, 0, "sse2 ssse3"},
	{"Haswell", 0x000306c3, XSAVE_ECX, AVX2_5, 0x7,
		SSE_ALL " avx2"},
	{"Haswell, AVX switched off", 0x000306c3, XSAVE_ECX, AVX2_5,
		0x3, SSE_ALL},
	{"Haswell, SSE switched off", 0x000306c3, XSAVE_ECX, AVX2_5,
		0x5, SSE_ALL},
	{"Goldmont", 0x000506c9, XSAVE_ECX, SHA_29, 0x3,
		SSE_ALL " sha"},
	{"Skylake-X", 0x00050654, XSAVE_ECX, AVX512_EBX, 0xe7,
		AVX512_ALL},
	{"Knights Landing", 0x00050671, XSAVE_ECX,
		AVX2_5 | AVX512F_16, 0xe7, SSE_ALL " avx2 avx512f"},
	{"Alder Lake", 0x00090672, XSAVE_ECX, AVX2_5 | SHA_29, 0x7,
		SSE_ALL " avx2 sha"},
	{"Golden Cove", 0x000806f8, XSAVE_ECX, AVX512_EBX | SHA_29,
		0xe7, AVX512_ALL " sha fast512"},
	{"Golden Cove, AVX-512 switched off", 0x000806f8, XSAVE_ECX,
		AVX512_EBX | SHA_29, 0x7, SSE_ALL " avx2 sha"},
	{"Golden Cove, upper registers switched off", 0x000806f8,
		XSAVE_ECX, AVX512_EBX | SHA_29, 0x67,
		SSE_ALL " avx2 sha"},
	{"Golden Cove, mask registers switched off", 0x000806f8,
		XSAVE_ECX, AVX512_EBX | SHA_29, 0xc7,
		SSE_ALL " avx2 sha"},
	{"VL and BW without F, which no CPU has", 0x000806f8, XSAVE_ECX,
		(AVX512_EBX | SHA_29) & ~AVX512F_16, 0xe7,
		SSE_ALL " avx2 sha"},
	{"extended bits count only in family 15", 0x001806f8, XSAVE_ECX,
		AVX512_EBX | SHA_29, 0xe7, AVX512_ALL " sha fast512"},
	{"Intel's family 18", 0x00030f01, XSAVE_ECX,
		AVX512_EBX | SHA_29, 0xe7, AVX512_ALL " sha"},
	{"only the state that AVX-512 needs is switched on", 0x000806f8,
		XSAVE_ECX, AVX512_EBX | SHA_29, 0xe6,
		AVX512_ALL " sha fast512"},
	{"Zen 1", 0x00800f11, XSAVE_ECX, AVX2_5 | SHA_29, 0x7,
		SSE_ALL " avx2 sha"},
	{"Zen 3", 0x00a20f10, XSAVE_ECX, AVX2_5 | SHA_29, 0x7,
		SSE_ALL " avx2 sha"},
	{"Zen 4", 0x00a60f12, XSAVE_ECX, AVX512_EBX | SHA_29, 0xe7,
		AVX512_ALL " sha slow512"},
	{"Zen 5", 0x00b40f40, XSAVE_ECX, AVX512_EBX | SHA_29, 0xe7,
		AVX512_ALL " sha"}
};
/* clang-format on */

static void
test_x86(const struct x86_case *row)
{
	struct cpuid id = { .leaf1_eax = row->leaf1_eax,
			    .leaf1_ecx = row->leaf1_ecx,
			    .leaf1_edx = SSE2_26,
			    .leaf7_ebx = row->leaf7_ebx,
			    .xcr0 = row->xcr0 };

	is(feature_names(cpu_features_of_x86(&id)), row->expected, "%s",
	   row->name);
}

/* clang-format off */
static const struct arm_case {
	const char *name;
	struct arm_id id;
	const char *expected;
} arm_cases[] = {
	/* Bits of elf_hwcaps.rst: 1 ASIMD, 6 SHA2, 11 CPUID. */
	{"Pi 3: Cortex-A53", {true, 0x883, 0, 0x410fd034}, "neon"},
	{"Pi 4: Cortex-A72", {true, 0x883, 0, 0x410fd083}, "neon neon128"},
	{"Pi 5: Cortex-A76", {true, 0x8c3, 0, 0x414fd0b1},
		"neon neon128 sha2"},
	{"Cortex-A35", {true, 0x883, 0, 0x411fd040}, "neon"},
	{"Cortex-A55", {true, 0x883, 0, 0x412fd050}, "neon"},
	{"the A53's number, another implementer", {true, 0x883, 0, 0x510fd034},
		"neon neon128"},
	{"an old kernel, which hides the CPU", {true, 0x83, 0, 0},
		"neon neon128"},
	{"64 bits without NEON, which no CPU is", {true, 0, 0, 0}, ""},
	/* 32 bits: AT_HWCAP 12 NEON, AT_HWCAP2 3 SHA2. */
	{"Pi 1: ARM1176", {false, 0x42, 0, 0}, ""},
	{"Pi 2: Cortex-A7", {false, 0x1000, 0, 0}, "neon neon128"},
	{"an ARMv8 with 32 bits", {false, 0x1000, 0x8, 0},
		"neon neon128 sha2"},
	{"32 bits: bits for 64 mean nothing", {false, 0x42, 0x40, 0}, ""}
};

static const struct hide_case {
	const char *words;
	uint32_t hidden;
} hide_cases[] = {
	{"", 0},
	{"-sse2", CPU_SSE2},
	{"-avx512", CPU_AVX512F | CPU_AVX512VL | CPU_AVX512BW},
	{"-sha", CPU_SHA | CPU_SHA2},
	{"-sha2,-avx2", CPU_SHA2 | CPU_AVX2},
	{"-neon", CPU_NEON | CPU_NEON128},
	{"-fast512,-slow512", CPU_FAST512 | CPU_SLOW512},
	{"-all", ~0u},
	{"-sha,-all", ~0u}
};
/* clang-format on */

static uint32_t
every_feature(void)
{
	uint32_t all = 0;

	for (const struct cpu_feature_name *row = cpu_feature_names; row->bit;
	     row++)
		all |= row->bit;
	return all;
}

static void
test_hiding(void)
{
	static const char *const wrong[] = { "sha",   "-",	    "-allx",
					     "-al",   "-sha,-none", "-shaq",
					     ",-sha", "-sha -avx2" };
	const uint32_t all = every_feature();

	for (size_t i = 0; i < sizeof(hide_cases) / sizeof(*hide_cases); i++) {
		const struct hide_case *row = &hide_cases[i];
		uint32_t features = all;

		ok(cpu_features_hide(&features, row->words, NULL) &&
			   features == (all & ~row->hidden),
		   "'%s' hides the features that it names and no others",
		   row->words);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		uint32_t features = all;
		struct diag diag = { .text = "" };

		ok(!cpu_features_hide(&features, wrong[i], &diag) &&
			   strstr(diag.text, "hides no CPU feature"),
		   "'%s' is an error", wrong[i]);
	}
}

#if defined __x86_64__
/* Compare with the features that Linux lists. */
static void
test_detection(void)
{
	static const struct {
		const char *flag;
		uint32_t bit;
	} flags[] = {
		{ " ssse3 ", CPU_SSSE3 },     { " avx2 ", CPU_AVX2 },
		{ " avx512f ", CPU_AVX512F }, { " avx512vl ", CPU_AVX512VL },
		{ " sha_ni ", CPU_SHA },      { " avx512bw ", CPU_AVX512BW },
	};
	const uint32_t found = cpu_features_detect();
	FILE *stream = fopen("/proc/cpuinfo", "r");
	char line[8192] = "";

	while (stream && fgets(line, sizeof(line), stream) &&
	       strncmp(line, "flags", 5) != 0)
		;
	if (stream)
		fclose(stream);
	if (strncmp(line, "flags", 5) != 0) {
		tap_skip("/proc/cpuinfo has no flags");
		return;
	}
	line[strcspn(line, "\n")] = ' ';
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		ok(!strstr(line, flags[i].flag) == !(found & flags[i].bit),
		   "Linux agrees about%s", flags[i].flag);
}

/* Compare with the features that the C library reports. */
static void
test_cpuid(void)
{
	uint32_t eax, ebx, ecx, edx;
	struct cpuid id;

	memset(&id, 0xff, sizeof(id));
	cpuid_read(&id);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
		tap_skip("no CPUID");
		return;
	}
	ok(id.leaf1_eax == eax && id.leaf1_ecx == ecx && id.leaf1_edx == edx,
	   "leaf 1 is the CPU's");
	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		ebx = 0;
	ok(id.leaf7_ebx == ebx, "leaf 7 is the CPU's");
}
#endif

int
main(void)
{
	for (size_t i = 0; i < sizeof(x86_cases) / sizeof(*x86_cases); i++)
		test_x86(&x86_cases[i]);
	for (size_t i = 0; i < sizeof(arm_cases) / sizeof(*arm_cases); i++)
		is(feature_names(cpu_features_of_arm(&arm_cases[i].id)),
		   arm_cases[i].expected, "%s", arm_cases[i].name);
	test_hiding();
#if defined __x86_64__
	test_detection();
	test_cpuid();
#endif
	return tap_done();
}
