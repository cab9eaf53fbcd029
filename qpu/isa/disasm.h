/* SPDX-License-Identifier: MIT */
/*
 * disasm: instructions as the assembler's text.
 *
 * Assembling the text gives the same bits, except for words with unusual bits
 * in fields without meaning: their text gives the usual bits.  A caller that
 * needs the same bits has to compare.
 */
#ifndef QPU_ISA_DISASM_H
#define QPU_ISA_DISASM_H

struct qpu_inst;

enum { QPU_DISASM_SIZE = 256 };

/* target: the text for a constant branch target, or null for its number. */
void
qpu_disasm(const struct qpu_inst *inst, const char *target,
	   char text[QPU_DISASM_SIZE]);

#endif
