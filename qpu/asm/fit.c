/* SPDX-License-Identifier: MIT */
/*
 * fit: reads and flags of an ALU instruction; result.c has the writes.
 */
#include "config.h"

#include "qpu/asm/stmt.h"

#include <stddef.h>

#include "qpu/asm/message.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

/* The registers and the constant that an instruction reads. */
struct ports {
	const struct asm_reg *reg[2]; /* in A and in B */
	bool is_small;
	uint8_t small;
	const struct asm_token *small_token;
	int unpack[2]; /* of regfile A and of r4; -1: none */
	int pm;
};

static const struct qpu_op_row *
op_row(const struct asm_slot *slot, unsigned unit)
{
	return unit == ASM_UNIT_ADD ? &qpu_add_ops[slot->code] :
				      &qpu_mul_ops[slot->code];
}

/* Only the low two bits count for what rotates within groups of four lanes. */
static bool
rotations_agree(const struct asm_input *source, unsigned rotate)
{
	const bool all_lanes = source->reg.mux >= 0 && source->reg.mux <= 3;

	if (!source->reg.rotate || source->reg.rotate == rotate)
		return true;
	return !all_lanes && rotate != ASM_ROTATE_R5 &&
	       source->reg.rotate != ASM_ROTATE_R5 &&
	       (source->reg.rotate & 3) == (rotate & 3);
}

/* The rotation of the result that the operands ask for; all lanes first. */
static uint8_t
find_rotation(const struct asm_slot *slot)
{
	uint8_t rotate = slot->stmt->rotate;

	for (size_t i = 0; i < slot->nsources; i++) {
		const struct asm_reg *reg = &slot->sources[i].reg;
		const bool all_lanes = reg->mux >= 0 && reg->mux <= 3;

		if (!slot->sources[i].is_immediate && reg->rotate &&
		    (!rotate || all_lanes))
			rotate = reg->rotate;
	}
	return rotate;
}

/* A rotation occupies the small immediate field (the guide, vector rotation). */
static bool
fit_rotation(const struct asm_slot *slot, unsigned unit, struct ports *ports,
	     struct asm_refusal *why)
{
	const uint8_t rotate = find_rotation(slot);

	for (size_t i = 0; i < slot->nsources; i++)
		if (!slot->sources[i].is_immediate &&
		    !rotations_agree(&slot->sources[i], rotate))
			return asm_refuse(
				why, ASM_E_ROTATE, slot->sources[i].token,
				"the result is rotated, so both operands must "
				"be rotated alike");
	if (!rotate)
		return true;
	if (unit != ASM_UNIT_MUL)
		return asm_refuse(why, ASM_E_ROTATE, slot->stmt->token,
				  "only the mul ALU can rotate");
	ports->is_small = true;
	ports->small = rotate == ASM_ROTATE_R5 ? QPU_SMALL_ROT_R5 :
						 QPU_SMALL_ROT + rotate;
	ports->small_token = slot->stmt->token;
	return true;
}

static bool
fit_immediate(const struct asm_input *source, struct ports *ports,
	      struct asm_refusal *why)
{
	const int small = qpu_small_find(source->word);

	if (small < 0)
		return asm_refuse(
			why, ASM_E_IMMEDIATE, source->token,
			"%.80s is not a small immediate (-16 to 15, or a power "
			"of two from 1.0/256 to 128.0): load it into a "
			"register with ldi first",
			source->text);
	if (ports->is_small && qpu_small_value(ports->small) != source->word)
		return asm_refuse(
			why, ASM_E_PORT, source->token,
			"one instruction has room for one small immediate "
			"or rotation");
	if (!ports->is_small)
		ports->small = small;
	ports->is_small = true;
	ports->small_token = source->token;
	return true;
}

/* A register that one file alone can read. */
static bool
fit_pinned(const struct asm_reg *reg, const struct asm_token *token,
	   struct ports *ports, struct asm_refusal *why)
{
	const bool file_b = reg->read_files == ASM_FILE_B;
	const struct asm_reg *other = ports->reg[file_b];
	char name[32], other_name[32];

	if (!other) {
		ports->reg[file_b] = reg;
		return true;
	}
	if (other->addr == reg->addr)
		return true;
	asm_reg_name(reg, false, name);
	asm_reg_name(other, false, other_name);
	return asm_refuse(why, ASM_E_PORT, token,
			  "regfile %c is read at %s and %s in one "
			  "instruction",
			  file_b ? 'B' : 'A', other_name, name);
}

