/* SPDX-License-Identifier: MIT */
/*
 * asm_constant: constants that an ALU can compute from a small immediate.
 */
#ifndef QPU_ASM_CONSTANT_H
#define QPU_ASM_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An operation of an ALU (enum of asm_inst.h) which, with the same small
 * immediate as both operands, gives the value.  False when there is none.
 */
bool asm_constant_find(unsigned unit, uint32_t value, uint8_t *code,
		       uint32_t *operand);

#endif
