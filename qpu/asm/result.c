/* SPDX-License-Identifier: MIT */
/*
 * result: files, pack modes and conditions for the two results; targets of
 * branches, numbers of semaphores.
 */
#include "config.h"

#include "qpu/asm/stmt.h"

#include "qpu/asm/message.h"
#include "qpu/asm/word_output.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

/* Set pm to what a mode needs.  Return false if another mode needs the opposite. */
static bool
demand_pm(int *pm, int wanted, const struct asm_token *token,
	  struct asm_refusal *why)
{
	if (*pm >= 0 && *pm != wanted)
		return asm_refuse(
			why, ASM_E_PACK, token,
			"pack and unpack modes of regfile A cannot be "
			"mixed with those of r4 and the mul result");
	*pm = wanted;
	return true;
}

/* Choose the pack field for the result of one ALU (the guide, pack and unpack). */
static bool
choose_pack(const struct asm_operand *dest, unsigned unit, bool is_float,
	    int *pm, struct qpu_inst *inst, struct asm_refusal *why)
{
	const struct asm_reg *reg = &dest->value.reg;
	const struct asm_pack *pack = &reg->pack;
	const unsigned part = pack->part == ASM_PART_8DDUPE ? ASM_PART_8ABCD :
							      pack->part;
	const bool is_ra = reg->addr < QPU_FILE_REGS &&
			   reg->write_files == ASM_FILE_A;
	const bool bytes = part >= ASM_PART_8ABCD;
	const bool of_mul = bytes && (pack->domain == 'f' ||
				      (!pack->domain && unit == ASM_UNIT_MUL &&
				       (is_float || !is_ra)));

	if (part == ASM_PART_32 && !pack->saturate)
		return true;
	if (part == ASM_PART_8DR)
		return asm_refuse(why, ASM_E_PACK, dest->token,
				  "8dr unpacks, it cannot pack");
	if (of_mul) {
		if (unit != ASM_UNIT_MUL)
			return asm_refuse(
				why, ASM_E_PACK, dest->token,
				"only the mul ALU packs floats to bytes");
		/* These modes always saturate. */
		inst->pack = part;
		if (pack->bit)
			inst->pack += QPU_PACK_8AS - QPU_PACK_8A;
		return demand_pm(pm, 1, dest->token, why);
	}
	if (!is_ra)
		return asm_refuse(why, ASM_E_PACK, dest->token,
				  "only ra0 to ra31 can be packed into");
	if ((pack->domain == 'f' && !is_float) ||
	    (pack->domain == 'i' && is_float && !bytes))
		return asm_refuse(why, ASM_E_PACK, dest->token,
				  "the operation yields %s",
				  is_float ? "a float" : "an integer");
	inst->pack = part;
	if (pack->saturate)
		inst->pack += QPU_PACK_8AS - QPU_PACK_8A;
	return demand_pm(pm, 0, dest->token, why);
}

static uint8_t
files_of(const struct asm_operand *dest)
{
	return dest ? dest->value.reg.write_files : ASM_FILE_A | ASM_FILE_B;
}

/* Choose ws: the two results go to different files (the guide, register files). */
static bool
choose_files(const struct asm_operand *const dests[ASM_UNITS],
	     struct qpu_inst *inst, struct asm_refusal *why)
{
	const uint8_t add = files_of(dests[ASM_UNIT_ADD]);
	const uint8_t mul = files_of(dests[ASM_UNIT_MUL]);
	char add_name[ASM_REG_NAME], mul_name[ASM_REG_NAME];

	if ((add & ASM_FILE_A) && (mul & ASM_FILE_B)) {
		inst->ws = false;
		return true;
	}
	if ((add & ASM_FILE_B) && (mul & ASM_FILE_A)) {
		inst->ws = true;
		return true;
	}
	asm_reg_name(&dests[ASM_UNIT_ADD]->value.reg, true, add_name);
	asm_reg_name(&dests[ASM_UNIT_MUL]->value.reg, true, mul_name);
	return asm_refuse(why, ASM_E_WRITE, dests[ASM_UNIT_MUL]->token,
			  "regfile %c is written at %s and %s in one "
			  "instruction",
			  add & ASM_FILE_A ? 'A' : 'B', add_name, mul_name);
}

bool
asm_fit_results(const struct asm_operand *const dests[ASM_UNITS],
		const bool floats[ASM_UNITS], int *pm, struct qpu_inst *inst,
		struct asm_refusal *why)
{
	for (unsigned unit = 0; unit < ASM_UNITS; unit++) {
		const struct asm_operand *dest = dests[unit];
		char name[ASM_REG_NAME];

		if (dest && !dest->value.reg.write_files) {
			asm_reg_name(&dest->value.reg, false, name);
			return asm_refuse(why, ASM_E_OPERAND, dest->token,
					  "%s cannot be written", name);
		}
		if (dest &&
		    !choose_pack(dest, unit, floats[unit], pm, inst, why))
			return false;
	}
	if (!choose_files(dests, inst, why))
		return false;
	if (dests[ASM_UNIT_ADD]) {
		inst->waddr_add = dests[ASM_UNIT_ADD]->value.reg.addr;
		inst->cond_add = dests[ASM_UNIT_ADD]->cond;
	}
	if (dests[ASM_UNIT_MUL]) {
		inst->waddr_mul = dests[ASM_UNIT_MUL]->value.reg.addr;
		inst->cond_mul = dests[ASM_UNIT_MUL]->cond;
	}
	inst->pm = *pm == 1;
	return true;
}

