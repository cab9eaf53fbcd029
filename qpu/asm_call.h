/* SPDX-License-Identifier: MIT */
/*
 * asm_call: calls of functions and macros, and the built-in queries.
 */
#ifndef QPU_ASM_CALL_H
#define QPU_ASM_CALL_H

#include <stdbool.h>

struct asm_procedure;
struct asm_token;
struct asm_value;
struct assembly;

/* The arguments in parentheses are next; the name was token. */
bool asm_call_function(struct assembly *as,
		       const struct asm_procedure *function,
		       const struct asm_token *token,
		       struct asm_value *value);

/* The arguments up to the end of the line are next. */
bool asm_call_macro(struct assembly *as, const struct asm_procedure *macro,
		    const struct asm_token *token);

/* isRegister(x) and its like; the name is next. */
bool asm_call_is_query(const char *name);
bool asm_call_query(struct assembly *as, struct asm_value *value);

#endif
