/* SPDX-License-Identifier: MIT */
/*
 * asm_run: takes a line apart into labels and what follows them.
 */
#include "config.h"
#include "qpu/asm_run.h"

#include <string.h>

#include "qpu/asm_call.h"
#include "qpu/asm_expr.h"
#include "qpu/asm_inst.h"
#include "qpu/assembly.h"

static bool
define_label(struct assembly *as, const struct asm_token *token)
{
	const bool numeric = token->type != ASM_TOK_NAME;

	if (numeric && token->integer > UINT32_MAX)
		return asm_error(as, ASM_E_NUMBER, token,
				 "label number is too large");
	struct asm_label *label =
		asm_label_define(&as->labels, &as->arena,
				 numeric ? NULL : token->text,
				 numeric ? token->integer : 0, as->line);
	if (!label) {
		const struct asm_label *old =
			asm_label_find(&as->labels, token->text);

		asm_error(as, ASM_E_REDEFINED, token,
			  "label '%s' is defined twice", token->text);
		asm_message_add(&as->messages, &as->arena, ASM_NOTE, 0,
				old->line, 1, "it was defined here");
		return false;
	}
	asm_output_label(&as->output, label);
	return true;
}

/* ":name", "::name", ":1" and "name:", "1:", as many as there are. */
static bool
parse_labels(struct assembly *as)
{
	for (;;) {
		const struct asm_token *token = as->at;
		const bool before = asm_token_is(token, ':') ||
				    asm_token_is(token, ASM_OP2(':', ':'));

		if (before)
			token++;
		if (token->type != ASM_TOK_NAME && token->type != ASM_TOK_INT)
			break;
		if (!before && !(asm_token_is(&token[1], ':') &&
				 token[1].touches))
			return true;
		if (!define_label(as, token))
			return false;
		as->at += 2;
	}
	/* A bare colon is a label without a name. */
	if (asm_token_is(as->at, ':') && as->at[1].type == ASM_TOK_END)
		as->at++;
	return true;
}

static asm_directive *
find_directive(const char *name)
{
	asm_directive *run = asm_directive_find(name);

	if (!run)
		run = asm_data_find(name);
	return run ? run : asm_block_find(name);
}

static bool
run_directive(struct assembly *as, const struct asm_block *block,
	      size_t *next)
{
	const struct asm_token *token = as->at++;
	asm_directive *run = find_directive(token->text);

	if (run)
		return run(as, block, next);
	return asm_error(as, ASM_E_DIRECTIVE, token,
			 "unknown directive '.%s'", token->text);
}

static const struct asm_procedure *
find_macro(const struct assembly *as, const char *name)
{
	const struct asm_procedure *macro = as->macros;

	while (macro && strcmp(macro->name, name) != 0)
		macro = macro->next;
	return macro;
}

/* Within a function: its result. */
static bool
run_result(struct assembly *as)
{
	const struct asm_token *token = as->at;

	if (!asm_expr(as, as->result) || !asm_expect_end(as))
		return false;
	if (as->has_result)
		return asm_error(as, ASM_E_EXPRESSION, token,
				 "the function has a result already");
	as->has_result = true;
	return true;
}

static bool
run_line(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *first = as->at;

	if (first->type == ASM_TOK_DIRECTIVE)
		return run_directive(as, block, next);
	if (as->result)
		return first->type == ASM_TOK_END || run_result(as);
	if (!parse_labels(as))
		return false;
	if (as->at->type == ASM_TOK_END)
		return true;
	if (as->at->type == ASM_TOK_DIRECTIVE)
		return run_directive(as, block, next);
	if (as->at->type == ASM_TOK_NAME) {
		const struct asm_procedure *macro =
			find_macro(as, as->at->text);

		if (macro)
			return asm_call_macro(as, macro, as->at++);
	}
	return asm_inst_line(as);
}

bool
asm_run_charge(struct assembly *as)
{
	if (as->nlines >= ASM_LINES_MAX)
		return false;
	if (++as->nlines < ASM_LINES_MAX)
		return true;
	return asm_error(as, ASM_E_DEPTH, NULL, "too many lines to run");
}

bool
asm_run_block(struct assembly *as, const struct asm_block *block)
{
	size_t next = 0;

	while (next < block->nlines) {
		struct asm_line *line = &block->lines[next++];

		as->line = line;
		if (!asm_run_charge(as))
			return false;
		if (!line->tokens)
			line->tokens = asm_lex(&as->arena, &as->messages,
					       line);
		if (!line->tokens)
			continue;
		as->at = line->tokens;
		run_line(as, block, &next);
		if (as->nlines >= ASM_LINES_MAX)
			return false;
	}
	return true;
}
