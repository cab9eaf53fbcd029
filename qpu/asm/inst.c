/* SPDX-License-Identifier: MIT */
/*
 * inst: parses mnemonics, their suffixes and operands; joins lines.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "qpu/asm/stmt.h"
#include "qpu/isa/isa.h"

static bool
is_setf(const char *text)
{
	return strcmp(text, "setf") == 0 || strcmp(text, "sf") == 0;
}

/* Parse the suffixes of a mnemonic.  Set *rotates if the count of a rotation comes
 * before the operands. */
static bool
parse_suffixes(struct assembly *as, struct asm_stmt *stmt,
	       struct asm_pack *pack, bool *rotates)
{
	const bool has_result =
		stmt->kind == ASM_STMT_ALU || stmt->kind == ASM_STMT_MOV ||
		stmt->kind == ASM_STMT_LDI || stmt->kind == ASM_STMT_SEMA;

	for (; as->at->type == ASM_TOK_SUFFIX; as->at++) {
		const char *text = as->at->text;

		if (stmt->kind == ASM_STMT_BRANCH &&
		    asm_stmt_branch_cond(text, &stmt->cond_br))
			continue;
		if (has_result) {
			if (is_setf(text)) {
				stmt->setf = true;
				continue;
			}
			if (asm_stmt_cond(text, &stmt->cond)) {
				asm_dialect_check_cond(as);
				continue;
			}
			if (strncmp(text, "pack", 4) == 0 &&
			    asm_reg_parse_pack(text + 4, pack))
				continue;
			if (strncmp(text, "unpack", 6) == 0 &&
			    asm_reg_parse_pack(text + 6, &stmt->unpack))
				continue;
		}
		if ((stmt->kind == ASM_STMT_ALU ||
		     stmt->kind == ASM_STMT_MOV) &&
		    strcmp(text, "rot") == 0) {
			*rotates = true;
			continue;
		}
		return asm_error(as, ASM_E_SUFFIX, as->at,
				 "'%s' has no suffix '.%s'", stmt->mnemonic,
				 text);
	}
	return true;
}

/* Parse the count of op.rot and the comma after it. */
static bool
parse_rotation(struct assembly *as, struct asm_stmt *stmt)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!asm_expr(as, &value))
		return false;
	if (value.type == ASM_REG && value.reg.mux == 5)
		stmt->rotate = ASM_ROTATE_R5;
	else if (value.type == ASM_INT && value.i >= -15 && value.i <= 15)
		stmt->rotate = value.i & 15;
	else
		return asm_error(as, ASM_E_ROTATE, token,
				 "a rotation is r5 or -15 to 15 lanes");
	return asm_expect(as, ',');
}

static bool
parse_dest(struct assembly *as, struct asm_stmt *stmt,
	   const struct asm_pack *pack)
{
	struct asm_operand *dest = &stmt->dests[stmt->ndests++];

	dest->token = as->at;
	dest->cond = stmt->cond;
	if (!asm_expr(as, &dest->value))
		return false;
	for (; as->at->type == ASM_TOK_SUFFIX; as->at++) {
		asm_dialect_check_cond(as);
		if (is_setf(as->at->text) && stmt->kind != ASM_STMT_BRANCH)
			stmt->setf = true;
		else if (stmt->kind == ASM_STMT_BRANCH ||
			 !asm_stmt_dest_cond(as->at->text, &dest->cond))
			return asm_error(as, ASM_E_SUFFIX, as->at,
					 "a destination has no suffix '.%s'",
					 as->at->text);
	}
	if (dest->value.type != ASM_REG)
		return asm_error(as, ASM_E_OPERAND, dest->token,
				 "the destination must be a register");

	struct asm_reg *reg = &dest->value.reg;
	if (reg->mux == 5)
		return asm_error(as, ASM_E_OPERAND, dest->token,
				 "r5 is written as r5quad or r5rep");
	if (reg->rotate) {
		/* A destination receives n lanes further up. */
		stmt->rotate = reg->rotate == ASM_ROTATE_R5 ? ASM_ROTATE_R5 :
							      -reg->rotate & 15;
		stmt->rotates_dest = true;
	}
	if (pack->part)
		reg->pack = *pack;
	return true;
}

