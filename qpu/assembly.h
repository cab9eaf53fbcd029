/* SPDX-License-Identifier: MIT */
/*
 * assembly: the state of one run of the assembler, handed to all its parts.
 */
#ifndef QPU_ASSEMBLY_H
#define QPU_ASSEMBLY_H

#include <stdbool.h>

#include "qpu/asm_arena.h"
#include "qpu/asm_lex.h"
#include "qpu/asm_message.h"
#include "qpu/asm_output.h"
#include "qpu/asm_source.h"
#include "qpu/asm_symbol.h"

struct qpu_asm_options;

/* Bounds that no sane source reaches: they end endless recursion. */
enum { ASM_DEPTH_MAX = 64, ASM_LINES_MAX = 1 << 20 };

struct assembly {
	struct asm_arena arena;
	struct asm_messages messages;
	struct asm_sources sources;
	const struct qpu_asm_options *options;
	struct asm_output output;
	struct asm_labels labels;
	struct asm_procedure *macros;
	struct asm_scope globals;
	struct asm_scope *scope;	/* the innermost */
	struct asm_line *line;		/* being assembled */
	const struct asm_token *at;	/* the next token of it */
	struct asm_value *result;	/* of the function that is running */
	bool has_result;
	unsigned depth;			/* of calls and nested blocks */
	unsigned nlines;		/* run so far in this pass */
	bool final;			/* the second pass: labels are known */
};

/* An error at a token of the current line; always false. */
__attribute__((format(printf, 4, 5)))
bool asm_error(struct assembly *as, unsigned number,
	       const struct asm_token *token, const char *format, ...);

/* Take an operator if it is next. */
bool asm_accept(struct assembly *as, uint32_t op);

/* Take an operator or complain. */
bool asm_expect(struct assembly *as, uint32_t op);

/* Complain unless the line ends here. */
bool asm_expect_end(struct assembly *as);

/* Enter and leave a scope; the caller has it and its first symbols. */
void asm_scope_enter(struct assembly *as, struct asm_scope *scope);
void asm_scope_leave(struct assembly *as);

#endif
