/* SPDX-License-Identifier: MIT */
/*
 * dialect: constants that are negated, rotations, and what has two
 * meanings.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <inttypes.h>
#include <string.h>

#include "qpu/isa/isa.h"

void
asm_dialect_check_cond(struct assembly *as)
{
	const char *text = as->at->text;

	if (strcmp(text, "ifnc") == 0 || strcmp(text, "nc") == 0)
		asm_warning(as, ASM_W_CARRY, as->at,
			    "'.%s' is taken as carry clear, as in Raspberry "
			    "Pi's assembler; vc4asm takes it as n clear: "
			    "write .ifcc or .ifnn",
			    text);
}

void
asm_dialect_check_number(struct assembly *as, const struct asm_token *token)
{
	if (token->base == 8 && !token->prefixed && token->integer > 7)
		asm_warning(as, ASM_W_NUMBER, token,
			    "a leading zero makes the number octal: its value "
			    "is %" PRIu64 "; vc4asm reads it as decimal",
			    token->integer);
	else if (token->base == 2)
		asm_warning(as, ASM_W_NUMBER, token,
			    "the value is %" PRIu64 "; vc4asm takes another "
			    "one from a binary number",
			    token->integer);
}

/* Return true for a constant such as 16, whose negative alone is a small
 * immediate. */
static bool
wants_negation(const struct asm_value *value)
{
	uint32_t word;

	return value->type == ASM_INT && asm_value_word(value, &word) &&
	       qpu_small_find(word) < 0 && qpu_small_find(-word) >= 0;
}

/* Turn add of such a constant into sub of its negative, and sub into add; this
 * inverts the carry flag. */
static void
negate_constant(struct assembly *as, struct asm_stmt *stmt)
{
	const bool is_add = stmt->code[ASM_UNIT_ADD] == QPU_ADD_ADD;
	struct asm_operand *sources = stmt->sources;

	if (!is_add && stmt->code[ASM_UNIT_ADD] != QPU_ADD_SUB)
		return;
	if (is_add && wants_negation(&sources[0].value)) {
		const struct asm_operand constant = sources[0];

		sources[0] = sources[1];
		sources[1] = constant;
	}
	if (!wants_negation(&sources[1].value))
		return;
	sources[1].value.i = (int32_t) - (uint32_t)sources[1].value.i;
	stmt->code[ASM_UNIT_ADD] = is_add ? QPU_ADD_SUB : QPU_ADD_ADD;
	if (stmt->setf)
		asm_warning(as, ASM_W_NEGATED, stmt->token,
			    "'%s' of a constant without an encoding becomes "
			    "'%s' of its negative: the carry flag is inverted",
			    stmt->mnemonic, is_add ? "sub" : "add");
}

/* The guide, vector rotation: only r0 to r3 rotate across all lanes, and both
 * operands do. */
static void
warn_of_rotation(struct assembly *as, const struct asm_stmt *stmt)
{
	bool rotates = stmt->rotates_dest, all_rotate = true;
	bool within_quads = false;

	for (size_t i = 0; i < stmt->nsources; i++) {
		const struct asm_value *value = &stmt->sources[i].value;
		const bool rotated = value->type == ASM_REG &&
				     value->reg.rotate;

		rotates |= rotated;
		all_rotate &= rotated;
		within_quads |= value->type != ASM_REG || value->reg.mux < 0 ||
				value->reg.mux > 3;
	}
	if (rotates && within_quads)
		asm_warning(as, ASM_W_QUADS, stmt->token,
			    "an operand outside of r0 to r3 rotates within "
			    "groups of four lanes; '%s.rot n,' says so",
			    stmt->mnemonic);
	else if (rotates && !all_rotate && !stmt->rotates_dest)
		asm_warning(as, ASM_W_ROTATES_BOTH, stmt->token,
			    "the rotation is of the result: the operand "
			    "written without one is rotated, too");
}

/* A register is read and unpacked once: a suffix of one operand applies to the
 * other one as well. */
static void
share_unpack(struct assembly *as, struct asm_stmt *stmt)
{
	struct asm_operand *a = &stmt->sources[0], *b = &stmt->sources[1];

	if (!asm_value_same_source(&a->value, &b->value) ||
	    !a->value.reg.pack.part == !b->value.reg.pack.part)
		return;
	if (a->value.reg.pack.part)
		b->value.reg.pack = a->value.reg.pack;
	else
		a->value.reg.pack = b->value.reg.pack;
	asm_warning(as, ASM_W_UNPACKS_BOTH, stmt->token,
		    "one register is unpacked once: the operand written "
		    "without a suffix is unpacked, too");
}

/* A float packed to a byte of ra0 to ra31: vc4asm packs its bits. */
static void
warn_of_pack(struct assembly *as, const struct asm_stmt *stmt)
{
	const struct asm_reg *dest = &stmt->dests[0].value.reg;

	if (stmt->kind == ASM_STMT_ALU &&
	    stmt->code[ASM_UNIT_MUL] == QPU_MUL_FMUL && !dest->pack.domain &&
	    dest->pack.part >= ASM_PART_8ABCD &&
	    dest->write_files == ASM_FILE_A && dest->addr < QPU_FILE_REGS)
		asm_warning(as, ASM_W_PACK, stmt->dests[0].token,
			    "the float is packed as a number from 0 to 1; "
			    "vc4asm packs the low byte of its bits: a suffix "
			    "that ends with f or i says which is meant");
}

/* The bits above a semaphore's number are for the destination. */
static void
warn_of_semaphore(struct assembly *as, const struct asm_stmt *stmt)
{
	const struct asm_value *number = &stmt->sources[0].value;

	if (stmt->kind == ASM_STMT_SEMA && number->type == ASM_INT &&
	    number->i > 15 && number->i <= UINT32_MAX &&
	    stmt->dests[0].value.reg.addr == QPU_W_NOP && stmt->ndests == 1 &&
	    !stmt->setf)
		asm_warning(as, ASM_W_SEMAPHORE, stmt->sources[0].token,
			    "semaphores are numbered 0 to 15: this one is "
			    "taken as %d",
			    (int)(number->i & 15));
}

void
asm_dialect_adapt(struct assembly *as, struct asm_stmt *stmt)
{
	/* r5 has one value to be read, whichever way it was written. */
	for (size_t i = 0; i < stmt->nsources; i++) {
		struct asm_value *value = &stmt->sources[i].value;

		if (value->type == ASM_REG && value->reg.addr == QPU_W_R5 &&
		    value->reg.mux < 0)
			value->reg.mux = QPU_MUX_R5;
	}
	if (stmt->ndests == 2 && stmt->cond != QPU_COND_ALWAYS)
		asm_warning(as, ASM_W_CONDS, stmt->token,
			    "the condition is for both destinations; vc4asm "
			    "takes it for the first one only: write it at "
			    "each destination");
	warn_of_pack(as, stmt);
	warn_of_semaphore(as, stmt);
	share_unpack(as, stmt);
	negate_constant(as, stmt);
	warn_of_rotation(as, stmt);
}

void
asm_dialect_split_move(struct asm_stmt *stmts, size_t *nstmts)
{
	struct asm_stmt *move = &stmts[*nstmts - 1];

	if (move->kind != ASM_STMT_MOV || move->ndests < 2 ||
	    move->sources[0].value.type == ASM_SEMA)
		return;
	move->ndests = 1;
	move[1] = move[0];
	move[1].dests[0] = move->dests[1];
	move[1].setf = false;
	(*nstmts)++;
}
