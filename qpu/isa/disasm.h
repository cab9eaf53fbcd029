/* SPDX-License-Identifier: MIT */
/*
 * disasm: instructions as the assembler's text, and set-up words as sentences.
 *
 * Assembling the text gives the same bits, except for words with unusual bits
 * in fields without meaning: their text gives the usual bits.  A caller that
 * needs the same bits has to compare.
 */
#ifndef QPU_ISA_DISASM_H
#define QPU_ISA_DISASM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct qpu_inst;

enum { QPU_DISASM_SIZE = 256 };

/* target: the text for a constant branch target, or null for its number. */
void
qpu_disasm(const struct qpu_inst *inst, const char *target,
	   char text[QPU_DISASM_SIZE]);

/* Write what a word for vr_setup or, with `store`, for vw_setup sets up, as one
 * line. */
void
setup_word_show(FILE *out, bool store, uint32_t word);

#endif
