/* SPDX-License-Identifier: MIT */
/*
 * dialect: what sources for other assemblers write that has no encoding as it
 * stands, or another meaning there.
 */
#ifndef QPU_ASM_DIALECT_H
#define QPU_ASM_DIALECT_H

#include <stddef.h>

struct asm_stmt;
struct asm_token;
struct assembly;

/* Warn when the suffix that is next is a condition with two meanings. */
void
asm_dialect_check_cond(struct assembly *as);

/* Warn when a number has another value there. */
void
asm_dialect_check_number(struct assembly *as, const struct asm_token *token);

/*
 * Make a statement one that can be encoded: add r, r, 16 becomes
 * sub r, r, -16.  Warn of what it does beside what it says.
 */
void
asm_dialect_adapt(struct assembly *as, struct asm_stmt *stmt);

/*
 * Make mov a, b, x, the last of the statements, mov a, x and mov b, x, unless
 * x is a semaphore.  There must be room for one more statement.
 */
void
asm_dialect_split_move(struct asm_stmt *stmts, size_t *nstmts);

#endif
