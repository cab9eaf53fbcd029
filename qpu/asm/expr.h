/* SPDX-License-Identifier: MIT */
/*
 * expr: expressions over the tokens of a line.
 */
#ifndef QPU_ASM_EXPR_H
#define QPU_ASM_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/asm/value.h"

struct asm_arguments;
struct assembly;

/* Each takes its tokens and is false after a message. */
bool
asm_expr(struct assembly *as, struct asm_value *value);

/*
 * Arguments separated by commas, up to the closing parenthesis or to the end
 * of the line, which stays.
 */
bool
asm_expr_arguments(struct assembly *as, bool in_parentheses,
		   struct asm_arguments *arguments);

/* A number that is known now (not from a label further down). */
bool
asm_expr_int(struct assembly *as, int64_t *value);
bool
asm_expr_truth(struct assembly *as, bool *value);

#endif
