/* SPDX-License-Identifier: MIT */
/*
 * run: runs lines of source: labels, directives, macros, instructions.
 */
#ifndef QPU_ASM_RUN_H
#define QPU_ASM_RUN_H

struct asm_block;
struct assembly;

/*
 * Run all lines.  Errors are collected; false when a limit was reached and the
 * rest was not run.
 */
void
asm_run_block(struct assembly *as, const struct asm_block *block);

#endif
