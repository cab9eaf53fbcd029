/* SPDX-License-Identifier: MIT */
/*
 * procedure: parameter lists and bodies.
 */
#include "config.h"

#include "qpu/asm/procedure.h"

#include <string.h>

#include "qpu/asm/assembly.h"

static bool
parse_param(struct assembly *as, struct asm_procedure *procedure)
{
	const struct asm_token *token = as->at;

	if (token->type != ASM_TOK_NAME)
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "the name of a parameter is expected");
	for (size_t i = 0; i < procedure->nparams; i++)
		if (strcmp(procedure->params[i], token->text) == 0)
			return asm_error(as, ASM_E_REDEFINED, token,
					 "parameter '%s' is there already",
					 token->text);
	procedure->params = asm_arena_grow(&as->arena, procedure->params,
					   procedure->nparams,
					   sizeof(*procedure->params));
	procedure->params[procedure->nparams++] = token->text;
	as->at++;
	return true;
}

/* (a, b): the parenthesis is next. */
static bool
parse_params(struct assembly *as, struct asm_procedure *procedure)
{
	as->at++;
	while (!asm_token_is(as->at, ')')) {
		if (procedure->nparams && !asm_expect(as, ','))
			return false;
		if (!parse_param(as, procedure))
			return false;
	}
	return asm_expect(as, ')');
}

const struct asm_procedure *
asm_procedure_inline(struct assembly *as, const struct asm_token *name)
{
	struct asm_procedure *function =
		asm_arena_alloc(&as->arena, sizeof(*function));

	function->name = name->text;
	function->line = as->line;
	if (!parse_params(as, function))
		return NULL;
	asm_accept(as, ',');
	function->body = as->at;
	if (as->at->type != ASM_TOK_END)
		return function;
	asm_error(as, ASM_E_ARGUMENT, as->at, "an expression is expected");
	return NULL;
}

struct asm_procedure *
asm_procedure_lines(struct assembly *as, const struct asm_block *body)
{
	struct asm_procedure *procedure =
		asm_arena_alloc(&as->arena, sizeof(*procedure));
	bool good = true;

	if (as->at->type != ASM_TOK_NAME) {
		asm_error(as, ASM_E_ARGUMENT, as->at, "a name is expected");
		return NULL;
	}
	procedure->name = as->at++->text;
	procedure->block = *body;
	if (asm_token_is(as->at, '('))
		good = parse_params(as, procedure);
	while (good && as->at->type != ASM_TOK_END) {
		asm_accept(as, ',');
		good = parse_param(as, procedure);
	}
	return good ? procedure : NULL;
}
