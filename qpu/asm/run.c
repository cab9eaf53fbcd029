/* SPDX-License-Identifier: MIT */
/*
 * run: messages and tokens for all parts of the assembler; takes a line apart
 * into labels and what follows them; binds the arguments of a call to parameters,
 * and runs the lines of a procedure.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
report(struct assembly *as, enum qpu_severity severity, unsigned number,
       const struct asm_token *token, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	asm_message_add(&as->messages, severity, number, as->line,
			token ? token->column : 0, "%s", text);
}

bool
asm_error(struct assembly *as, unsigned number, const struct asm_token *token,
	  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(as, QPU_SEVERITY_ERROR, number, token, format, args);
	va_end(args);
	/* A macro that calls itself twice would reach it 2^64 times. */
	as->stopped = as->stopped || number == ASM_E_DEPTH;
	return false;
}

void
asm_warning(struct assembly *as, unsigned number, const struct asm_token *token,
	    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(as, QPU_SEVERITY_WARNING, number, token, format, args);
	va_end(args);
}

void
asm_note_address(struct assembly *as)
{
	if (as->final && !as->addressed)
		as->addressed = as->line;
}

bool
asm_accept(struct assembly *as, uint32_t op)
{
	if (!asm_token_is(as->at, op))
		return false;
	as->at++;
	return true;
}

bool
asm_expect(struct assembly *as, char op)
{
	return asm_accept(as, (unsigned char)op) ||
	       asm_error(as, ASM_E_SYNTAX, as->at, "expected '%c'", op);
}

bool
asm_expect_name(struct assembly *as, const char *what,
		const struct asm_token **name)
{
	*name = as->at;
	if (as->at->type != ASM_TOK_NAME)
		return asm_error(as, ASM_E_ARGUMENT, as->at, "%s is expected",
				 what);
	as->at++;
	return true;
}

bool
asm_expect_end(struct assembly *as)
{
	if (as->at->type == ASM_TOK_END)
		return true;
	return asm_error(as, ASM_E_SYNTAX, as->at,
			 "unexpected text at the end of the line");
}

const char *
asm_label_name(struct assembly *as, const struct asm_token *token)
{
	char digits[16];

	if (token->type == ASM_TOK_NAME)
		return token->text;
	if (token->integer > UINT32_MAX) {
		asm_error(as, ASM_E_NUMBER, token, "label number is too large");
		return NULL;
	}
	snprintf(digits, sizeof(digits), "%u", (unsigned)token->integer);
	return asm_arena_strndup(&as->arena, digits, strlen(digits));
}

bool
asm_charge_line(struct assembly *as)
{
	if (++as->nlines < ASM_LINES_MAX)
		return true;
	return asm_error(as, ASM_E_DEPTH, NULL, "too many lines to run");
}

static bool
parse_param(struct assembly *as, struct asm_procedure *procedure)
{
	const struct asm_token *token;

	if (!asm_expect_name(as, "the name of a parameter", &token))
		return false;
	for (size_t i = 0; i < procedure->nparams; i++)
		if (strcmp(procedure->params[i], token->text) == 0)
			return asm_error(as, ASM_E_REDEFINED, token,
					 "parameter '%s' is there already",
					 token->text);
	ASM_ARENA_GROW(&as->arena, procedure->params, procedure->nparams);
	procedure->params[procedure->nparams++] = token->text;
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
	const struct asm_token *name;
	bool good = true;

	if (!asm_expect_name(as, "a name", &name))
		return NULL;
	procedure->name = name->text;
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
	asm_message_add(&as->messages, QPU_SEVERITY_NOTE, 0, call->line,
			call->token->column, "in %s '%s' called here", kind,
			call->callee->name);
}

/* The body is lines; one is the result. */
static bool
evaluate_lines(struct assembly *as, const struct call *call,
	       struct asm_value *value)
{
	struct asm_value *const outer = as->result;
	const bool outer_has = as->has_result;
	const size_t nerrors = as->messages.nerrors;

	as->result = value;
	as->has_result = false;
	asm_run_block(as, &call->callee->block);
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

bool
asm_procedure_call_function(struct assembly *as,
			    const struct asm_procedure *function,
			    const struct asm_arguments *arguments,
			    const struct asm_token *token,
			    struct asm_value *value)
{
	struct call call;
	bool good;

	if (!enter(as, function, arguments, token, &call))
		return false;
	if (function->body) {
		/* One expression, on the line of the definition. */
		as->line = (struct asm_line *)function->line;
		as->at = function->body;
		good = asm_expr(as, value) && asm_expect_end(as);
	} else {
		good = evaluate_lines(as, &call, value);
	}
	leave(as, &call);
	if (!good)
		note_call(as, &call, "function");
	return good;
}

static void
run_macro(struct assembly *as, const struct asm_procedure *macro)
{
	const struct asm_token *token = as->at++;
	const size_t nerrors = as->messages.nerrors;
	struct asm_arguments arguments;
	struct call call;

	if (!asm_expr_arguments(as, false, &arguments) ||
	    !enter(as, macro, &arguments, token, &call))
		return;
	asm_run_block(as, &macro->block);
	leave(as, &call);
	if (as->messages.nerrors > nerrors)
		note_call(as, &call, "macro");
}

static bool
define_label(struct assembly *as, const struct asm_token *token, bool is_entry)
{
	const char *name = asm_label_name(as, token);
	struct asm_label *label;

	if (!name)
		return false;
	label = asm_label_define(&as->labels, name, as->line);
	if (!label) {
		const struct asm_label *old =
			asm_label_find(&as->labels, name, 0);

		asm_error(as, ASM_E_REDEFINED, token,
			  "label '%s' is defined twice", name);
		asm_message_add(&as->messages, QPU_SEVERITY_NOTE, 0, old->line,
				1, "it was defined here");
		return false;
	}
	label->is_entry |= is_entry;
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
		const bool entry = asm_token_is(token, ASM_OP2(':', ':'));
		const bool before = entry || asm_token_is(token, ':');

		if (take_bare_colon(as))
			continue;
		if (before)
			token++;
		if (token->type != ASM_TOK_NAME && token->type != ASM_TOK_INT)
			return true;
		if (!before &&
		    !(asm_token_is(&token[1], ':') && token[1].touches))
			return true;
		if (!define_label(as, token, entry))
			return false;
		if (before)
			as->join.cut = true;
		else
			as->join.open = false;
		as->at += 2;
	}
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
			line->tokens = asm_lex(&as->messages, line);
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
