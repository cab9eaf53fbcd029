/* SPDX-License-Identifier: MIT */
/*
 * loads: programs that keep QPUs busy, where what they compute does not matter.
 */
#ifndef QPU_CHECK_LOADS_H
#define QPU_CHECK_LOADS_H

#include <stdbool.h>

#include "qpu/check/rig.h"

/* Programs for n QPUs that take `ms` at 250 MHz; the first one waits for the
 * others and raises the interrupt. */
bool
load_busy(struct rig *, double ms, unsigned n, struct device_program *programs,
	  struct diag *why);

/* A program that never ends. */
bool
load_endless(struct rig *, struct device_program *, struct diag *why);

/* A program that adds 1 to 16 words. */
enum { LOAD_WORDS = 16 };

struct load_adder {
	struct device_program program;
	struct rig_piece words;
};

bool
load_adder(struct rig *, struct load_adder *, struct diag *why);

/* Set the words before a launch, and count those that are wrong after it. */
void
load_adder_write(const struct load_adder *, uint32_t first);
unsigned
load_adder_wrong(const struct load_adder *, uint32_t first);

#endif
