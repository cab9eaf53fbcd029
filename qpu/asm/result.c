/* SPDX-License-Identifier: MIT */
/*
 * result: chooses files, pack modes and conditions for the two results.
 */
#include "config.h"

#include "qpu/asm/fit.h"

#include "qpu/asm/diagnostic.h"
#include "qpu/isa/isa.h"

/* Set pm as a mode needs it; false when another mode needs the opposite. */
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

/* Sections 5.3 and 5.4: the pack field for the result of one ALU. */
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
		/* These modes always saturate; the bit for it is set only where
		 * both letters ask for it (5.4). */
		inst->pack = part;
		if (pack->saturate && pack->domain == 'f')
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

/* Section 3.2: the results go to different files, ws says which. */
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

static bool
check_writable(const struct asm_operand *dest, struct asm_refusal *why)
{
	char name[ASM_REG_NAME];

	if (dest->value.reg.write_files)
		return true;
	asm_reg_name(&dest->value.reg, false, name);
	return asm_refuse(why, ASM_E_OPERAND, dest->token,
			  "%s cannot be written", name);
}

bool
asm_fit_results(const struct asm_operand *const dests[ASM_UNITS],
		const bool floats[ASM_UNITS], int *pm, struct qpu_inst *inst,
		struct asm_refusal *why)
{
	for (unsigned unit = 0; unit < ASM_UNITS; unit++) {
		const struct asm_operand *dest = dests[unit];

		if (dest &&
		    (!check_writable(dest, why) ||
		     !choose_pack(dest, unit, floats[unit], pm, inst, why)))
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
