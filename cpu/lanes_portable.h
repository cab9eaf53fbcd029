/* SPDX-License-Identifier: MIT */
/* Lane kernels that every machine can run; see kernels.h. */
#ifndef CPU_LANES_PORTABLE_H
#define CPU_LANES_PORTABLE_H

#include "cpu/kernels.h"

cpu_lane_kernel sha256_portable_x1;
/* By the compiler's vectors: worth while only if the machine has them. */
cpu_lane_kernel sha256_vector_x4;

#endif
