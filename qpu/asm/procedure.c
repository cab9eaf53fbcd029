/* SPDX-License-Identifier: MIT */
/*
 * procedure: parses parameter lists, binds arguments to parameters, and runs
 * bodies.
 */
#include "config.h"

#include "qpu/asm/procedure.h"

#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/asm/expr.h"
#include "qpu/asm/run.h"

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
	ASM_ARENA_GROW(&as->arena, procedure->params, procedure->nparams);
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

/* A call that is running, and where its caller goes on afterwards. */
struct call {
	const struct asm_procedure *callee;
	const struct asm_token *token; /* the name in the call */
	struct asm_line *line;
	const struct asm_token *at;
	struct asm_scope scope;
};

static bool
enter(struct assembly *as, const struct asm_procedure *callee,
      const struct asm_arguments *arguments, const struct asm_token *token,
      struct call *call)
{
	*call = (struct call){
		.callee = callee,
		.token = token,
		.line = as->line,
		.at = as->at,
	};
	if (arguments->n != callee->nparams)
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "'%s' takes %zu argument%s, not %zu",
				 callee->name, callee->nparams,
				 callee->nparams == 1 ? "" : "s", arguments->n);
	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, token,
				 "calls are nested too deeply");
	as->depth++;
	asm_scope_enter(&as->symbols, &call->scope);
	for (size_t i = 0; i < arguments->n; i++)
		asm_symbol_add(&as->symbols, &call->scope, callee->params[i])
			->value = arguments->values[i];
	return true;
}

static void
leave(struct assembly *as, const struct call *call)
{
	asm_scope_leave(&as->symbols);
	as->depth--;
	as->line = call->line;
	as->at = call->at;
}

/* Note, after an error, that it happened in this call. */
static void
note_call(struct assembly *as, const struct call *call, const char *kind)
{
	/* A recursion without end repeats one call: it is noted once. */
	if (as->stopped && as->noted == call->line)
		return;
	as->noted = call->line;
	asm_diagnostic_add(&as->diagnostics, ASM_NOTE, 0, call->line,
			   call->token->column, "in %s '%s' called here", kind,
			   call->callee->name);
}

/* The body is one expression, on the line of the definition. */
static bool
evaluate_expression(struct assembly *as, const struct asm_procedure *function,
		    struct asm_value *value)
{
	as->line = (struct asm_line *)function->line;
	as->at = function->body;
	return asm_expr(as, value) && asm_expect_end(as);
}

/* The body is lines, one of which is the result. */
static bool
evaluate_lines(struct assembly *as, const struct call *call,
	       struct asm_value *value)
{
	struct asm_value *const outer = as->result;
	const bool outer_has = as->has_result;
	const size_t nerrors = as->diagnostics.nerrors;

	as->result = value;
	as->has_result = false;
	asm_run_block(as, &call->callee->block);
	bool good = as->diagnostics.nerrors == nerrors;
	as->line = call->line;
	if (good && !as->has_result)
		good = asm_error(as, ASM_E_EXPRESSION, call->token,
				 "function '%s' has no result here",
				 call->callee->name);
	as->result = outer;
	as->has_result = outer_has;
	return good;
}

bool
asm_procedure_call_function(struct assembly *as,
			    const struct asm_procedure *function,
			    const struct asm_arguments *arguments,
			    const struct asm_token *token,
			    struct asm_value *value)
{
	struct call call;

	if (!enter(as, function, arguments, token, &call))
		return false;
	const bool good = function->body ?
				  evaluate_expression(as, function, value) :
				  evaluate_lines(as, &call, value);
	leave(as, &call);
	if (!good)
		note_call(as, &call, "function");
	return good;
}

void
asm_procedure_call_macro(struct assembly *as, const struct asm_procedure *macro,
			 const struct asm_arguments *arguments,
			 const struct asm_token *token)
{
	const size_t nerrors = as->diagnostics.nerrors;
	struct call call;

	if (!enter(as, macro, arguments, token, &call))
		return;
	asm_run_block(as, &macro->block);
	leave(as, &call);
	if (as->diagnostics.nerrors > nerrors)
		note_call(as, &call, "macro");
}
