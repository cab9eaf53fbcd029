/* SPDX-License-Identifier: MIT */
/*
 * asm_inst: parses mnemonics, their suffixes and operands.
 */
#include "config.h"
#include "qpu/asm_inst.h"

#include <string.h>

#include "qpu/asm_encode.h"
#include "qpu/asm_expr.h"
#include "qpu/assembly.h"
#include "qpu/isa.h"
#include "qpu/pack.h"

static uint8_t
find_code(const struct qpu_op_row *rows, unsigned nrows, const char *name)
{
	for (unsigned code = 0; code < nrows; code++)
		if (rows[code].mnemonic &&
		    strcmp(rows[code].mnemonic, name) == 0)
			return code;
	return ASM_NO_CODE;
}

static bool
find_alu(struct asm_stmt *stmt, const char *name)
{
	stmt->code[ASM_UNIT_ADD] = find_code(qpu_add_ops, 32, name);
	stmt->code[ASM_UNIT_MUL] = find_code(qpu_mul_ops, 8, name);
	if (stmt->code[ASM_UNIT_ADD] != ASM_NO_CODE)
		stmt->noperands =
			qpu_add_ops[stmt->code[ASM_UNIT_ADD]].operands;
	else if (stmt->code[ASM_UNIT_MUL] != ASM_NO_CODE)
		stmt->noperands =
			qpu_mul_ops[stmt->code[ASM_UNIT_MUL]].operands;
	else
		return false;
	stmt->kind = ASM_STMT_ALU;
	return true;
}

static bool
find_signal(struct asm_stmt *stmt, const char *name)
{
	for (unsigned sig = 0; sig < 16; sig++)
		if (*qpu_sigs[sig].text && strcmp(qpu_sigs[sig].text,
						  name) == 0) {
			stmt->kind = ASM_STMT_SIGNAL;
			stmt->sig = sig;
			return true;
		}
	return false;
}

/* What is neither an ALU operation nor a signal. */
static bool
find_special(struct asm_stmt *stmt, const char *name)
{
	static const struct {
		const char *name;
		enum asm_stmt_kind kind;
		bool flag;		/* relative or acquire */
	} rows[] = {
		{ "bra", ASM_STMT_BRANCH, false },
		{ "brr", ASM_STMT_BRANCH, true },
		{ "ldi", ASM_STMT_LDI, false },
		{ "mov", ASM_STMT_MOV, false },
		{ "nop", ASM_STMT_NOP, false },
		{ "read", ASM_STMT_READ, false },
		{ "sacq", ASM_STMT_SEMA, true },
		{ "srel", ASM_STMT_SEMA, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(name, rows[i].name) == 0) {
			stmt->kind = rows[i].kind;
			stmt->relative = stmt->acquire = rows[i].flag;
			return true;
		}
	return false;
}

/* mv8adds, av8subs, mmov: one of the ALUs on demand. */
static bool
find_pinned(struct asm_stmt *stmt, const char *name)
{
	const bool mul = name[0] == 'm';

	if (!mul && name[0] != 'a')
		return false;
	name++;
	if (strcmp(name, "v8adds") == 0 || strcmp(name, "v8subs") == 0)
		find_alu(stmt, name);
	else if (strcmp(name, "mov") == 0)
		stmt->kind = ASM_STMT_MOV;
	else
		return false;
	stmt->code[mul ? ASM_UNIT_ADD : ASM_UNIT_MUL] = ASM_NO_CODE;
	return true;
}

static bool
find_mnemonic(struct asm_stmt *stmt, const char *name)
{
	if (strcmp(name, "v8mul") == 0)
		name = "v8muld";
	if (find_special(stmt, name) || find_signal(stmt, name))
		return true;
	return find_alu(stmt, name) || find_pinned(stmt, name);
}

static bool
find_cond(const char *text, uint8_t *cond)
{
	for (unsigned i = 0; i < 8; i++)
		if (*qpu_cond_names[i] &&
		    strcmp(text, qpu_cond_names[i]) == 0) {
			*cond = i;
			return true;
		}
	return false;
}

/* On a destination the condition may be written without "if". */
static bool
find_dest_cond(const char *text, uint8_t *cond)
{
	for (unsigned i = QPU_COND_ZS; i < 8; i++)
		if (strcmp(text, qpu_cond_names[i] + strlen("if")) == 0) {
			*cond = i;
			return true;
		}
	return find_cond(text, cond);
}

static bool
is_setf(const char *text)
{
	return strcmp(text, "setf") == 0 || strcmp(text, "sf") == 0;
}

static bool
find_branch_cond(const char *text, uint8_t *cond)
{
	for (unsigned i = 0; i < 16; i++)
		if (qpu_br_names[i] && *qpu_br_names[i] &&
		    strcmp(text, qpu_br_names[i]) == 0) {
			*cond = i;
			return true;
		}
	return false;
}

static bool
has_result(const struct asm_stmt *stmt)
{
	return stmt->kind == ASM_STMT_ALU || stmt->kind == ASM_STMT_MOV ||
	       stmt->kind == ASM_STMT_LDI || stmt->kind == ASM_STMT_SEMA;
}

/* The suffixes of a mnemonic.  *rotates: a count comes before the operands. */
static bool
parse_suffixes(struct assembly *as, struct asm_stmt *stmt,
	       struct asm_pack *pack, bool *rotates)
{
	for (; as->at->type == ASM_TOK_SUFFIX; as->at++) {
		const char *text = as->at->text;

		if (stmt->kind == ASM_STMT_BRANCH &&
		    find_branch_cond(text, &stmt->cond_br))
			continue;
		if (has_result(stmt)) {
			if (is_setf(text)) {
				stmt->setf = true;
				continue;
			}
			if (find_cond(text, &stmt->cond))
				continue;
			if (strncmp(text, "pack", 4) == 0 &&
			    asm_pack_parse(text + 4, pack))
				continue;
			if (strncmp(text, "unpack", 6) == 0 &&
			    asm_pack_parse(text + 6, &stmt->unpack))
				continue;
		}
		if ((stmt->kind == ASM_STMT_ALU ||
		     stmt->kind == ASM_STMT_MOV) && strcmp(text, "rot") == 0) {
			*rotates = true;
			continue;
		}
		return asm_error(as, ASM_E_SUFFIX, as->at,
				 "'%s' has no suffix '.%s'", stmt->mnemonic,
				 text);
	}
	return true;
}

/* The count of op.rot and its comma. */
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
		if (is_setf(as->at->text) && stmt->kind != ASM_STMT_BRANCH)
			stmt->setf = true;
		else if (stmt->kind == ASM_STMT_BRANCH ||
			 !find_dest_cond(as->at->text, &dest->cond))
			return asm_error(as, ASM_E_SUFFIX, as->at,
					 "a destination has no suffix '.%s'",
					 as->at->text);
	}
	if (dest->value.type != ASM_REG)
		return asm_error(as, ASM_E_OPERAND, dest->token,
				 "the destination must be a register");

	struct asm_reg *reg = &dest->value.reg;
	if (reg->mux == 5 && !reg->write_files)
		return asm_error(as, ASM_E_OPERAND, dest->token,
				 "r5 is written as r5quad or r5rep");
	if (reg->rotate) {
		/* A destination receives n lanes further up. */
		stmt->rotate = reg->rotate == ASM_ROTATE_R5 ? ASM_ROTATE_R5 :
			       -reg->rotate & 15;
		reg->rotate = 0;
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
	if (as->at->type == ASM_TOK_SUFFIX)
		return asm_error(as, ASM_E_SUFFIX, as->at,
				 "a source has no suffix '.%s'",
				 as->at->text);
	if (stmt->kind == ASM_STMT_BRANCH || value->type != ASM_LABEL)
		return true;
	if (value->relative)
		return asm_error(as, ASM_E_OPERAND, source->token,
				 "r:label is for branches only");
	value->type = ASM_INT;
	return true;
}

