/* SPDX-License-Identifier: MIT */
/*
 * words: the assembled kernel.
 *
 * optimised.words is made from optimised.m4 by m4 and qpuasm; a distribution
 * carries it, so that building it needs neither.
 */
#ifndef QPU_KERNEL_WORDS_H
#define QPU_KERNEL_WORDS_H

#include <stddef.h>
#include <stdint.h>

extern const uint64_t sha256_kernel_words[];
extern const size_t sha256_kernel_nwords;

#endif
