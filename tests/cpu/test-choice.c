/* SPDX-License-Identifier: MIT */
/*
 * Promise: every kind of CPU gets the kernel that is the fastest there, for
 * each number of messages; an unmeasured CPU is offered a rival, and the
 * faster of two is found by running both.
 */
#include "config.h"

#include "cpu/kernels.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/kernel_functions.h"
#include "tests/support/fault.h"
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
	unsigned rival_from;	/* 0 for no rival */
} cases[] = {
#if defined __x86_64__
	{"Golden Cove", AVX512 | CPU_SHA | CPU_FAST512,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl,"
		" 7 avx512vl-x8, 12 avx512-x16", 0},
	{"Zen 4", AVX512 | CPU_SHA | CPU_SLOW512,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl,"
		" 8 sha-x8-hybrid", 0},
	{"Zen 5 and unknown ones", AVX512 | CPU_SHA,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl", 12},
	{"Zen 5, where sixteen lanes were measured to be faster",
		AVX512 | CPU_SHA | CPU_WIDE512,
		"1 sha-x1, 2 sha-x2, 3 sha-x3-vl, 4 sha-x4-vl, 12 avx512-x16",
		0},
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
	{"any other", 0, "1 portable-x1", 0}
};
/* clang-format on */

static void
test_choice(const struct choice_case *row)
{
	const struct cpu_kernel *last = NULL;
	char chosen[256] = "";
	size_t len = 0;
	bool rivals = true;

	for (unsigned n = 1; n <= CPU_LANES; n++) {
		const struct cpu_kernel *kernel =
			cpu_kernel_choose(row->features, n);
		const struct cpu_kernel *rival =
			cpu_kernel_rival(row->features, n);

		rivals &= (row->rival_from && n >= row->rival_from) ==
			  (rival != NULL);
		if (rival)
			rivals &= strcmp(rival->name, "avx512-x16") == 0;
		if (kernel != last)
			len += (size_t)snprintf(chosen + len,
						sizeof(chosen) - len, "%s%u %s",
						last ? ", " : "", n,
						kernel->name);
		last = kernel;
	}
	is(chosen, row->expected, "%s: the kernels for 1 to 16 messages",
	   row->name);
	ok(rivals, "%s: a rival for %u messages and more (0: never)", row->name,
	   row->rival_from);
}

/* Kernels that advance the clock; what a block takes is scripted. */
static const unsigned *script_a, *script_b;
static bool all_readable = true;

static void
run_a(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
      size_t nblocks)
{
	(void)states;
	(void)data;
	fault_clock_advance(*script_a++ * nblocks);
}

/* All lanes read the same bytes, so that nothing but time differs. */
static void
run_b(uint32_t (*state)[CPU_LANES], const uint8_t *const *data, size_t nblocks)
{
	(void)state;
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		all_readable &= data[lane] == data[0];
	for (size_t i = 0; i < nblocks * SHA256_BLOCK_BYTES && all_readable;
	     i++)
		all_readable &= data[0][i] == 0;
	fault_clock_advance(*script_b++ * nblocks);
}

static void
test_speeds(void)
{
	static const struct {
		unsigned a[4], b[4];
		bool a_is_faster;
	} rows[] = {
		{ { 5, 9, 9, 9 }, { 6, 6, 6, 6 }, true },
		{ { 9, 5, 9, 9 }, { 6, 6, 6, 6 }, true },
		{ { 9, 9, 9, 5 }, { 6, 6, 6, 6 }, true },
		{ { 6, 6, 6, 6 }, { 5, 9, 9, 9 }, false },
		{ { 6, 6, 6, 6 }, { 9, 5, 9, 9 }, false },
		{ { 6, 6, 6, 6 }, { 9, 9, 9, 5 }, false },
		{ { 6, 6, 6, 6 }, { 6, 6, 6, 6 }, false },
	};
	const struct cpu_kernel a = { "a", 1, 0, run_a, NULL, 0 };
	const struct cpu_kernel b = { "b", 1, 0, NULL, run_b, 0 };
	const struct cpu_kernel wide = { "wide", 16, 0, NULL, run_b, 0 };

	fault_clock_set(1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		script_a = rows[i].a;
		script_b = rows[i].b;
		ok(cpu_kernel_is_faster(&a, &b) == rows[i].a_is_faster &&
			   script_a == rows[i].a + 4 &&
			   script_b == rows[i].b + 4,
		   "of two kernels the best of four runs counts (%zu)", i + 1);
	}
	script_a = rows[0].a;
	script_b = (const unsigned[]){ 100, 100, 79, 100 };
	ok(cpu_kernel_is_faster(&wide, &a),
	   "the time of a wide kernel is divided by its lanes");
	ok(all_readable, "a kernel whose speed is measured reads zeros");
	fault_clear();
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_choice(&cases[i]);
	test_speeds();
	return tap_done();
}
