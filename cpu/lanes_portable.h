/* SPDX-License-Identifier: MIT */
/* The lane kernel that every machine can run; see kernels.h. */
#ifndef CPU_LANES_PORTABLE_H
#define CPU_LANES_PORTABLE_H

#include "cpu/kernels.h"

cpu_lane_kernel sha256_portable_x1;

#endif
