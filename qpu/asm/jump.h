/* SPDX-License-Identifier: MIT */
/*
 * jump: branches and semaphores, which fill an instruction alone.
 */
#ifndef QPU_ASM_JUMP_H
#define QPU_ASM_JUMP_H

#include <stdbool.h>

struct asm_problem;
struct asm_stmt;
struct asm_word;
struct qpu_inst;

/* A label as the target of brr is left in the word, to be resolved last. */
bool
asm_jump_branch(const struct asm_stmt *stmt, struct qpu_inst *inst,
		struct asm_word *word, struct asm_problem *problem);

bool
asm_jump_semaphore(const struct asm_stmt *stmt, struct qpu_inst *inst,
		   struct asm_problem *problem);

#endif
