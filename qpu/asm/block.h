/* SPDX-License-Identifier: MIT */
/*
 * block: .if, .rep, .macro, .func, .back, .local: directives with an end.
 */
#ifndef QPU_ASM_BLOCK_H
#define QPU_ASM_BLOCK_H

#include "qpu/asm/assembly.h"

/* Ended by a row without a name. */
extern const struct asm_directive asm_block_directives[];

#endif
