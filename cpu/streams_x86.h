/* SPDX-License-Identifier: MIT */
/* Stream kernels by the SHA extensions of x86-64; see kernels.h. */
#ifndef CPU_STREAMS_X86_H
#define CPU_STREAMS_X86_H

#include "cpu/kernels.h"

cpu_stream_kernel sha256_sha_x1;
cpu_stream_kernel sha256_sha_x2;
cpu_stream_kernel sha256_sha_x3;
/* The last two need AVX-512VL. */
cpu_stream_kernel sha256_sha_x3_vl;
cpu_stream_kernel sha256_sha_x4_vl;

#endif