static bool
parse_source(struct assembly *as, struct asm_stmt *stmt)
{
	struct asm_operand *source = &stmt->sources[stmt->nsources++];
	struct asm_value *value = &source->value;

	source->token = as->at;
	if (!asm_expr(as, value))
		return false;
	/* Messages show a constant as it was written. */
	if (value->type != ASM_REG) {
		const char *text = as->line->text + source->token->column - 1;
		size_t len = as->at->column - source->token->column;

		while (len && isspace((unsigned char)text[len - 1]))
			len--;
		source->text = asm_arena_strndup(&as->arena, text, len);
	}
	if (as->at->type == ASM_TOK_SUFFIX)
		return asm_error(as, ASM_E_SUFFIX, as->at,
				 "a source has no suffix '.%s'", as->at->text);
	/* The displacement to a label is filled in when all words are there. */
	if (value->address && !(stmt->kind == ASM_STMT_BRANCH &&
				stmt->relative && value->type == ASM_LABEL))
		asm_note_address(as);
	if (stmt->kind == ASM_STMT_BRANCH || value->type != ASM_LABEL)
		return true;
	if (value->relative)
		return asm_error(as, ASM_E_OPERAND, source->token,
				 "r:label is for branches only");
	value->type = ASM_INT;
	return true;
}

/* Count the operands by their commas, which also shows what those of a branch are:
 * dest, target; dest, target, target; or dest, dest, target, target. */
static size_t
count_operands(const struct asm_token *token)
{
	size_t n = 1;
	unsigned depth = 0;

	for (; token->type != ASM_TOK_END; token++) {
		if (asm_token_is(token, '(') || asm_token_is(token, '['))
			depth++;
		else if (asm_token_is(token, ')') || asm_token_is(token, ']'))
			depth -= depth > 0;
		else if (!depth && asm_token_is(token, ';'))
			break;
		else if (!depth && asm_token_is(token, ','))
			n++;
	}
	return n;
}

static bool
count_wanted(struct assembly *as, const struct asm_stmt *stmt, size_t given,
	     size_t *ndests, size_t *nsources)
{
	*ndests = 1;
	*nsources = 1;
	switch (stmt->kind) {
	case ASM_STMT_ALU: *nsources = stmt->noperands; break;
	case ASM_STMT_MOV:
	case ASM_STMT_LDI:
	case ASM_STMT_SEMA: *ndests = given == 3 ? 2 : 1; break;
	case ASM_STMT_BRANCH:
		*ndests = given == 4 ? 2 : 1;
		*nsources = given >= 3 ? 2 : 1;
		break;
	case ASM_STMT_READ: *ndests = 0; break;
	case ASM_STMT_NOP:
		*ndests = given ? 1 : 0;
		*nsources = 0;
		break;
	default: *ndests = *nsources = 0; return true;
	}
	const size_t wanted = *ndests + *nsources;
	return given == wanted ||
	       asm_error(as, ASM_E_OPERAND, stmt->token,
			 "'%s' takes %zu operand%s, not %zu", stmt->mnemonic,
			 wanted, wanted == 1 ? "" : "s", given);
}

static bool
parse_operands(struct assembly *as, struct asm_stmt *stmt,
	       const struct asm_pack *pack)
{
	const bool none = as->at->type == ASM_TOK_END ||
			  asm_token_is(as->at, ';');
	size_t ndests, nsources;

	if (!count_wanted(as, stmt, none ? 0 : count_operands(as->at), &ndests,
			  &nsources))
		return false;
	for (size_t i = 0; i < ndests + nsources; i++) {
		if (i && !asm_expect(as, ','))
			return false;
		if (!(i < ndests ? parse_dest(as, stmt, pack) :
				   parse_source(as, stmt)))
			return false;
	}
	return true;
}

static bool
parse_stmt(struct assembly *as, struct asm_stmt *stmt)
{
	struct asm_pack pack = { .part = ASM_PART_32 };
	bool rotates = false;

	*stmt = (struct asm_stmt){
		.token = as->at,
		.cond = QPU_COND_ALWAYS,
		.cond_br = QPU_BR_ALWAYS,
	};
	if (as->at->type != ASM_TOK_NAME)
		return asm_error(as, ASM_E_SYNTAX, as->at,
				 "an instruction is expected");
	stmt->mnemonic = as->at->text;
	if (!asm_stmt_find(stmt, stmt->mnemonic))
		return asm_error(as, ASM_E_MNEMONIC, as->at,
				 "unknown instruction '%s'", stmt->mnemonic);
	as->at++;
	if (!parse_suffixes(as, stmt, &pack, &rotates) ||
	    (rotates && !parse_rotation(as, stmt)) ||
	    !parse_operands(as, stmt, &pack))
		return false;
	asm_dialect_adapt(as, stmt);
	if (as->at->type == ASM_TOK_END || asm_token_is(as->at, ';'))
		return true;
	return asm_error(as, ASM_E_SYNTAX, as->at,
			 "expected ';' or the end of the line");
}

static bool
is_plain_nop(const struct asm_stmt *stmt)
{
	return stmt->kind == ASM_STMT_NOP && !stmt->ndests &&
	       strcmp(stmt->mnemonic, "nop") == 0;
}

