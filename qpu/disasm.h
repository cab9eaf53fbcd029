/* SPDX-License-Identifier: MIT */
/*
 * disasm: instructions as the assembler's text.
 *
 * The text of an instruction that an assembler would make gives the same
 * bits again.  Words with other bits in fields without meaning have a text
 * too, but it gives the usual bits; the caller compares where it matters.
 */
#ifndef QPU_DISASM_H
#define QPU_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct qpu_inst;

enum { QPU_DISASM_SIZE = 256 };

/* target: the text for a constant branch target, or null for its number. */
void qpu_disasm(const struct qpu_inst *inst, const char *target,
		char text[QPU_DISASM_SIZE]);

#endif
