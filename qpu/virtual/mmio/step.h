/* SPDX-License-Identifier: MIT */
/*
 * step: lets an instruction that faulted on a trapped register be executed.
 *
 * There is a source for each supported architecture (step_*.c); on all others
 * nothing can be trapped (trap.c).
 */
#ifndef QPU_VIRTUAL_MMIO_STEP_H
#define QPU_VIRTUAL_MMIO_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

/* The machines that have a source of their own. */
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

/* Access a word, at a multiple of four: a register inside a range, plain memory
 * elsewhere. */
uint32_t
range_load(uintptr_t word);
void
range_store(uintptr_t word, uint32_t value);

/* Tell what n words hold that are registers of one range. */
void
range_peek(uintptr_t word, uint32_t *values, size_t n);

#endif
