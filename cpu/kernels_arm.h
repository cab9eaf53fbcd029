/* SPDX-License-Identifier: MIT */
/* Kernels for ARM, 32 and 64 bit; see kernels.h. */
#ifndef CPU_KERNELS_ARM_H
#define CPU_KERNELS_ARM_H

#include "cpu/kernels.h"

/*
 * 64-bit ARM always has NEON.  For 32 bits the functions say themselves that
 * they need it, whatever the baseline; clang cannot do that.
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

cpu_lane_kernel sha256_neon_x4;
cpu_stream_kernel sha256_sha2_x1;
cpu_stream_kernel sha256_sha2_x2;

#endif
