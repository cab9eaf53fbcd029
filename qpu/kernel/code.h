/* SPDX-License-Identifier: MIT */
/*
 * code: the assembled kernel.
 *
 * optimised.words is made from optimised.m4 by m4 and qpuasm; a distribution
 * carries it, so that building it needs neither.
 */
#ifndef QPU_KERNEL_CODE_H
#define QPU_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

extern const uint64_t sha256_kernel_code[];
extern const size_t sha256_kernel_nwords;

#endif
