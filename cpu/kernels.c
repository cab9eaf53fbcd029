/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/kernels.h"

#include <math.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/kernel_functions.h"
#include "src/base/clock.h"

/* clang-format off */
enum kernel_id {
#if defined __x86_64__
	SHA_X8_HYBRID, SHA_X4_VL, SHA_X3_VL, SHA_X3, SHA_X2, SHA_X1,
#endif
#if defined __x86_64__ || defined __i386__
	AVX512_X16, AVX512VL_X8, AVX2_X8, SSSE3_X4, SSE2_X4,
#endif
#ifdef HAVE_KERNELS_ARM
	SHA2_X2, SHA2_X1, NEON_X4,
#endif
	PORTABLE_X1, KERNELS
};

#define STREAMS(name, lanes, needs, run)	{name, lanes, needs, run, NULL, 0}
#define LANES(name, lanes, needs, run)		{name, lanes, needs, NULL, run, 0}

#if defined __x86_64__
/* Run the hybrid kernel or, for few blocks, sha-x4-vl twice: filling and draining the
 * hybrid's pipeline takes as long as two blocks. */
static void
hybrid_x8(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	  size_t nblocks)
{
	if (nblocks >= 16) {
		sha256_hybrid_x8(states, data, nblocks);
		return;
	}
	sha256_sha_x4_vl(states, data, nblocks);
	sha256_sha_x4_vl(states + 4, data + 4, nblocks);
}
#endif

const struct cpu_kernel cpu_kernels[] = {
#if defined __x86_64__
	[SHA_X8_HYBRID] = {"sha-x8-hybrid", 8,
			CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
			hybrid_x8, NULL, CPU_SLOW512},
	[SHA_X4_VL] = STREAMS("sha-x4-vl", 4,
			CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
			sha256_sha_x4_vl),
	[SHA_X3_VL] = STREAMS("sha-x3-vl", 3,
			CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
			sha256_sha_x3_vl),
	[SHA_X3] = STREAMS("sha-x3", 3, CPU_SHA | CPU_SSSE3, sha256_sha_x3),
	[SHA_X2] = STREAMS("sha-x2", 2, CPU_SHA | CPU_SSSE3, sha256_sha_x2),
	[SHA_X1] = STREAMS("sha-x1", 1, CPU_SHA | CPU_SSSE3, sha256_sha_x1),
#endif
#if defined __x86_64__ || defined __i386__
	[AVX512_X16] = LANES("avx512-x16", 16, CPU_AVX512F | CPU_AVX512BW,
			sha256_avx512_x16),
	[AVX512VL_X8] = LANES("avx512vl-x8", 8,
			CPU_AVX2 | CPU_AVX512F | CPU_AVX512VL,
			sha256_avx512vl_x8),
	[AVX2_X8] = LANES("avx2-x8", 8, CPU_AVX2, sha256_avx2_x8),
	[SSSE3_X4] = LANES("ssse3-x4", 4, CPU_SSSE3, sha256_ssse3_x4),
	[SSE2_X4] = LANES("sse2-x4", 4, CPU_SSE2, sha256_sse2_x4),
#endif
#ifdef HAVE_KERNELS_ARM
	[SHA2_X2] = STREAMS("sha2-x2", 2, CPU_NEON | CPU_SHA2, sha256_sha2_x2),
	[SHA2_X1] = STREAMS("sha2-x1", 1, CPU_NEON | CPU_SHA2, sha256_sha2_x1),
	[NEON_X4] = LANES("neon-x4", 4, CPU_NEON, sha256_neon_x4),
#endif
	[PORTABLE_X1] = LANES("portable-x1", 1, 0, sha256_portable_x1),
	[KERNELS] = {.name = NULL}
};

/*
 * The first row applies whose features the CPU has and whose number of messages is
 * reached.  README.md has the figures.
 *
 * CPUs that were not measured: on Zen 2 sha256rnds2 starts every second cycle as on
 * Zen 4 (uops.info), so the same sha-x3 fills it; Zen 1 is expected to be like it.
 * Among Intel's without AVX-512, Alder Lake and Raptor Lake have the core that was
 * measured, Golden Cove.
 *
 * Unoccupied lanes cost as much as occupied ones, so of 9 to 11 messages eight are
 * hashed while the others wait.  On a Cortex-A53 three messages in four lanes are
 * slower than libcrypto, one after the other.
 */
