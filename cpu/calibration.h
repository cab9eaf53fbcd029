/* SPDX-License-Identifier: MIT */
/*
 * calibration: how fast kernels are at this moment, and which of two is faster
 * on this CPU, found by running them for some microseconds.  For CPUs that
 * kernels.c has no figures of.
 */
#ifndef CPU_CALIBRATION_H
#define CPU_CALIBRATION_H

#include <stdbool.h>

#include "cpu/kernels.h"

/* Nanoseconds for a block of one message, from a run of about a microsecond.
 * The kernel is to be one that the CPU can run. */
double
cpu_kernel_ns(const struct cpu_kernel *);

/* By the best of some runs of both, taken in turn; some 15 us. */
bool
cpu_kernel_is_faster(const struct cpu_kernel *, const struct cpu_kernel *than);

#endif
