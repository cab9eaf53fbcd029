/* SPDX-License-Identifier: MIT */
/*
 * inst: parses the statements of a line and places one instruction.
 *
 * Two lines share one instruction if the first ends and the second begins with
 * a semicolon, no label is between them, and both fit.
 */
#ifndef QPU_ASM_INST_H
#define QPU_ASM_INST_H

struct assembly;

/*
 * Assemble what is left of the line into one word.  A line that is wrong
 * gets one, too, so that the addresses stay.
 */
void
asm_inst_line(struct assembly *as);

#endif
