/* SPDX-License-Identifier: MIT */
/*
 * expr: expressions, parsed by precedence climbing, with the names of
 * registers, constants, functions and labels.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <string.h>

#include "qpu/asm/message.h"
#include "qpu/asm/source.h"
#include "qpu/isa/isa.h"

static bool
use_label(struct assembly *as, const struct asm_token *token, const char *name,
	  const struct asm_label *label, struct asm_value *value)
{
	value->type = ASM_LABEL;
	value->address = true;
	value->unknown = !label || !label->bound || !label->defined;
	value->i = label ? label->addr : 0;
	/* After the first pass was cut short at a limit, labels are missing;
	 * only the limit is reported. */
	if (label || !as->final || as->cut)
		return true;
	if (token->type == ASM_TOK_LOCAL)
		return asm_error(as, ASM_E_UNDEFINED, token,
				 "there is no label %s %s here", name,
				 token->op == 'f' ? "after" : "before");
	return asm_error(as, ASM_E_UNDEFINED, token,
			 "label '%s' is not defined", name);
}

/* Parse the label after ":" or "r:". */
static bool
parse_label(struct assembly *as, bool relative, struct asm_value *value)
{
	const struct asm_token *token = as->at;
	const struct asm_label *label;

	*value = (struct asm_value){ .relative = relative };
	if (asm_token_is(token, '['))
		return asm_error(as, ASM_E_SYNTAX, token,
				 "raw register constants are not supported");
	if (token->type != ASM_TOK_NAME && token->type != ASM_TOK_INT &&
	    token->type != ASM_TOK_LOCAL)
		return asm_error(as, ASM_E_SYNTAX, token,
				 "a label is expected here");
	const char *name = asm_label_name(as, token);
	if (!name)
		return false;
	label = asm_label_find(&as->labels, name,
			       token->type == ASM_TOK_LOCAL ? token->op : 0);
	as->at++;
	return use_label(as, token, name, label, value);
}

/* Parse [a, b, ...] after the bracket: two bits for each of the 16 lanes. */
static bool
parse_elements(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *open = as->at - 1;
	bool negative = false, large = false;

	*value = (struct asm_value){ .type = ASM_ELEMENTS };
	for (unsigned lane = 0; lane < QPU_LANES; lane++) {
		const struct asm_token *token = as->at;
		int64_t element;

		if (lane && !asm_expect(as, ','))
			return false;
		if (!asm_expr_int(as, &element))
			return false;
		if (element < -2 || element > 3)
			return asm_error(as, ASM_E_IMMEDIATE, token,
					 "an element is -2 to 3");
		negative |= element < 0;
		large |= element > 1;
		value->elements |= (uint32_t)(element & 1) << lane |
				   (uint32_t)(element >> 1 & 1) << (16 + lane);
	}
	if (negative && large)
		return asm_error(as, ASM_E_IMMEDIATE, open,
				 "elements are -2 to 1 or 0 to 3, not mixed");
	value->load = negative ? QPU_LOAD_SIGNED : QPU_LOAD_UNSIGNED;
	return asm_expect(as, ']');
}

static bool
parse_unary(struct assembly *as, struct asm_value *value);

static bool
parse_math(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at++;
	const char *reason;

	if (!parse_unary(as, value))
		return false;
	return asm_math_apply(token->text, value, &reason) ||
	       asm_error(as, ASM_E_EXPRESSION, token, "%s %s", token->text,
			 reason);
}

/* Parse sacq(n) or srel(n), as the vendor's sources write them. */
static bool
parse_semaphore(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at;
	int64_t number;

	as->at += 2;
	if (!asm_expr_int(as, &number) || !asm_expect(as, ')'))
		return false;
	if (number < 0 || number > 15)
		return asm_error(as, ASM_E_EXPRESSION, token,
				 "semaphores are numbered 0 to 15");
	*value = (struct asm_value){
		.type = ASM_SEMA,
		.acquire = strcmp(token->text, "sacq") == 0,
		.i = number,
	};
	return true;
}

