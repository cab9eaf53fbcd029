/* SPDX-License-Identifier: MIT */
/*
 * sfu: reciprocal, its square root, power and logarithm of two (section 10).
 */
#ifndef QPU_EMU_SFU_H
#define QPU_EMU_SFU_H

#include "qpu/emu_vector.h"

/* waddr is the address written: QPU_W_RECIP .. QPU_W_LOG. */
void
emu_sfu(unsigned waddr, const emu_vec *x, emu_vec *result);

#endif
