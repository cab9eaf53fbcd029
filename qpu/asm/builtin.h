/* SPDX-License-Identifier: MIT */
/*
 * builtin: the functions that expressions have without a definition.
 *
 * A result that depends on a label which is not defined yet is as unknown as
 * the label.
 */
#ifndef QPU_ASM_BUILTIN_H
#define QPU_ASM_BUILTIN_H

#include <stdbool.h>

struct asm_value;

/* Functions of one number, such as sin and floor. */
bool
asm_math_exists(const char *name);

/* Apply one that exists; false, with a reason, when it cannot be. */
bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason);

/*
 * Functions that ask what kind of value something is.  Sources for other
 * assemblers define them with constants that stand for the insides of a
 * register value.
 */
bool
asm_query_exists(const char *name);

/* The value becomes the answer of a query that exists. */
void
asm_query_apply(const char *name, struct asm_value *value);

#endif