bool
asm_expr_arguments(struct assembly *as, bool in_parentheses,
		   struct asm_arguments *arguments)
{
	*arguments = (struct asm_arguments){ .n = 0 };
	while (in_parentheses ? !asm_token_is(as->at, ')') :
				as->at->type != ASM_TOK_END) {
		struct asm_value value;

		if (arguments->n && !asm_expect(as, ','))
			return false;
		if (!asm_expr(as, &value))
			return false;
		ASM_ARENA_GROW(&as->arena, arguments->values, arguments->n);
		arguments->values[arguments->n++] = value;
	}
	return true;
}

/* Parse the arguments in parentheses and call the function. */
static bool
call_function(struct assembly *as, const struct asm_procedure *function,
	      struct asm_value *value)
{
	const struct asm_token *token = as->at - 1;
	struct asm_arguments arguments;

	return asm_expect(as, '(') &&
	       asm_expr_arguments(as, true, &arguments) &&
	       asm_expect(as, ')') &&
	       asm_procedure_call_function(as, function, &arguments, token,
					   value);
}

/* Report an unknown name, with a similar one if there is.  The first time that
 * vc4.qinc defines it, say so. */
static bool
refuse_name(struct assembly *as, const struct asm_token *token)
{
	const bool hinted = !as->named_qinc &&
			    asm_messages_are_kept(&as->messages) &&
			    asm_vc4_qinc_defines(token->text);

	const char *similar = asm_vc4_qinc_defines(token->text) ?
				      NULL :
				      asm_reg_similar(token->text);
	char longer[32];

	/* For vdw_setup: vdw_setup_0. */
	snprintf(longer, sizeof(longer), "%.28s_0", token->text);
	if (asm_vc4_qinc_defines(longer))
		similar = longer;
	as->named_qinc |= hinted;
	return asm_error(as, ASM_E_UNDEFINED, token,
			 "'%s' is not defined%s%s%s", token->text,
			 hinted ? ": '.include <vc4.qinc>' or -i vc4.qinc "
				  "defines it" :
				  "",
			 similar && !hinted ? ", but there is " : "",
			 similar && !hinted ? similar : "");
}

static bool
parse_name(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at;
	const char *name = token->text;
	const bool called = asm_token_is(&token[1], '(');
	const struct asm_symbol *symbol = asm_symbol_find(&as->symbols, name);

	/* A query wins over a definition: foreign sources define the queries
	 * with raw register constants, which do not exist here. */
	if (called && asm_query_exists(name)) {
		as->at += 2;
		if (!asm_expr(as, value) || !asm_expect(as, ')'))
			return false;
		asm_query_apply(name, value);
		return true;
	}
	if (symbol) {
		as->at++;
		if (symbol->function)
			return call_function(as, symbol->function, value);
		*value = symbol->value;
		return true;
	}
	if (strcmp(name, "r") == 0 && asm_token_is(&token[1], ':')) {
		as->at += 2;
		return parse_label(as, true, value);
	}
	if (called && (strcmp(name, "sacq") == 0 || strcmp(name, "srel") == 0))
		return parse_semaphore(as, value);
	/* exp and log are also registers; before an operand they are functions. */
	if (asm_math_exists(name) &&
	    (token[1].type == ASM_TOK_INT || token[1].type == ASM_TOK_FLOAT ||
	     token[1].type == ASM_TOK_NAME || called))
		return parse_math(as, value);
	if (asm_value_find_reg(name, value)) {
		as->at++;
		return true;
	}
	if (asm_label_find(&as->labels, name, 0))
		return asm_error(as, ASM_E_UNDEFINED, token,
				 "'%s' is a label: write r:%s in brr, for its "
				 "distance, and :%s elsewhere, for its address",
				 name, name, name);
	return refuse_name(as, token);
}