/* A register that either file can read: A if it is free. */
static bool
fit_flexible(const struct asm_reg *reg, const struct asm_token *token,
	     struct ports *ports, struct asm_refusal *why)
{
	const struct asm_reg *a = ports->reg[0];
	const struct asm_reg *b = ports->reg[1];
	char name[32], a_name[32], b_name[32] = "a small immediate";

	if ((a && a->addr == reg->addr) || (b && b->addr == reg->addr))
		return true;
	if (!a) {
		ports->reg[0] = reg;
		return true;
	}
	if (!b && !ports->is_small) {
		ports->reg[1] = reg;
		return true;
	}
	asm_reg_name(reg, false, name);
	asm_reg_name(a, false, a_name);
	if (b)
		asm_reg_name(b, false, b_name);
	return asm_refuse(why, ASM_E_PORT, token,
			  "no port is left to read %s: regfile A is "
			  "read at %s, port B has %s",
			  name, a_name, b_name);
}

/* Run a step for every register that is read, pinned or flexible ones. */
static bool
fit_registers(const struct asm_fit *fit, bool pinned, struct ports *ports,
	      struct asm_refusal *why)
{
	const struct asm_reg *regs[6];
	const struct asm_token *tokens[6];
	size_t n = 0;

	for (unsigned unit = 0; unit < ASM_UNITS; unit++)
		for (size_t i = 0; i < fit->slots[unit].nsources; i++) {
			const struct asm_input *source =
				&fit->slots[unit].sources[i];

			if (source->is_immediate || source->reg.mux >= 0)
				continue;
			regs[n] = &source->reg;
			tokens[n++] = source->token;
		}
	for (size_t i = 0; i < fit->nreads; i++) {
		if (fit->reads[i]->sources[0].value.type != ASM_REG)
			continue;
		regs[n] = &fit->reads[i]->sources[0].value.reg;
		tokens[n++] = fit->reads[i]->sources[0].token;
	}
	for (size_t i = 0; i < n; i++) {
		char name[32];

		if (!regs[i]->read_files) {
			asm_reg_name(regs[i], true, name);
			return asm_refuse(why, ASM_E_OPERAND, tokens[i],
					  "%s cannot be read", name);
		}
		if ((regs[i]->read_files == (ASM_FILE_A | ASM_FILE_B)) ==
		    pinned)
			continue;
		if (!(pinned ? fit_pinned : fit_flexible)(regs[i], tokens[i],
							  ports, why))
			return false;
	}
	return true;
}

/* The guide: the B address and the small immediate share a field. */
static bool
check_field(const struct ports *ports, struct asm_refusal *why)
{
	char name[32];

	if (!ports->is_small || !ports->reg[1])
		return true;
	asm_reg_name(ports->reg[1], false, name);
	return asm_refuse(why, ASM_E_PORT, ports->small_token,
			  "%s takes the place of the read of %s "
			  "(rule R16)%s",
			  ports->small < QPU_SMALL_ROT ? "a small immediate" :
							 "a rotation",
			  name,
			  ports->reg[1]->addr < QPU_FILE_REGS ?
				  ": ra0 to ra31 can be read beside it" :
				  "");
}

/*
 * The unpack field for a mode, or -1 with a reason: the unpacker converts to
 * floats for r4 and for operations on floats, else to integers.
 */
static int
unpack_code(const struct asm_pack *pack, const struct asm_reg *reg,
	    bool is_float, const char **reason)
{
	const bool is_r4 = reg->mux == QPU_MUX_R4;
	/* Other packings have the numbers of their modes. */
	const int code = pack->part == ASM_PART_8ABCD ? -1 :
			 pack->part >= ASM_PART_8DR   ? QPU_UNPACK_8DREP :
							pack->part;

	*reason = NULL;
	if (code < 0)
		*reason = "not an unpack mode";
	else if (pack->domain == 'f' && !is_r4 && !is_float)
		*reason = "the operation takes integers";
	else if (pack->domain == 'i' && code != QPU_UNPACK_8DREP && is_r4)
		*reason = "r4 unpacks to floats";
	else if (pack->domain == 'i' && code != QPU_UNPACK_8DREP && is_float)
		*reason = "the operation takes floats";
	return *reason ? -1 : code;
}

