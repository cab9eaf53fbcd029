/* SPDX-License-Identifier: MIT */
/*
 * join: an instruction whose line ends with a semicolon shares its word with
 * the next one, if the line of that one begins with a semicolon, no label is
 * between them, and both fit.
 */
#ifndef QPU_ASM_JOIN_H
#define QPU_ASM_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct asm_stmt;
struct asm_word;
struct assembly;

/* Does the line that begins here join the instruction before it? */
bool
asm_join_begins(const struct assembly *as);

/* Encode the statements of both lines in one word; false if they do not fit. */
bool
asm_join_encode(struct assembly *as, const struct asm_stmt *stmts,
		size_t nstmts, struct asm_word *word);

/* An instruction has been placed; open: its line ended with a semicolon. */
void
asm_join_end(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	     bool open);

#endif
