/* SPDX-License-Identifier: MIT */
/* Lane kernels for x86; see kernels.h for what they do. */
#ifndef CPU_LANES_X86_H
#define CPU_LANES_X86_H

#include "cpu/kernels.h"

cpu_lane_kernel sha256_avx512_x16;
cpu_lane_kernel sha256_avx512vl_x8;
cpu_lane_kernel sha256_avx2_x8;
cpu_lane_kernel sha256_ssse3_x4;
cpu_lane_kernel sha256_sse2_x4;

#endif