/* Branches and semaphores ---------------------------------------------------- */

static bool
fit_dests(const struct asm_stmt *stmt, struct qpu_inst *inst,
	  struct asm_refusal *why)
{
	const struct asm_operand *dests[ASM_UNITS] = {
		&stmt->dests[0],
		stmt->ndests == 2 ? &stmt->dests[1] : NULL,
	};
	const bool floats[ASM_UNITS] = { false, false };
	int pm = -1;

	return asm_fit_results(dests, floats, &pm, inst, why);
}

static bool
is_nop(const struct asm_value *value)
{
	return value->type == ASM_REG && value->reg.mux < 0 &&
	       value->reg.addr == QPU_R_NOP;
}

/* Add a target to a branch, which adds at most one register of file A and one
 * constant (the guide, branches). */
static bool
add_target(const struct asm_stmt *stmt, const struct asm_operand *operand,
	   struct qpu_inst *inst, struct asm_word *word, bool *has_constant,
	   struct asm_refusal *why)
{
	const struct asm_value *value = &operand->value;

	if (is_nop(value))
		return true;
	if (value->type == ASM_REG) {
		if (value->reg.mux >= 0 || value->reg.addr >= QPU_FILE_REGS ||
		    value->reg.read_files != ASM_FILE_A || inst->reg ||
		    value->reg.pack.part || value->reg.rotate)
			return asm_refuse(
				why, ASM_E_BRANCH, operand->token,
				inst->reg ?
					"a branch reads one register" :
					"a branch reads its target from ra0 "
					"to ra31");
		inst->reg = true;
		inst->raddr_a = value->reg.addr;
		return true;
	}
	if (*has_constant)
		return asm_refuse(why, ASM_E_BRANCH, operand->token,
				  "a branch has one constant target");
	*has_constant = true;
	if (value->type == ASM_LABEL && value->i % QPU_INST_BYTES)
		return asm_refuse(
			why, ASM_E_BRANCH, operand->token,
			"the target is not at an instruction (rule R20)");
	if (value->type == ASM_LABEL && stmt->relative) {
		word->to_target = true;
		word->target = value->i;
		return true;
	}
	/* r:label is an offset, which has to be added to a register that holds the
	 * address of the code. */
	const struct asm_value *other =
		&stmt->sources[operand == stmt->sources].value;
	if (value->type == ASM_LABEL && value->relative &&
	    (stmt->nsources == 1 || other->type != ASM_REG || is_nop(other)))
		return asm_refuse(
			why, ASM_E_BRANCH, operand->token,
			"bra needs an absolute address, use brr for r:label");
	if (value->type != ASM_LABEL && value->type != ASM_INT)
		return asm_refuse(
			why, ASM_E_BRANCH, operand->token,
			"the target must be a label, a register or an "
			"integer");
	if (value->i < INT32_MIN || value->i > UINT32_MAX)
		return asm_refuse(why, ASM_E_BRANCH, operand->token,
				  "the target needs more than 32 bits");
	inst->imm = (uint32_t)value->i;
	return true;
}

bool
asm_fit_branch(const struct asm_stmt *stmt, struct qpu_inst *inst,
	       struct asm_word *word, struct asm_refusal *why)
{
	bool has_constant = false;

	qpu_inst_nop(inst, QPU_KIND_BRANCH);
	inst->cond_br = stmt->cond_br;
	inst->rel = stmt->relative;
	for (size_t i = 0; i < stmt->ndests; i++) {
		const struct asm_reg *reg = &stmt->dests[i].value.reg;

		if (reg->pack.part || stmt->rotate)
			return asm_refuse(
				why, ASM_E_BRANCH, stmt->dests[i].token,
				"a link is neither packed nor rotated");
	}
	for (size_t i = 0; i < stmt->nsources; i++)
		if (!add_target(stmt, &stmt->sources[i], inst, word,
				&has_constant, why))
			return false;
	return fit_dests(stmt, inst, why);
}

/* Fill in an instruction on a semaphore: bit 4 acquires, and the bits above it go
 * to the destination only (the guide, semaphores). */
bool
asm_fit_semaphore(const struct asm_stmt *stmt, struct qpu_inst *inst,
		  struct asm_refusal *why)
{
	const struct asm_value *number = &stmt->sources[0].value;
	bool acquire = stmt->acquire;

	qpu_inst_nop(inst, QPU_KIND_SEMA);
	if (number->type == ASM_SEMA)
		acquire = number->acquire;
	else if (number->type != ASM_INT)
		return asm_refuse(why, ASM_E_OPERAND, stmt->sources[0].token,
				  "the number of a semaphore is expected");
	if (number->i < 0 || number->i > UINT32_MAX)
		return asm_refuse(why, ASM_E_IMMEDIATE, stmt->sources[0].token,
				  "no such semaphore");
	if (stmt->rotate)
		return asm_refuse(why, ASM_E_ROTATE, stmt->token,
				  "only the mul ALU can rotate");
	inst->imm = ((uint32_t)number->i & ~UINT32_C(0x10)) |
		    (acquire ? 0x10 : 0);
	inst->sf = stmt->setf;
	if (!fit_dests(stmt, inst, why))
		return false;
	if (inst->waddr_add == QPU_W_NOP && !inst->sf)
		inst->cond_add = QPU_COND_NEVER;
	return true;
}
