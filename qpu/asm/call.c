/* SPDX-License-Identifier: MIT */
/*
 * call: binds arguments to parameters in a new scope and runs the body.
 */
#include "config.h"

#include "qpu/asm/call.h"

#include "qpu/asm/assembly.h"

static bool
bind_arguments(struct assembly *as, const struct asm_procedure *callee,
	       const struct asm_arguments *arguments,
	       const struct asm_token *token, struct asm_scope *scope)
{
	if (arguments->n != callee->nparams)
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "'%s' takes %zu argument%s, not %zu",
				 callee->name, callee->nparams,
				 callee->nparams == 1 ? "" : "s", arguments->n);
	for (size_t i = 0; i < arguments->n; i++)
		asm_scope_add(scope, &as->arena, callee->params[i])->value =
			arguments->values[i];
	return true;
}

bool
asm_call_enter(struct assembly *as, const struct asm_procedure *callee,
	       const struct asm_arguments *arguments,
	       const struct asm_token *token, struct asm_call *call)
{
	*call = (struct asm_call){
		.callee = callee,
		.token = token,
		.line = as->line,
		.at = as->at,
	};
	if (!bind_arguments(as, callee, arguments, token, &call->scope))
		return false;
	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, token,
				 "calls are nested too deeply");
	as->depth++;
	asm_scope_enter(as, &call->scope);
	return true;
}

void
asm_call_leave(struct assembly *as, const struct asm_call *call)
{
	asm_scope_leave(as);
	as->depth--;
	as->line = call->line;
	as->at = call->at;
}

void
asm_call_note(struct assembly *as, const struct asm_call *call,
	      const char *kind)
{
	/* Of recursion without end one call is enough. */
	if (as->stopped && as->noted == call->line)
		return;
	as->noted = call->line;
	asm_message_add(&as->messages, &as->arena, ASM_NOTE, 0, call->line,
			call->token->column, "in %s '%s' called here", kind,
			call->callee->name);
}

bool
asm_call_function_lines(struct assembly *as, const struct asm_call *call,
			struct asm_value *value)
{
	struct asm_value *const outer = as->result;
	const bool outer_has = as->has_result;
	const size_t nerrors = as->messages.nerrors;

	as->result = value;
	as->has_result = false;
	as->run_block(as, &call->callee->block);
	bool good = as->messages.nerrors == nerrors;
	as->line = call->line;
	if (good && !as->has_result)
		good = asm_error(as, ASM_E_EXPRESSION, call->token,
				 "function '%s' has no result here",
				 call->callee->name);
	as->result = outer;
	as->has_result = outer_has;
	return good;
}

void
asm_call_macro(struct assembly *as, const struct asm_procedure *macro,
	       const struct asm_arguments *arguments,
	       const struct asm_token *token)
{
	const size_t nerrors = as->messages.nerrors;
	struct asm_call call;

	if (!asm_call_enter(as, macro, arguments, token, &call))
		return;
	as->run_block(as, &macro->block);
	asm_call_leave(as, &call);
	if (as->messages.nerrors > nerrors)
		asm_call_note(as, &call, "macro");
}
