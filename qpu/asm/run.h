/* SPDX-License-Identifier: MIT */
/*
 * run: runs lines of source: labels, directives, macros, instructions; and
 * functions and macros, from their definitions to their calls.
 *
 * A call evaluates its arguments first.  The body then runs in a scope that
 * has them under the names of the parameters, and that lies within the scope
 * of the caller: so a body sees the names of its caller.
 */
#ifndef QPU_ASM_RUN_H
#define QPU_ASM_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/asm/symbol.h"

struct assembly;

/* Run all lines.  After an error the next line is run; when a limit is reached,
 * as->stopped is set and the rest is not run. */
void
asm_run_block(struct assembly *as, const struct asm_block *block);

struct asm_arguments {
	struct asm_value *values;
	size_t n;
};

/* .set name(a, b) EXPRESSION: the parenthesis is the next token. */
const struct asm_procedure *
asm_procedure_inline(struct assembly *as, const struct asm_token *name);

/*
 * .func name(a, b) and .macro name, a, b: the name is the next token, the body
 * has been found.  Null after a message.
 */
struct asm_procedure *
asm_procedure_lines(struct assembly *as, const struct asm_block *body);

/*
 * Call a function; token is its name in the call.  The value is its expression,
 * or that of the only line of its body that is one.  False after a message.
 */
bool
asm_procedure_call_function(struct assembly *as,
			    const struct asm_procedure *function,
			    const struct asm_arguments *arguments,
			    const struct asm_token *token,
			    struct asm_value *value);

/*
 * Directives: what begins with a dot.  Three tables hold them: block.c those
 * with an end (.if, .rep, .macro, ...), data.c those that place bytes or copies
 * (.int, .align, ...), directive.c the others, which define names, check, and
 * include files.
 *
 * run takes its arguments from as->at, and a directive with an end takes the
 * lines of its body from as->next, too.  as->directive is its row.
 */
struct asm_directive {
	const char *name; /* without the dot */
	void (*run)(struct assembly *as);
	unsigned variant; /* tells apart the directives of one function */
};

/* Each table ends with a row without a name. */
extern const struct asm_directive asm_block_directives[];
extern const struct asm_directive asm_data_directives[];
extern const struct asm_directive asm_line_directives[];

/* Run the directive whose name is the next token. */
void
asm_directive_run(struct assembly *as);

#endif
