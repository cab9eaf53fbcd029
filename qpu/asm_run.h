/* SPDX-License-Identifier: MIT */
/*
 * asm_run: runs lines of source: labels, directives, macros, instructions.
 */
#ifndef QPU_ASM_RUN_H
#define QPU_ASM_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct asm_block;
struct assembly;

/*
 * Run all lines.  Errors are collected on the way; false when going on makes
 * no sense (a limit was reached).
 */
bool asm_run_block(struct assembly *as, const struct asm_block *block);

/* Count a line or a repetition; false, with an error, at the limit. */
bool asm_run_charge(struct assembly *as);

/*
 * A directive: its arguments are next on the line, *next is the index in the
 * block of the line to go on with.
 */
typedef bool asm_directive(struct assembly *as, const struct asm_block *block,
			   size_t *next);

/* Null when unknown. */
asm_directive *asm_directive_find(const char *name);	/* asm_directive.c */
asm_directive *asm_data_find(const char *name);		/* asm_data.c */
asm_directive *asm_block_find(const char *name);	/* asm_block.c */

#endif
