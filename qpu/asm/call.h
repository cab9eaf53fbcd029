/* SPDX-License-Identifier: MIT */
/*
 * call: calls of functions and macros.
 *
 * The caller has evaluated the arguments; a call gets a scope with them under
 * the names of the parameters, below the scope of the caller.
 */
#ifndef QPU_ASM_CALL_H
#define QPU_ASM_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/asm/symbol.h"

struct assembly;

struct asm_arguments {
	struct asm_value *values;
	size_t n;
};

struct asm_call {
	const struct asm_procedure *callee;
	const struct asm_token *token; /* the name in the call */
	struct asm_line *line;	       /* of the call */
	const struct asm_token *at;    /* behind the call */
	struct asm_scope scope;
};

/* False after a message; only what was entered may be left. */
bool
asm_call_enter(struct assembly *as, const struct asm_procedure *callee,
	       const struct asm_arguments *arguments,
	       const struct asm_token *token, struct asm_call *call);
void
asm_call_leave(struct assembly *as, const struct asm_call *call);

/* Note, below an error, that it happened in this call. */
void
asm_call_note(struct assembly *as, const struct asm_call *call,
	      const char *kind);

/* Run the body of a function that was entered; a line of it is the result. */
bool
asm_call_function_lines(struct assembly *as, const struct asm_call *call,
			struct asm_value *value);

/* The whole call of a macro. */
void
asm_call_macro(struct assembly *as, const struct asm_procedure *macro,
	       const struct asm_arguments *arguments,
	       const struct asm_token *token);

#endif