/* Return true if the last statement is a nop and both ALUs are taken.  Programs
 * write such a nop where an instruction could have a signal. */
static bool
is_idle(const struct asm_stmt *stmts, size_t nstmts)
{
	unsigned nalus = 0;

	for (size_t i = 0; i < nstmts; i++)
		nalus += stmts[i].kind == ASM_STMT_ALU ||
			 stmts[i].kind == ASM_STMT_MOV ||
			 stmts[i].kind == ASM_STMT_NOP;
	return nalus > ASM_UNITS && is_plain_nop(&stmts[nstmts - 1]);
}

static bool
parse_stmts(struct assembly *as, struct asm_stmt *stmts, size_t *nstmts)
{
	bool warned = false;

	*nstmts = 0;
	for (;;) {
		while (asm_accept(as, ';'))
			continue;
		if (as->at->type == ASM_TOK_END)
			return true;
		if (*nstmts + 1 >= ASM_STMTS_MAX)
			return asm_error(as, ASM_E_UNIT, as->at,
					 "too much for one instruction");
		if (!parse_stmt(as, &stmts[*nstmts]))
			return false;
		(*nstmts)++;
		asm_dialect_split_move(stmts, nstmts);
		if (!is_idle(stmts, *nstmts))
			continue;
		(*nstmts)--;
		if (!warned && *nstmts == 2 && is_plain_nop(&stmts[0]) &&
		    is_plain_nop(&stmts[1]))
			asm_warning(as, ASM_W_NOPS, stmts[2].token,
				    "all nops of a line are one instruction: "
				    "write each on a line of its own");
		warned = true;
	}
}

static bool
needs_later_label(const struct asm_stmt *stmts, size_t nstmts)
{
	for (size_t i = 0; i < nstmts; i++)
		for (size_t j = 0; j < stmts[i].nsources; j++)
			if (stmts[i].sources[j].value.unknown)
				return true;
	return false;
}

/* Encode the statements of both lines in one word; false if they do not fit. */
static bool
encode_both(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	    struct asm_word *word)
{
	const struct asm_join *join = &as->join;
	struct asm_stmt both[2 * ASM_STMTS_MAX];

	memcpy(both, join->stmts, join->nstmts * sizeof(*both));
	memcpy(&both[join->nstmts], stmts, nstmts * sizeof(*both));
	/* Data may lie between the lines, also of a function that is called in an
	 * operand. */
	return join->end == asm_output_addr(&as->output) &&
	       asm_encode(as, both, join->nstmts + nstmts, true, word);
}

/*
 * Join the statements of both lines if they fit into one word.
 *
 * What a label stands for can differ between the passes, and so can what fits
 * into one word: the second pass repeats the decisions of the first.
 */
static bool
join_encode(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	    struct asm_word *word)
{
	const struct asm_join *join = &as->join;
	const size_t decision = as->njoins++;

	if (!as->final) {
		ASM_ARENA_GROW(&as->arena, as->joined, decision);
		if (needs_later_label(join->stmts, join->nstmts) ||
		    needs_later_label(stmts, nstmts))
			return false;
	} else if (!as->joined[decision]) {
		return false;
	}
	as->joined[decision] = encode_both(as, stmts, nstmts, word);
	return as->joined[decision];
}

void
asm_inst_line(struct assembly *as)
{
	/* The line before ended with a semicolon, this one begins with one. */
	const bool joinable = as->join.open && asm_token_is(as->at, ';');
	struct asm_stmt stmts[ASM_STMTS_MAX];
	struct asm_word word = { .line = as->line, .is_inst = true };
	size_t nstmts;

	asm_output_align(&as->output);
	bool good = parse_stmts(as, stmts, &nstmts);
	if (good && !nstmts)
		return; /* a lone semicolon */
	if (good && joinable && as->join.cut) {
		struct asm_word both;

		if (as->final && encode_both(as, stmts, nstmts, &both))
			asm_warning(as, ASM_W_NOT_JOINED, stmts[0].token,
				    "it is not joined with the instruction "
				    "before the label; vc4asm joins them, "
				    "against its manual");
	} else if (good && joinable && join_encode(as, stmts, nstmts, &word)) {
		asm_output_replace(&as->output, &word);
		as->join.open = false;
		return;
	}
	good = good && asm_encode(as, stmts, nstmts, false, &word);
	as->join.open = good && asm_token_is(&as->at[-1], ';');
	as->join.cut = false;
	as->join.nstmts = nstmts;
	memcpy(as->join.stmts, stmts, nstmts * sizeof(*stmts));
	if (!asm_output_word(&as->output, &word))
		asm_error(as, ASM_E_DEPTH, NULL, "the program is too long");
	as->join.end = asm_output_addr(&as->output);
}
