/* SPDX-License-Identifier: MIT */
/*
 * encode: statements to one instruction word.
 *
 * Where there is a choice (ALU, port, file, load or small immediate), the
 * first one that works is taken; when none works, the message is about the
 * first one.
 */
#ifndef QPU_ASM_ENCODE_H
#define QPU_ASM_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

struct asm_stmt;
struct asm_word;
struct assembly;

/* False after a message, which stays away when it is not wanted. */
bool
asm_encode(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	   bool quietly, struct asm_word *word);

#endif
