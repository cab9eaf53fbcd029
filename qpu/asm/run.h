/* SPDX-License-Identifier: MIT */
/*
 * run: runs lines of source: labels, directives, macros, instructions.
 */
#ifndef QPU_ASM_RUN_H
#define QPU_ASM_RUN_H

struct asm_block;
struct assembly;

/* Run all lines.  After an error the next line is run; when a limit is reached,
 * as->stopped is set and the rest is not run. */
void
asm_run_block(struct assembly *as, const struct asm_block *block);

#endif