/* ports->unpack must be the same for all reads of regfile A, and of r4. */
static bool
use_unpack(const struct asm_input *source, int code, struct ports *ports,
	   struct asm_refusal *why)
{
	const bool is_r4 = source->reg.mux == QPU_MUX_R4;

	if (ports->unpack[is_r4] >= 0 && ports->unpack[is_r4] != code)
		return asm_refuse(
			why, ASM_E_PACK, source->token,
			"all reads of one register are unpacked alike");
	ports->unpack[is_r4] = code;
	if (!code)
		return true;
	if (ports->pm >= 0 && ports->pm != is_r4)
		return asm_refuse(why, ASM_E_PACK, source->token,
				  "r4 and regfile A cannot both be unpacked");
	ports->pm = is_r4;
	return true;
}

/* A suffix of the operation is for the operands that can be unpacked so. */
static bool
fit_unpack(const struct asm_slot *slot, bool is_float, struct ports *ports,
	   struct asm_refusal *why)
{
	const struct asm_pack *const common = &slot->stmt->unpack;
	const char *reason = "only ra0 to ra31 and r4 unpack";
	bool taken = !common->part || !slot->nsources;

	for (size_t i = 0; i < slot->nsources; i++) {
		const struct asm_input *source = &slot->sources[i];
		const struct asm_reg *reg = &source->reg;
		int code = 0;

		/* An immediate has an empty register here: it is not r4, and
		 * has no suffix. */
		if (reg->mux != QPU_MUX_R4 &&
		    (reg->mux >= 0 || reg->addr >= QPU_FILE_REGS ||
		     reg->read_files != ASM_FILE_A)) {
			if (reg->pack.part)
				return asm_refuse(
					why, ASM_E_PACK, source->token,
					"only ra0 to ra31 and r4 unpack");
			continue;
		}
		if (reg->pack.part) {
			code = unpack_code(&reg->pack, reg, is_float, &reason);
			if (code < 0)
				return asm_refuse(why, ASM_E_PACK,
						  source->token, "%s", reason);
		} else if (common->part) {
			code = unpack_code(common, reg, is_float, &reason);
			taken |= code >= 0;
			code = code < 0 ? 0 : code;
		}
		if (!use_unpack(source, code, ports, why))
			return false;
	}
	return taken ||
	       asm_refuse(why, ASM_E_PACK, slot->stmt->token, "%s", reason);
}

static bool
fit_operands(const struct asm_slot *slot, unsigned unit, struct ports *ports,
	     struct asm_refusal *why)
{
	for (size_t i = 0; i < slot->nsources; i++)
		if (slot->sources[i].is_immediate &&
		    !fit_immediate(&slot->sources[i], ports, why))
			return false;
	return !slot->stmt ||
	       fit_unpack(slot, op_row(slot, unit)->flags & QPU_OP_FI, ports,
			  why);
}

/* "read 8" puts the small immediate on the B port. */
static bool
fit_read_immediate(const struct asm_stmt *read, struct ports *ports,
		   struct asm_refusal *why)
{
	struct asm_input source = {
		.token = read->sources[0].token,
		.text = read->sources[0].text,
	};

	if (read->sources[0].value.type == ASM_REG)
		return true;
	if (!asm_value_word(&read->sources[0].value, &source.word))
		return asm_refuse(why, ASM_E_IMMEDIATE, source.token,
				  "the value needs more than 32 bits");
	return fit_immediate(&source, ports, why);
}

static bool
fit_sources(const struct asm_fit *fit, struct ports *ports,
	    struct asm_refusal *why)
{
	for (unsigned unit = 0; unit < ASM_UNITS; unit++)
		if (fit->slots[unit].stmt &&
		    !fit_rotation(&fit->slots[unit], unit, ports, why))
			return false;
	for (unsigned unit = 0; unit < ASM_UNITS; unit++)
		if (!fit_operands(&fit->slots[unit], unit, ports, why))
			return false;
	for (size_t i = 0; i < fit->nreads; i++)
		if (!fit_read_immediate(fit->reads[i], ports, why))
			return false;
	return fit_registers(fit, true, ports, why) &&
	       check_field(ports, why) && fit_registers(fit, false, ports, why);
}

static uint8_t
mux_of(const struct asm_input *source, const struct ports *ports)
{
	if (source->is_immediate)
		return QPU_MUX_B;
	if (source->reg.mux >= 0)
		return source->reg.mux;
	if ((source->reg.read_files & ASM_FILE_A) && ports->reg[0] &&
	    ports->reg[0]->addr == source->reg.addr)
		return QPU_MUX_A;
	return QPU_MUX_B;
}

