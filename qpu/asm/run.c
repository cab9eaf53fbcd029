/* SPDX-License-Identifier: MIT */
/*
 * run: takes a line apart into labels and what follows them.
 */
#include "config.h"

#include "qpu/asm/run.h"

#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/asm/directive.h"
#include "qpu/asm/expr.h"
#include "qpu/asm/inst.h"
#include "qpu/asm/procedure.h"

static bool
define_label(struct assembly *as, const struct asm_token *token)
{
	const char *name = asm_label_name(as, token);
	struct asm_label *label;

	if (!name)
		return false;
	label = asm_label_define(&as->labels, name, as->line);
	if (!label) {
		const struct asm_label *old = asm_label_find(&as->labels, name);

		asm_error(as, ASM_E_REDEFINED, token,
			  "label '%s' is defined twice", name);
		asm_diagnostic_add(&as->diagnostics, ASM_NOTE, 0, old->line, 1,
				   "it was defined here");
		return false;
	}
	asm_output_label(&as->output, label);
	return true;
}

/* A colon that touches nothing is a label without a name: it stops joining. */
static bool
take_bare_colon(struct assembly *as)
{
	const struct asm_token *next = &as->at[1];

	if (!asm_token_is(as->at, ':') ||
	    (next->type != ASM_TOK_END && next->touches))
		return false;
	as->join.cut = true;
	as->at++;
	return true;
}

/* Define all labels that a line begins with: ":name", "::name", ":1", "name:"
 * and "1:". */
static bool
parse_labels(struct assembly *as)
{
	for (;;) {
		const struct asm_token *token = as->at;
		const bool before = asm_token_is(token, ':') ||
				    asm_token_is(token, ASM_OP2(':', ':'));

		if (take_bare_colon(as))
			continue;
		if (before)
			token++;
		if (token->type != ASM_TOK_NAME && token->type != ASM_TOK_INT)
			return true;
		if (!before &&
		    !(asm_token_is(&token[1], ':') && token[1].touches))
			return true;
		if (!define_label(as, token))
			return false;
		if (before)
			as->join.cut = true;
		else
			as->join.open = false;
		as->at += 2;
	}
}

static void
run_macro(struct assembly *as, const struct asm_procedure *macro)
{
	const struct asm_token *token = as->at++;
	struct asm_arguments arguments;

	if (asm_expr_arguments(as, false, &arguments))
		asm_procedure_call_macro(as, macro, &arguments, token);
}

/* A line of a function that is an expression is its result. */
static void
run_result(struct assembly *as)
{
	const struct asm_token *token = as->at;

	if (!asm_expr(as, as->result) || !asm_expect_end(as))
		return;
	if (as->has_result)
		asm_error(as, ASM_E_EXPRESSION, token,
			  "the function has a result already");
	as->has_result = true;
}

static void
run_line(struct assembly *as)
{
	const struct asm_procedure *macro = NULL;

	if (as->at->type != ASM_TOK_DIRECTIVE && !as->result &&
	    !parse_labels(as))
		return;
	if (as->at->type == ASM_TOK_END)
		return;
	if (as->at->type == ASM_TOK_NAME)
		macro = asm_table_find(&as->macros, as->at->text);
	if (as->at->type == ASM_TOK_DIRECTIVE)
		asm_directive_run(as);
	else if (as->result)
		run_result(as);
	else if (macro)
		run_macro(as, macro);
	else
		asm_inst_line(as);
}

static void
run_lines(struct assembly *as)
{
	while (as->next < as->block->nlines) {
		struct asm_line *line = &as->block->lines[as->next++];

		as->line = line;
		if (!asm_charge_line(as))
			return;
		if (!line->tokens)
			line->tokens = asm_lex(&as->diagnostics, line);
		if (!line->tokens)
			continue;
		as->at = line->tokens;
		run_line(as);
		if (as->stopped)
			return;
	}
}

void
asm_run_block(struct assembly *as, const struct asm_block *block)
{
	const struct asm_block *const outer = as->block;
	const size_t outer_next = as->next;

	as->block = block;
	as->next = 0;
	run_lines(as);
	as->block = outer;
	as->next = outer_next;
}
