/* SPDX-License-Identifier: MIT */
/*
 * range: which addresses are trapped registers, and who answers for them.
 *
 * Words are spoken of by their addresses, which are multiples of four.
 */
#ifndef QPU_VIRTUAL_RANGE_H
#define QPU_VIRTUAL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/virtual/trap.h"

/* False if there are too many already. */
bool range_add(uintptr_t base, size_t bytes,
	       const struct trap_registers *registers);
/* All that lie inside. */
void range_remove(uintptr_t base, size_t bytes);

/* Is this a byte of a trapped register? */
bool range_covers(uintptr_t address);

/* A word: a register where there is one, plain memory elsewhere. */
uint32_t range_load(uintptr_t word);
void range_store(uintptr_t word, uint32_t value);

#endif