/* Both muxes of an ALU; a unary operation names its operand twice. */
static void
set_muxes(const struct asm_slot *slot, const struct ports *ports,
	  uint8_t *first, uint8_t *second)
{
	if (!slot->nsources)
		return;
	*first = mux_of(&slot->sources[0], ports);
	*second = mux_of(&slot->sources[slot->nsources - 1], ports);
}

/* The guide: the add ALU sets the flags unless its operation is nop. */
static bool
set_flags(const struct asm_fit *fit, struct qpu_inst *inst,
	  struct asm_refusal *why)
{
	const struct asm_stmt *add = fit->slots[ASM_UNIT_ADD].stmt;
	const struct asm_stmt *mul = fit->slots[ASM_UNIT_MUL].stmt;

	inst->sf = (add && add->setf) || (mul && mul->setf);
	if (mul && mul->setf && inst->op_add != QPU_ADD_NOP)
		return asm_refuse(
			why, ASM_E_FLAGS, mul->token,
			"the flags come from the add ALU, '%s' cannot set "
			"them here",
			mul->mnemonic);
	return true;
}

/* The destination of an ALU, packed into all bytes if that is asked for. */
static const struct asm_operand *
find_dest(const struct asm_slot *slot, struct asm_operand *packed)
{
	const struct asm_operand *dest = &slot->stmt->dests[0];

	if (!slot->stmt->ndests || !slot->replicates)
		return slot->stmt->ndests ? dest : NULL;
	*packed = *dest;
	packed->value.reg.pack.part = ASM_PART_8ABCD;
	packed->value.reg.pack.domain = 'i';
	return packed;
}

static bool
fit_results(const struct asm_fit *fit, struct ports *ports,
	    struct qpu_inst *inst, struct asm_refusal *why)
{
	const struct asm_operand *dests[ASM_UNITS] = { NULL, NULL };
	struct asm_operand packed[ASM_UNITS];
	bool floats[ASM_UNITS]; /* of those with a destination */

	for (unsigned unit = 0; unit < ASM_UNITS; unit++) {
		const struct asm_slot *slot = &fit->slots[unit];

		if (!slot->stmt)
			continue;
		floats[unit] = op_row(slot, unit)->flags & QPU_OP_FO;
		dests[unit] = find_dest(slot, &packed[unit]);
		if (slot->replicates &&
		    slot->stmt->dests[0].value.reg.pack.part)
			return false; /* it is packed in another way */
	}
	return asm_fit_results(dests, floats, &ports->pm, inst, why);
}

static bool
fit_signal(const struct asm_fit *fit, const struct ports *ports,
	   struct qpu_inst *inst, struct asm_refusal *why)
{
	if (!fit->signal)
		return true;
	if (ports->is_small)
		return asm_refuse(why, ASM_E_SIGNAL, fit->signal->token,
				  "%s cannot share an instruction with a %s",
				  fit->signal->mnemonic,
				  ports->small < QPU_SMALL_ROT ?
					  "small immediate" :
					  "rotation");
	inst->sig = fit->signal->sig;
	return true;
}

bool
asm_fit(const struct asm_fit *fit, struct qpu_inst *inst,
	struct asm_refusal *why)
{
	const struct asm_slot *add = &fit->slots[ASM_UNIT_ADD];
	const struct asm_slot *mul = &fit->slots[ASM_UNIT_MUL];
	struct ports ports = { .unpack = { -1, -1 }, .pm = -1 };

	if (!fit_sources(fit, &ports, why))
		return false;
	qpu_inst_nop(inst, ports.is_small ? QPU_KIND_SMALL : QPU_KIND_ALU);
	inst->op_add = add->code;
	inst->op_mul = mul->code;
	set_muxes(add, &ports, &inst->add_a, &inst->add_b);
	set_muxes(mul, &ports, &inst->mul_a, &inst->mul_b);
	if (ports.reg[0])
		inst->raddr_a = ports.reg[0]->addr;
	if (ports.is_small)
		inst->small = ports.small;
	else if (ports.reg[1])
		inst->raddr_b = ports.reg[1]->addr;
	if (ports.pm >= 0)
		inst->unpack = ports.unpack[ports.pm];
	return fit_signal(fit, &ports, inst, why) &&
	       set_flags(fit, inst, why) && fit_results(fit, &ports, inst, why);
}
