/* SPDX-License-Identifier: MIT */
/*
 * procedure: definitions of functions and macros.
 */
#ifndef QPU_ASM_PROCEDURE_H
#define QPU_ASM_PROCEDURE_H

#include "qpu/asm/symbol.h"

struct assembly;

/* .set name(a, b) EXPRESSION: the parenthesis is next. */
const struct asm_procedure *
asm_procedure_inline(struct assembly *as, const struct asm_token *name);

/*
 * .func name(a, b) and .macro name, a, b: the name is next, the body is the
 * block.  Null after a message.
 */
struct asm_procedure *
asm_procedure_lines(struct assembly *as, const struct asm_block *body);

#endif
