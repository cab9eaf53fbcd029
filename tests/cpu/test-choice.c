/* SPDX-License-Identifier: MIT */
/*
 * Promise: every kind of CPU gets the kernel that is the fastest there, for
 * each number of messages; one that nobody has measured is offered a rival.
 */
#include "config.h"

#include "cpu/kernels.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/kernels_arm.h"
#include "tests/support/tap.h"

#define SSE (CPU_SSE2 | CPU_SSSE3)
#define AVX2 (SSE | CPU_AVX2)
#define AVX512 (AVX2 | CPU_AVX512F | CPU_AVX512VL | CPU_AVX512BW)

/* What is expected: "COUNT KERNEL" wherever a count of messages has another
 * kernel than the one below it, and the first count that has a rival. */
/* clang-format off */
static const struct choice_case {
	const char *name;
	uint32_t features;
	const char *expected;
	unsigned rival_from;	/* 0: there is none */
} cases[] = {
#if defined __x86_64__
	{"Golden Cove", AVX512 | CPU_SHA | CPU_FAST512,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl,"
		" 7 avx512vl-x8, 12 avx512-x16", 0},
	{"Zen 4", AVX512 | CPU_SHA | CPU_SLOW512,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl", 0},
	{"Zen 5 and unknown ones", AVX512 | CPU_SHA,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl", 12},
	{"no AVX-512BW, as no CPU", (AVX512 | CPU_SHA) & ~CPU_AVX512BW,
		"1 sha-x1, 2 sha-x2, 3 sha-x3", 0},
	{"Zen 1 to 3, Alder Lake", AVX2 | CPU_SHA,
		"1 sha-x1, 2 sha-x2, 3 sha-x3", 0},
	{"Goldmont", SSE | CPU_SHA, "1 sha-x1, 2 sha-x2, 3 sha-x3", 0},
	{"SHA and SSSE3 alone, as no CPU", CPU_SHA | CPU_SSSE3,
		"1 sha-x1, 2 sha-x2, 3 sha-x3", 0},
	{"what SHA for four lanes needs, alone",
		CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl", 0},
	{"AVX-512 without SSE2, as no CPU", CPU_AVX2 | CPU_AVX512F |
		CPU_AVX512VL | CPU_AVX512BW,
		"1 portable-x1, 2 avx512vl-x8, 12 avx512-x16", 0},
	{"SHA for four lanes without SSSE3, as no CPU",
		CPU_SHA | CPU_AVX512VL | CPU_AVX512BW, "1 portable-x1", 0},
	{"SHA for four lanes without VL, as no CPU",
		CPU_SHA | CPU_SSSE3 | CPU_AVX512BW,
		"1 sha-x1, 2 sha-x2, 3 sha-x3", 0},
	{"SHA for four lanes without SHA, as no CPU",
		CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
		"1 portable-x1, 3 ssse3-x4", 0},
	{"SHA without SSSE3, as no CPU", CPU_SSE2 | CPU_SHA,
		"1 portable-x1, 3 sse2-x4", 0},
#endif
#if defined __x86_64__ || defined __i386__
	{"Skylake-X", AVX512,
		"1 portable-x1, 2 avx512vl-x8, 12 avx512-x16", 0},
	{"Knights Mill: only AVX-512F", AVX2 | CPU_AVX512F,
		"1 portable-x1, 3 avx2-x8", 0},
	{"AVX-512 without VL, as no CPU", AVX512 & ~CPU_AVX512VL,
		"1 portable-x1, 2 avx512-x16", 0},
	{"AVX-512 for eight lanes and nothing below, as no CPU",
		CPU_AVX2 | CPU_AVX512F | CPU_AVX512VL,
		"1 portable-x1, 2 avx512vl-x8", 0},
	{"AVX-512 for sixteen lanes and nothing below, as no CPU",
		CPU_AVX512F | CPU_AVX512BW,
		"1 portable-x1, 2 avx512-x16", 0},
	{"AVX-512 for eight lanes without AVX2, as no CPU",
		CPU_AVX512F | CPU_AVX512VL, "1 portable-x1", 0},
	{"AVX-512VL without F, as no CPU", CPU_AVX2 | CPU_AVX512VL,
		"1 portable-x1, 3 avx2-x8", 0},
	{"AVX-512BW without F, as no CPU", CPU_AVX512BW, "1 portable-x1", 0},
	{"AVX2 alone, as no CPU", CPU_AVX2, "1 portable-x1, 3 avx2-x8", 0},
	{"SSSE3 alone, as no CPU", CPU_SSSE3, "1 portable-x1, 3 ssse3-x4", 0},
	{"Haswell", AVX2, "1 portable-x1, 3 avx2-x8", 0},
	{"Core 2", SSE, "1 portable-x1, 3 ssse3-x4", 0},
	{"Pentium 4", CPU_SSE2, "1 portable-x1, 3 sse2-x4", 0},
#endif
#if defined __i386__
	{"Zen 4 with 32 bits", AVX512 | CPU_SHA | CPU_SLOW512,
		"1 portable-x1, 2 avx512vl-x8, 12 avx512-x16", 0},
#endif
#ifdef HAVE_KERNELS_ARM
	{"Pi 5", CPU_NEON | CPU_NEON128 | CPU_SHA2, "1 sha2-x1, 2 sha2-x2", 0},
	{"Pi 4", CPU_NEON | CPU_NEON128, "1 portable-x1, 3 neon-x4", 0},
	{"Pi 3: half as wide", CPU_NEON, "1 portable-x1, 4 neon-x4", 0},
#endif
#if !defined __VSX__ && !defined __VX__
	{"any other", 0, "1 portable-x1", 0}
#else
	{"any other, vectors of 128 bits", 0, "1 portable-x1, 2 vector-x4", 0}
#endif
};
/* clang-format on */

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct choice_case *row = &cases[i];
		const struct cpu_kernel *last = NULL;
		char chosen[256] = "";
		size_t len = 0;
		bool rivals = true;

		for (unsigned n = 1; n <= BATCH_LANES; n++) {
			const struct cpu_kernel *kernel =
				cpu_kernel_choose(row->features, n);
			const struct cpu_kernel *rival =
				cpu_kernel_rival(row->features, n);
			const bool expected = row->rival_from &&
					      n >= row->rival_from;

			rivals &= expected == (rival != NULL);
			if (rival)
				rivals &= strcmp(rival->name, "avx512-x16") ==
					  0;
			if (kernel != last)
				len += (size_t)snprintf(chosen + len,
							sizeof(chosen) - len,
							"%s%u %s",
							last ? ", " : "", n,
							kernel->name);
			last = kernel;
		}
		is(chosen, row->expected, "%s", row->name);
		if (row->rival_from)
			ok(rivals, "%s: a rival for %u messages and more",
			   row->name, row->rival_from);
		else
			ok(rivals, "%s: no rival", row->name);
	}
	return tap_done();
}
