/* SPDX-License-Identifier: MIT */
/*
 * kernel_functions: the functions in the table of kernels.c, by the files that define
 * them.  The table has the CPU features that they need.
 */
#ifndef CPU_KERNEL_FUNCTIONS_H
#define CPU_KERNEL_FUNCTIONS_H

#include "cpu/kernels.h"

/* streams_x86.S: the SHA extensions of x86-64; the last two need AVX-512VL. */
cpu_stream_kernel sha256_sha_x1;
cpu_stream_kernel sha256_sha_x2;
cpu_stream_kernel sha256_sha_x3;
cpu_stream_kernel sha256_sha_x3_vl;
cpu_stream_kernel sha256_sha_x4_vl;

/* hybrid_x86.S: vectors make the schedule, the SHA extensions run the rounds. */
cpu_stream_kernel sha256_hybrid_x8;

/* lanes_x86.c */
cpu_lane_kernel sha256_avx512_x16;
cpu_lane_kernel sha256_avx512vl_x8;
cpu_lane_kernel sha256_avx2_x8;
cpu_lane_kernel sha256_ssse3_x4;
cpu_lane_kernel sha256_sse2_x4;

/*
 * Kernels for ARM, little-endian.  64-bit ARM always has NEON.  On 32 bits gcc enables
 * it by an attribute of the function, whatever -march is; clang has no such attribute,
 * so -march must include NEON.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined __aarch64__
#define HAVE_KERNELS_ARM 1
#define TARGET_NEON
#elif defined __arm__ && defined __ARM_NEON
#define HAVE_KERNELS_ARM 1
#define TARGET_NEON
#elif defined __arm__ && defined __ARM_PCS_VFP && !defined __clang__
#define HAVE_KERNELS_ARM 1
#define TARGET_NEON __attribute__((target("arch=armv7-a+simd")))
#endif
#endif

/* lanes.c: NEON, and C for every machine */
cpu_lane_kernel sha256_neon_x4;
cpu_lane_kernel sha256_portable_x1;

/* streams_arm.c */
cpu_stream_kernel sha256_sha2_x1;
cpu_stream_kernel sha256_sha2_x2;

#endif