/*
 * Operands of a branch: dest, target; dest, target, target; or dest, dest,
 * target, target.  The comma count tells which.
 */
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
	case ASM_STMT_ALU:
		*nsources = stmt->noperands;
		break;
	case ASM_STMT_LDI:
	case ASM_STMT_SEMA:
		*ndests = given == 3 ? 2 : 1;
		break;
	case ASM_STMT_BRANCH:
		*ndests = given == 4 ? 2 : 1;
		*nsources = given >= 3 ? 2 : 1;
		break;
	case ASM_STMT_READ:
		*ndests = 0;
		break;
	case ASM_STMT_MOV:
		break;
	default:
		*ndests = *nsources = 0;
		return true;
	}
	if (given == *ndests + *nsources)
		return true;
	return asm_error(as, ASM_E_OPERAND, stmt->token,
			 "'%s' takes %zu operand%s, not %zu", stmt->mnemonic,
			 *ndests + *nsources,
			 *ndests + *nsources == 1 ? "" : "s", given);
}

static bool
parse_operands(struct assembly *as, struct asm_stmt *stmt,
	       const struct asm_pack *pack)
{
	const bool none = as->at->type == ASM_TOK_END ||
			  asm_token_is(as->at, ';');
	size_t ndests, nsources;

	if (!count_wanted(as, stmt, none ? 0 : count_operands(as->at),
			  &ndests, &nsources))
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
	if (!find_mnemonic(stmt, stmt->mnemonic))
		return asm_error(as, ASM_E_MNEMONIC, as->at,
				 "unknown instruction '%s'", stmt->mnemonic);
	as->at++;
	if (!parse_suffixes(as, stmt, &pack, &rotates) ||
	    (rotates && !parse_rotation(as, stmt)) ||
	    !parse_operands(as, stmt, &pack))
		return false;
	if (as->at->type == ASM_TOK_END || asm_token_is(as->at, ';'))
		return true;
	return asm_error(as, ASM_E_SYNTAX, as->at,
			 "expected ';' or the end of the line");
}

static bool
parse_stmts(struct assembly *as, struct asm_stmt *stmts, size_t *nstmts)
{
	*nstmts = 0;
	for (;;) {
		while (asm_accept(as, ';'))
			;
		if (as->at->type == ASM_TOK_END)
			return true;
		if (*nstmts == ASM_STMTS_MAX)
			return asm_error(as, ASM_E_UNIT, as->at,
					 "too much for one instruction");
		if (!parse_stmt(as, &stmts[*nstmts]))
			return false;
		(*nstmts)++;
	}
}

bool
asm_inst_line(struct assembly *as)
{
	struct asm_stmt stmts[ASM_STMTS_MAX];
	struct asm_word word = { .line = as->line, .is_inst = true };
	struct qpu_inst inst;
	size_t nstmts;

	asm_output_align(&as->output);
	qpu_inst_nop(&inst, QPU_KIND_ALU);
	word.word = qpu_pack(&inst);
	bool good = parse_stmts(as, stmts, &nstmts);
	if (good && !nstmts)
		return true;		/* a lone semicolon */
	good = good && asm_encode(as, stmts, nstmts, &word);
	if (!asm_output_word(&as->output, &word))
		return asm_error(as, ASM_E_DEPTH, NULL,
				 "the program is too long");
	return good;
}
