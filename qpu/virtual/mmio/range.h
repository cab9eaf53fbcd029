/* SPDX-License-Identifier: MIT */
/*
 * range: the addresses of trapped registers, and the functions that answer
 * accesses to them.  `word` is an address that is a multiple of four.
 */
#ifndef QPU_VIRTUAL_MMIO_RANGE_H
#define QPU_VIRTUAL_MMIO_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/virtual/mmio/trap.h"

/* False when there are too many ranges. */
bool
range_add(uintptr_t base, size_t bytes, const struct trap_registers *registers);
/* Remove all ranges inside [base, base + bytes). */
void
range_remove(uintptr_t base, size_t bytes);

/* Does this byte belong to a trapped register? */
bool
range_covers(uintptr_t address);

/* Access a word: a register inside a range, plain memory elsewhere. */
uint32_t
range_load(uintptr_t word);
void
range_store(uintptr_t word, uint32_t value);

/* Tell what n words hold that are registers of one range. */
void
range_peek(uintptr_t word, uint32_t *values, size_t n);

#endif