static const struct choice {
	enum kernel_id kernel;
	uint32_t needs;		/* in addition to the kernel's */
	unsigned messages;	/* at least */
} choices[] = {
#if defined __x86_64__
	{AVX512_X16,	CPU_FAST512,	12},
	{AVX512_X16,	CPU_WIDE512,	12},
	{AVX512VL_X8,	CPU_FAST512,	7},
	{SHA_X8_HYBRID,	0,		8},
	{SHA_X4_VL,	0,		4},
	{SHA_X3_VL,	0,		3},
	{SHA_X3,	0,		3},
	{SHA_X2,	0,		2},
	{SHA_X1,	0,		1},
#endif
#if defined __x86_64__ || defined __i386__
	{AVX512_X16,	0,		12},
	{AVX512VL_X8,	0,		2},
	{AVX512_X16,	0,		2},
	{AVX2_X8,	0,		3},
	{SSSE3_X4,	0,		3},
	{SSE2_X4,	0,		3},
#endif
#ifdef HAVE_KERNELS_ARM
	{SHA2_X2,	0,		2},
	{SHA2_X1,	0,		1},
	{NEON_X4,	CPU_NEON128,	3},
	{NEON_X4,	0,		4},
#endif
	{PORTABLE_X1,	0,		1}
};
/* clang-format on */

const struct cpu_kernel *
cpu_kernel_choose(uint32_t features, unsigned messages)
{
	const struct choice *row = choices;

	for (;; row++) {
		const struct cpu_kernel *const kernel =
			&cpu_kernels[row->kernel];
		const uint32_t needs = row->needs | kernel->needs |
				       kernel->family;

		if (messages >= row->messages && (features & needs) == needs)
			return kernel;
	}
}

const struct cpu_kernel *
cpu_kernel_rival(uint32_t features, unsigned messages)
{
#if defined __x86_64__
	const struct cpu_kernel *const rival = &cpu_kernels[AVX512_X16];
	const uint32_t needs = rival->needs | CPU_SHA;

	if (messages >= 12 && (features & needs) == needs &&
	    !(features & (CPU_FAST512 | CPU_SLOW512 | CPU_WIDE512)))
		return rival;
#else
	(void)features;
	(void)messages;
#endif
	return NULL;
}

void
cpu_run_set_state(struct cpu_run *run, const struct cpu_kernel *kernel,
		  unsigned lane, const uint32_t state[SHA256_STATE_WORDS])
{
	if (kernel->run_lanes)
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			run->rows[word][lane] = state[word];
	else
		memcpy(run->states[lane], state, sizeof(run->states[lane]));
}

void
cpu_run_get_state(const struct cpu_run *run, const struct cpu_kernel *kernel,
		  unsigned lane, uint32_t state[SHA256_STATE_WORDS])
{
	if (kernel->run_lanes)
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			state[word] = run->rows[word][lane];
	else
		memcpy(state, run->states[lane], sizeof(run->states[lane]));
}

void
cpu_kernel_run(const struct cpu_kernel *kernel, struct cpu_run *run,
	       size_t nblocks)
{
	if (kernel->run_streams)
		kernel->run_streams(run->states, run->data, nblocks);
	else
		kernel->run_lanes(run->rows, run->data, nblocks);
}

/* Run the kernel and return its nanoseconds per block. */
static double
time_of(const struct cpu_kernel *kernel)
{
	/* In all lanes together, which take about a microsecond. */
	enum { BLOCKS = 64 };
	static const uint8_t bytes[BLOCKS * SHA256_BLOCK_BYTES];
	const size_t nblocks = BLOCKS / kernel->lanes;
	struct cpu_run run;
	uint64_t start;

	/* The time does not depend on the data, so all lanes read the same. */
	memset(&run, 0, sizeof(run));
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		run.data[lane] = bytes;
	start = clock_ns();
	cpu_kernel_run(kernel, &run, nblocks);
	return (double)(clock_ns() - start) / (double)(nblocks * kernel->lanes);
}

bool
cpu_kernel_is_faster(const struct cpu_kernel *kernel,
		     const struct cpu_kernel *than)
{
	/* Other programs can only add to the time: the best run counts. */
	enum { RUNS = 4 };
	double best = HUGE_VAL, best_other = HUGE_VAL;

	for (int run = 0; run < RUNS; run++) {
		const double other = time_of(than);
		const double time = time_of(kernel);

		best_other = other < best_other ? other : best_other;
		best = time < best ? time : best;
	}
	return best < best_other;
}

uint32_t
cpu_kernels_measure(uint32_t features)
{
	const struct cpu_kernel *const rival =
		cpu_kernel_rival(features, CPU_LANES);

	if (rival &&
	    cpu_kernel_is_faster(rival, cpu_kernel_choose(features, CPU_LANES)))
		features |= CPU_WIDE512;
	return features;
}
