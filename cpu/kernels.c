/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/kernels.h"

#include "cpu/features.h"
#include "cpu/kernels_arm.h"
#include "cpu/lanes_portable.h"
#include "cpu/lanes_x86.h"
#include "cpu/streams_x86.h"

enum kernel_id {
#if defined __x86_64__
	SHA_X4_VL, SHA_X3_VL, SHA_X4, SHA_X3, SHA_X2, SHA_X1,
#endif
#if defined __x86_64__ || defined __i386__
	AVX512_X16, AVX512VL_X8, AVX2_X8, SSSE3_X4, SSE2_X4,
#endif
#ifdef HAVE_KERNELS_ARM
	SHA2_X2, SHA2_X1, NEON_X4,
#endif
	VECTOR_X4, PORTABLE_X1, KERNELS
};

#define STREAMS(name, lanes, needs, run)	{name, lanes, needs, run, NULL}
#define LANES(name, lanes, needs, run)		{name, lanes, needs, NULL, run}

const struct cpu_kernel cpu_kernels[] = {
#if defined __x86_64__
	[SHA_X4_VL] = STREAMS("sha-x4-vl", 4,
			CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
			sha256_sha_x4_vl),
	[SHA_X3_VL] = STREAMS("sha-x3-vl", 3,
			CPU_SHA | CPU_SSSE3 | CPU_AVX512VL | CPU_AVX512BW,
			sha256_sha_x3_vl),
	[SHA_X4] = STREAMS("sha-x4", 4, CPU_SHA | CPU_SSSE3, sha256_sha_x4),
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
	[VECTOR_X4] = LANES("vector-x4", 4, 0, sha256_vector_x4),
	[PORTABLE_X1] = LANES("portable-x1", 1, 0, sha256_portable_x1),
	[KERNELS] = {NULL, 0, 0, NULL, NULL}
};

/*
 * The first row wins that the CPU can run and that has so many messages.
 *
 * Measured, cycles per block of one message (Golden Cove, Zen 4):
 *	sha-x1 130, 130		sha-x2 97, 69		sha-x4 98, -
 *				sha-x4-vl 107, 53
 *	avx512-x16 55, 65	avx512vl-x8 75, -	avx2-x8 144, -
 *	ssse3-x4 290, -		libcrypto without SHA extensions about 500
 * Lanes that are not occupied cost as much as those that are; but of 9 to 11,
 * the few that do not fit into eight lanes may wait.
 */
static const struct choice {
	enum kernel_id kernel;
	uint32_t needs;		/* beyond those of the kernel */
	unsigned messages;
} choices[] = {
#if defined __x86_64__ || defined __i386__
	{AVX512_X16,	CPU_FAST512,	12},
	{AVX512VL_X8,	CPU_FAST512,	7},
#endif
#if defined __x86_64__
	{SHA_X2,	CPU_FAST512 | CPU_AVX512VL, 2},
	{SHA_X4_VL,	0,		4},
	{SHA_X3_VL,	0,		3},
	{SHA_X4,	0,		4},
	{SHA_X3,	0,		3},
	{SHA_X2,	0,		2},
	{SHA_X1,	0,		1},
#endif
#if defined __x86_64__ || defined __i386__
	{AVX512_X16,	0,		9},
	{AVX512VL_X8,	0,		2},
	{AVX512_X16,	0,		2},
	{AVX2_X8,	0,		3},
	{SSSE3_X4,	0,		3},
	{SSE2_X4,	0,		3},
#endif
#ifdef HAVE_KERNELS_ARM
	{SHA2_X2,	0,		2},
	{SHA2_X1,	0,		1},
	{NEON_X4,	0,		3},
#endif
#if defined __VSX__ || defined __VX__
	{VECTOR_X4,	0,		2},
#endif
	{PORTABLE_X1,	0,		1}
};

const struct cpu_kernel *
cpu_kernel_choose(uint32_t features, unsigned messages)
{
	const struct choice *row = choices;

	for (;; row++) {
		const struct cpu_kernel *const kernel =
			&cpu_kernels[row->kernel];
		const uint32_t needs = row->needs | kernel->needs;

		if (messages >= row->messages && (features & needs) == needs)
			return kernel;
	}
}