static bool
parse_primary(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at;

	switch (token->type) {
	case ASM_TOK_INT:
		asm_dialect_check_number(as, token);
		*value = asm_value_int((int64_t)token->integer);
		as->at++;
		return true;
	case ASM_TOK_FLOAT:
		*value = asm_value_float(token->real);
		as->at++;
		return true;
	case ASM_TOK_LOCAL: return parse_label(as, false, value);
	case ASM_TOK_NAME: return parse_name(as, value);
	default: break;
	}
	if (asm_accept(as, '('))
		return asm_expr(as, value) && asm_expect(as, ')');
	if (asm_accept(as, '['))
		return parse_elements(as, value);
	if (asm_accept(as, ':') || asm_accept(as, ASM_OP2(':', ':')))
		return parse_label(as, false, value);
	return asm_error(as, ASM_E_SYNTAX, token, "an operand is expected");
}

/* Pack suffixes belong to the value, so that .set can name a part of it. */
static bool
parse_postfix(struct assembly *as, struct asm_value *value)
{
	if (!parse_primary(as, value))
		return false;
	while (as->at->type == ASM_TOK_SUFFIX && value->type == ASM_REG) {
		const char *text = as->at->text;
		struct asm_pack pack;

		if (strncmp(text, "unpack", 6) == 0)
			text += 6;
		else if (strncmp(text, "pack", 4) == 0)
			text += 4;
		if (!asm_reg_parse_pack(text, &pack))
			break;
		value->reg.pack = pack;
		as->at++;
	}
	return true;
}

static bool
parse_operand(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at;
	const char *reason;

	if (!asm_token_is(token, '-') && !asm_token_is(token, '+') &&
	    !asm_token_is(token, '~') && !asm_token_is(token, '!'))
		return parse_postfix(as, value);
	as->at++;
	if (token->op == '-' &&
	    (as->at->type == ASM_TOK_END || asm_token_is(as->at, ',') ||
	     asm_token_is(as->at, ';') || asm_token_is(as->at, ')'))) {
		*value = (struct asm_value){ .type = ASM_REG,
					     .reg = asm_reg_nop };
		return true;
	}
	if (!parse_unary(as, value))
		return false;
	if (!asm_value_unary(token->op, value, &reason))
		return asm_error(as, ASM_E_EXPRESSION, token, "%s", reason);
	return true;
}

/* Parse an operand with its signs.  All nesting passes here, where its depth is
 * limited. */
static bool
parse_unary(struct assembly *as, struct asm_value *value)
{
	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, as->at,
				 "expression is nested too deeply");
	as->depth++;
	const bool parsed = parse_operand(as, value);
	as->depth--;
	return parsed;
}

static bool
parse_binary(struct assembly *as, unsigned least, struct asm_value *value)
{
	if (!parse_unary(as, value))
		return false;
	for (;;) {
		const struct asm_token *token = as->at;
		const unsigned binds = token->binds;
		struct asm_value right;
		const char *reason;

		if (binds < least)
			return true;
		as->at++;
		if (!parse_binary(as, binds + 1, &right))
			return false;
		if (!asm_value_binary(token->op, value, &right, &reason))
			return asm_error(as, ASM_E_EXPRESSION, token, "%s",
					 reason);
	}
}

bool
asm_expr(struct assembly *as, struct asm_value *value)
{
	return parse_binary(as, 1, value);
}

/* Parse an expression whose value is known by now. */
static bool
parse_known(struct assembly *as, struct asm_value *value)
{
	const struct asm_token *token = as->at;

	if (!asm_expr(as, value))
		return false;
	if (value->unknown)
		return asm_error(as, ASM_E_UNDEFINED, token,
				 "this needs a label that comes later");
	return true;
}

bool
asm_expr_int(struct assembly *as, int64_t *number)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!parse_known(as, &value))
		return false;
	*number = value.i;
	if (value.type == ASM_INT)
		return true;
	return asm_error(as, ASM_E_EXPRESSION, token, "an integer is expected");
}

bool
asm_expr_truth(struct assembly *as, bool *truth)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!parse_known(as, &value))
		return false;
	*truth = value.type == ASM_FLOAT ? value.f != 0 : value.i != 0;
	return asm_value_is_number(&value) ||
	       asm_error(as, ASM_E_EXPRESSION, token, "a number is expected");
}
