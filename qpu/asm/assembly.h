/* SPDX-License-Identifier: MIT */
/*
 * assembly: the state of one run of the assembler, and its parts, to which it
 * is handed: lines, directives, expressions, instructions.
 */
#ifndef QPU_ASM_ASSEMBLY_H
#define QPU_ASM_ASSEMBLY_H

#include <stdbool.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/message.h"
#include "qpu/asm/source.h"
#include "qpu/asm/stmt.h"
#include "qpu/asm/symbol.h"
#include "qpu/asm/word_output.h"

/* Bounds against recursion and repetition without end. */
enum { ASM_DEPTH_MAX = 64, ASM_LINES_MAX = 1 << 20 };

/* The instruction that the next one may be joined with: inst.c. */
struct asm_join {
	bool open; /* there is one */
	bool cut;  /* by a label, across which vc4asm joins */
	struct asm_stmt stmts[ASM_STMTS_MAX];
	size_t nstmts;
	int64_t end; /* the address after it */
};

struct assembly {
	struct asm_arena arena;
	struct asm_messages messages;
	struct asm_sources sources;
	struct asm_output output;
	struct asm_labels labels;
	struct asm_table macros; /* struct asm_procedure */
	struct asm_symbols symbols;
	const struct asm_block *block;	  /* being run */
	size_t next;			  /* index in it of the next line */
	struct asm_line *line;		  /* being assembled */
	const struct asm_line *addressed; /* has the first address as a value */
	const struct asm_token *at;	  /* the next token of it */
	const struct asm_directive *directive; /* the last one */
	struct asm_value *result; /* of the function that is running */
	bool has_result;
	unsigned depth;	 /* of calls and nested blocks */
	unsigned nlines; /* run so far in this pass */
	bool stopped;	 /* a limit was reached: nothing more is run */
	bool cut;	 /* so it was in the first pass */
	const struct asm_line *noted; /* the last call that a note names */
	bool named_qinc; /* a message has told that vc4.qinc defines a name */
	struct asm_join join;
	bool *joined; /* the decisions of the first pass, in their order */
	size_t njoins;
	bool final; /* the second pass: labels are known */
};

/* An error at a token of the current line; always false. */
__attribute__((format(printf, 4, 5))) bool
asm_error(struct assembly *as, unsigned number, const struct asm_token *token,
	  const char *format, ...);

/* A warning at a token of the current line. */
__attribute__((format(printf, 4, 5))) void
asm_warning(struct assembly *as, unsigned number, const struct asm_token *token,
	    const char *format, ...);

/* Note that the address of a label becomes a value in this line. */
void
asm_note_address(struct assembly *as);

/* Take an operator if it is next. */
bool
asm_accept(struct assembly *as, uint32_t op);

/* Take an operator of one character or complain. */
bool
asm_expect(struct assembly *as, char op);

/* Take a name or complain that `what` is expected. */
bool
asm_expect_name(struct assembly *as, const char *what,
		const struct asm_token **name);

/* Complain unless the line ends here. */
bool
asm_expect_end(struct assembly *as);

/* The name of a label, which may be a number; null after a message. */
const char *
asm_label_name(struct assembly *as, const struct asm_token *token);

/* Count a line or a repetition; false, with an error, at the limit. */
bool
asm_charge_line(struct assembly *as);

/* --- Expressions over the tokens of a line: expr.c ----------------------------- */

struct asm_arguments {
	struct asm_value *values;
	size_t n;
};

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

/* --- Lines, functions and macros: run.c ------------------------------------------ */

/*
 * A call evaluates its arguments first.  The body then runs in a scope that
 * has them under the names of the parameters, and that lies within the scope
 * of the caller: so a body sees the names of its caller.
 */

/* Run all lines.  After an error the next line is run; when a limit is reached,
 * as->stopped is set and the rest is not run. */
void
asm_run_block(struct assembly *as, const struct asm_block *block);

/* .set name(a, b) EXPRESSION: the parenthesis is the next token. */
const struct asm_procedure *
asm_procedure_inline(struct assembly *as, const struct asm_token *name);

/*
 * .func name(a, b) and .macro name, a, b: the name is the next token, the body
 * has been found.  Null after a message.
 */
struct asm_procedure *
asm_procedure_lines(struct assembly *as, const struct asm_block *body);

/* Call a function; token is its name in the call. The value is its expression,
 * or the expression that is the only such line of its body. Return false after
 * a message. */
bool
asm_procedure_call_function(struct assembly *as,
			    const struct asm_procedure *function,
			    const struct asm_arguments *arguments,
			    const struct asm_token *token,
			    struct asm_value *value);

/*
 * Directives: what begins with a dot.  block.c has those with an end (.if,
 * .rep, .macro, ...), directive.c the others.
 *
 * run takes its arguments from as->at; a directive with an end takes the lines
 * of its body from as->next.  as->directive is its row.
 */
struct asm_directive {
	const char *name; /* without the dot */
	void (*run)(struct assembly *as);
	unsigned variant; /* tells apart the directives of one function */
};

/* Ended by a row without a name. */
extern const struct asm_directive asm_block_directives[];

/* Run the directive whose name is the next token. */
void
asm_directive_run(struct assembly *as);

/* --- Instructions: inst.c ---------------------------------------------------------- */

/* Assemble the rest of the line into one word (inst.c). A wrong line still gets
 * a word, so that addresses stay. Two lines share an instruction if the first
 * ends and the second begins with a semicolon, no label is between them, and
 * both fit. */
void
asm_inst_line(struct assembly *as);

/* Replace the writings of other assemblers' sources that have no encoding as
 * they stand, or another meaning there: dialect.c. */

/* Warn when the suffix that is next is a condition with two meanings. */
void
asm_dialect_check_cond(struct assembly *as);

/* Warn when a number has another value there. */
void
asm_dialect_check_number(struct assembly *as, const struct asm_token *token);

/*
 * Make a statement one that can be encoded: add r, r, 16 becomes
 * sub r, r, -16.  Warn of what it does beside what it says.
 */
void
asm_dialect_adapt(struct assembly *as, struct asm_stmt *stmt);

/*
 * Make mov a, b, x, the last of the statements, mov a, x and mov b, x, unless
 * x is a semaphore.  There must be room for one more statement.
 */
void
asm_dialect_split_move(struct asm_stmt *stmts, size_t *nstmts);

#endif
