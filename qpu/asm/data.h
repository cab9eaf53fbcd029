/* SPDX-License-Identifier: MIT */
/*
 * data: .byte, .int, .float, .align, ...: directives that place bytes, and
 * copies of instructions, in the program.
 */
#ifndef QPU_ASM_DATA_H
#define QPU_ASM_DATA_H

#include "qpu/asm/assembly.h"

/* Ended by a row without a name. */
extern const struct asm_directive asm_data_directives[];

#endif
