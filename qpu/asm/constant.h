/* SPDX-License-Identifier: MIT */
/*
 * constant: constants that an ALU can compute from a small immediate.
 */
#ifndef QPU_ASM_CONSTANT_H
#define QPU_ASM_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A search for the operations of a unit, ASM_UNIT_ADD or ASM_UNIT_MUL, that
 * give a value when both operands are the same small immediate.  unit and
 * value are set by the caller, and the rest is zero at first.
 */
struct asm_constant {
	unsigned unit;
	uint32_t value;

	uint8_t code;	  /* of the operation that was found */
	uint32_t operand; /* the small immediate */
	bool replicates;  /* the low byte of the result has to be replicated */

	unsigned next; /* where the search goes on */
};

/* Find the next operation; false when there are no more. */
bool
asm_constant_next(struct asm_constant *constant);

#endif
