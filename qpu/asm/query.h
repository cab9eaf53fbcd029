/* SPDX-License-Identifier: MIT */
/*
 * query: the functions of expressions that ask what kind of value something
 * is.  They are built in because sources for other assemblers define them
 * with constants that stand for the insides of a register value.
 */
#ifndef QPU_ASM_QUERY_H
#define QPU_ASM_QUERY_H

#include <stdbool.h>

struct asm_value;

bool
asm_query_exists(const char *name);

/* The answer of a query that exists. */
bool
asm_query_answer(const char *name, const struct asm_value *value);

#endif
