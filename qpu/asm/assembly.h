/* SPDX-License-Identifier: MIT */
/*
 * assembly: the state of one run of the assembler, handed to all its parts.
 */
#ifndef QPU_ASM_ASSEMBLY_H
#define QPU_ASM_ASSEMBLY_H

#include <stdbool.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/diagnostic.h"
#include "qpu/asm/lex.h"
#include "qpu/asm/source.h"
#include "qpu/asm/stmt.h"
#include "qpu/asm/symbol.h"
#include "qpu/asm/word_output.h"

/* Bounds against recursion and repetition without end. */
enum { ASM_DEPTH_MAX = 64, ASM_LINES_MAX = 1 << 20 };

/* The instruction that the next one may be joined with: see inst.h. */
struct asm_join {
	bool open; /* there is one */
	bool cut;  /* by a label, across which vc4asm joins */
	struct asm_stmt stmts[ASM_STMTS_MAX];
	size_t nstmts;
	int64_t end; /* the address after it */
};

struct assembly {
	struct asm_arena arena;
	struct asm_diagnostics diagnostics;
	struct asm_sources sources;
	struct asm_output output;
	struct asm_labels labels;
	struct asm_table macros; /* struct asm_procedure */
	struct asm_symbols symbols;
	const struct asm_block *block; /* being run */
	size_t next;		       /* index in it of the next line */
	struct asm_line *line;	       /* being assembled */
	const struct asm_token *at;    /* the next token of it */
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

/* Take an operator if it is next. */
bool
asm_accept(struct assembly *as, uint32_t op);

/* Take an operator of one character or complain. */
bool
asm_expect(struct assembly *as, char op);

/* Complain unless the line ends here. */
bool
asm_expect_end(struct assembly *as);

/* The name of a label, which may be a number; null after a message. */
const char *
asm_label_name(struct assembly *as, const struct asm_token *token);

/*
 * Assemble what is left of the line into one word (inst.c).  A line that is wrong
 * gets one, too, so that the addresses stay.  Two lines share an instruction if
 * the first ends and the second begins with a semicolon, no label is between
 * them, and both fit.
 */
void
asm_inst_line(struct assembly *as);

/* Count a line or a repetition; false, with an error, at the limit. */
bool
asm_charge_line(struct assembly *as);

#endif
