/* SPDX-License-Identifier: MIT */
/*
 * step: lets an instruction that faulted on a trapped register be executed, on
 * x86-64 and AArch64; on other machines nothing can be trapped (trap.c).
 */
#ifndef QPU_VIRTUAL_MMIO_STEP_H
#define QPU_VIRTUAL_MMIO_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

#if defined(__x86_64__) && defined(__LP64__)
#define STEP_X86
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#define STEP_ARM64
#else
#define STEP_NONE
#endif

/* Own the signals that an access makes from now on; may be called again. */
bool
step_open(struct diag *why);

/* What trap tells a step.  Does this byte belong to a trapped register? */
bool
range_covers(uintptr_t address);

/* Access a register, at a multiple of four. */
uint32_t
range_load(uintptr_t word);
void
range_store(uintptr_t word, uint32_t value);

/* Tell what n words hold that are registers of one range. */
void
range_peek(uintptr_t word, uint32_t *values, size_t n);

#endif
