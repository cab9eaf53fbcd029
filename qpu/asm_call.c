/* SPDX-License-Identifier: MIT */
/*
 * asm_call: binds arguments to parameters in a new scope and runs the body.
 */
#include "config.h"
#include "qpu/asm_call.h"

#include <string.h>

#include "qpu/asm_expr.h"
#include "qpu/asm_run.h"
#include "qpu/assembly.h"
#include "qpu/isa.h"

/* Evaluate arguments in the caller's scope, bind them in the callee's. */
static bool
bind_arguments(struct assembly *as, const struct asm_procedure *callee,
	       const struct asm_token *token, bool in_parentheses,
	       struct asm_scope *scope)
{
	size_t n = 0;

	while (in_parentheses ? !asm_token_is(as->at, ')') :
	       as->at->type != ASM_TOK_END) {
		struct asm_value value;

		if (n && !asm_expect(as, ','))
			return false;
		if (!asm_expr(as, &value))
			return false;
		if (n < callee->nparams) {
			struct asm_symbol *symbol =
				asm_scope_add(scope, &as->arena,
					      callee->params[n]);
			symbol->value = value;
		}
		n++;
	}
	if (n == callee->nparams)
		return true;
	return asm_error(as, ASM_E_ARGUMENT, token,
			 "'%s' takes %zu argument%s, not %zu", callee->name,
			 callee->nparams, callee->nparams == 1 ? "" : "s", n);
}

static bool
enter_call(struct assembly *as, const struct asm_token *token,
	   struct asm_scope *scope)
{
	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, token,
				 "calls are nested too deeply");
	as->depth++;
	asm_scope_enter(as, scope);
	return true;
}

static void
leave_call(struct assembly *as)
{
	asm_scope_leave(as);
	as->depth--;
}

/* One expression on the line of the definition. */
static bool
run_expression(struct assembly *as, const struct asm_procedure *function,
	       struct asm_value *value)
{
	as->line = (struct asm_line *)function->line;
	as->at = function->body;
	return asm_expr(as, value) && asm_expect_end(as);
}

/* Lines, one of which is an expression. */
static bool
run_lines(struct assembly *as, const struct asm_procedure *function,
	  const struct asm_token *token, struct asm_value *value)
{
	struct asm_value *const outer = as->result;
	const bool outer_has = as->has_result;
	struct asm_line *const line = as->line;
	const size_t nerrors = as->messages.nerrors;

	as->result = value;
	as->has_result = false;
	bool good = asm_run_block(as, &function->block);
	good = good && as->messages.nerrors == nerrors;
	as->line = line;
	if (good && !as->has_result)
		good = asm_error(as, ASM_E_EXPRESSION, token,
				 "function '%s' has no result here",
				 function->name);
	as->result = outer;
	as->has_result = outer_has;
	return good;
}

static void
note_call(struct assembly *as, const struct asm_procedure *callee,
	  const struct asm_token *token, const char *kind)
{
	asm_message_add(&as->messages, &as->arena, ASM_NOTE, 0, as->line,
			token->column, "in %s '%s' called here", kind,
			callee->name);
}

bool
asm_call_function(struct assembly *as, const struct asm_procedure *function,
		  const struct asm_token *token, struct asm_value *value)
{
	struct asm_scope scope = { .symbols = NULL };

	if (!asm_expect(as, '(') ||
	    !bind_arguments(as, function, token, true, &scope) ||
	    !asm_expect(as, ')') || !enter_call(as, token, &scope))
		return false;

	struct asm_line *const line = as->line;
	const struct asm_token *const at = as->at;
	const bool good = function->body ?
			  run_expression(as, function, value) :
			  run_lines(as, function, token, value);
	as->line = line;
	as->at = at;
	leave_call(as);
	if (!good)
		note_call(as, function, token, "function");
	return good;
}

bool
asm_call_macro(struct assembly *as, const struct asm_procedure *macro,
	       const struct asm_token *token)
{
	struct asm_scope scope = { .symbols = NULL };
	const size_t nerrors = as->messages.nerrors;

	if (!bind_arguments(as, macro, token, false, &scope) ||
	    !enter_call(as, token, &scope))
		return false;

	struct asm_line *const line = as->line;
	const bool good = asm_run_block(as, &macro->block);
	as->line = line;
	leave_call(as);
	if (as->messages.nerrors > nerrors)
		note_call(as, macro, token, "macro");
	return good;
}

static bool
is_file_reg(const struct asm_value *value, unsigned file)
{
	return value->type == ASM_REG && value->reg.mux < 0 &&
	       (value->reg.read_files | value->reg.write_files) == file;
}

static bool
is_constant(const struct asm_value *value)
{
	return value->type == ASM_INT || value->type == ASM_FLOAT;
}

static bool
is_small(const struct asm_value *value)
{
	uint32_t word;

	return asm_value_word(value, &word) && qpu_small_find(word) >= 0;
}

/* The queries that foreign sources define with raw register constants. */
static bool
answer(const char *name, const struct asm_value *value)
{
	const bool is_reg = value->type == ASM_REG;

	if (strcmp(name, "isConstant") == 0)
		return is_constant(value);
	if (strcmp(name, "isLdPE") == 0)
		return value->type == ASM_ELEMENTS;
	if (strcmp(name, "isRegister") == 0)
		return is_reg;
	if (strcmp(name, "isRegfileA") == 0)
		return is_file_reg(value, ASM_FILE_A);
	if (strcmp(name, "isRegfileB") == 0)
		return is_file_reg(value, ASM_FILE_B);
	if (strcmp(name, "isAccu") == 0)
		return is_reg && value->reg.mux >= 0;
	if (strcmp(name, "isReadable") == 0)
		return is_reg && (value->reg.mux >= 0 ||
				  value->reg.read_files);
	if (strcmp(name, "isWritable") == 0)
		return is_reg && value->reg.write_files;
	if (strcmp(name, "isSemaphore") == 0)
		return value->type == ASM_SEMA;
	if (strcmp(name, "isLabel") == 0)
		return value->type == ASM_LABEL;
	return is_small(value);	/* isSmallImmd */
}

bool
asm_call_is_query(const char *name)
{
	static const char *const names[] = {
		"isConstant", "isLdPE", "isRegister", "isRegfileA",
		"isRegfileB", "isAccu", "isReadable", "isWritable",
		"isSemaphore", "isLabel", "isSmallImmd",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool
asm_call_query(struct assembly *as, struct asm_value *value)
{
	const char *name = as->at->text;

	as->at += 2;
	if (!asm_expr(as, value) || !asm_expect(as, ')'))
		return false;
	*value = asm_value_int(answer(name, value));
	return true;
}
