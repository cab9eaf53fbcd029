/* SPDX-License-Identifier: MIT */
/*
 * core_run: one instruction after the other (the guide, core pipeline).
 *
 * Included as alu.h is, once for each instruction set of the host.
 * The ordinary instruction (EMU_KIND_PLAIN) takes four loads, two operations
 * and two stores; whatever else an instruction wants, its `before` and
 * `after` bits say.
 */
#ifndef QPU_EMULATOR_CORE_RUN_H
#define QPU_EMULATOR_CORE_RUN_H

#include "qpu/emulator/alu.h"

/* Copy the lanes of `from` in the mask to `to`. */
EMU_INLINE void
merge(const emu_vec *mask, const emu_vec *from, emu_vec *to)
{
	const emu_vec *const pa = from, *const pb = mask;
	const vec *const old = (const vec *)to;

	EMU_EACH(to, EMU_SELECT(b, a, old[k_]));
}

EMU_INLINE void
condition(const struct emu_qpu *qpu, unsigned cond, emu_vec *mask)
{
	const emu_vec *const pa = &qpu->value, *const pb = &qpu->carry;

	switch (cond) {
	case QPU_COND_NEVER: EMU_EACH(mask, a ^ a); break;
	case QPU_COND_ZS: EMU_EACH(mask, a == 0); break;
	case QPU_COND_ZC: EMU_EACH(mask, a != 0); break;
	case QPU_COND_NS: EMU_EACH(mask, (vec_s)a < 0); break;
	case QPU_COND_NC: EMU_EACH(mask, (vec_s)a >= 0); break;
	case QPU_COND_CS: EMU_EACH(mask, b); break;
	case QPU_COND_CC: EMU_EACH(mask, ~b); break;
	default: EMU_EACH(mask, ~(a ^ a)); break;
	}
}

/* The guide, branches: four groups (Z, N, C, always) of all, none, any, not all. */
EMU_INLINE bool
branch_taken(const struct emu_qpu *qpu, unsigned cond)
{
	/* The lanes' condition that none, or any, must meet. */
	static const uint8_t conds[12] = {
		QPU_COND_ZC, QPU_COND_ZS, QPU_COND_ZS, QPU_COND_ZC,
		QPU_COND_NC, QPU_COND_NS, QPU_COND_NS, QPU_COND_NC,
		QPU_COND_CC, QPU_COND_CS, QPU_COND_CS, QPU_COND_CC,
	};
	/* condition() always sets it, but gcc 12 for ARM does not see that. */
	emu_vec lanes = { 0 };

	if (cond == QPU_BR_ALWAYS)
		return true;
	condition(qpu, conds[cond], &lanes);
	return any(&lanes) == ((cond & 2) != 0);
}

/* The target takes effect after the delay slots. */
EMU_INLINE enum emu_stop
branch(struct emu_qpu *qpu, const struct emu_op *op)
{
	const uint32_t link = (emu_page_address(qpu->page, op) | qpu->alias) +
			      4u * QPU_INST_BYTES;
	/* Lane 15 of the register, not lane 0. */
	const uint32_t base = op->reg ? qpu->file[op->add.a][15] : 0;

	if (!branch_taken(qpu, op->cond_br))
		return EMU_STOP_BUDGET;
	qpu->new_target = op->imm + base + (op->rel ? qpu->alias : 0);
	qpu->branch_opened = true;
	qpu->file[op->add.to] = (emu_vec){ 0 } + link;
	qpu->file[op->mul.to] = (emu_vec){ 0 } + link;
	if (op->branch_flags) {
		qpu->value = (emu_vec){ 0 } + link;
		qpu->carry = (emu_vec){ 0 };
	}
	if (emu_port_after(qpu, op) == EMU_STOP_FAULT)
		return EMU_STOP_FAULT;
	return EMU_STOP_OPENED;
}

EMU_INLINE void
unpack(unsigned mode, const emu_vec *from, emu_vec *to)
{
	const emu_vec *const pa = from, *const pb = from;

	switch (mode) {
	case QPU_UNPACK_16A: EMU_EACH(to, (vec_s)(a << 16) >> 16); break;
	case QPU_UNPACK_16B: EMU_EACH(to, (vec_s)a >> 16); break;
	case QPU_UNPACK_8A:
	case QPU_UNPACK_8B:
	case QPU_UNPACK_8C:
	case QPU_UNPACK_8D: EMU_EACH(to, a >> 8 * (mode & 3) & 0xff); break;
	default: emu_unpack_slow(mode, from, to); break;
	}
}

EMU_INLINE enum emu_stop
before(struct emu_qpu *qpu, const struct emu_op *op)
{
	emu_vec *const file = qpu->file;

	if (op->before & EMU_BEFORE_PORT) {
		const enum emu_stop stop = emu_port_before(qpu, op);

		if (stop != EMU_STOP_BUDGET)
			return stop;
	}
	if (op->before & EMU_BEFORE_UNPACK) {
		const emu_vec *from = &file[op->unpack_from];

		if (op->unpack_int)
			unpack(op->unpack_int, from,
			       &file[EMU_SLOT_UNPACK_INT]);
		if (op->unpack_float)
			emu_unpack_slow(op->unpack_float, from,
					&file[EMU_SLOT_UNPACK_FLOAT]);
	}
	if (op->before & EMU_BEFORE_LOAD) {
		emu_vec *value = &file[EMU_SLOT_LOAD];

		*value = (emu_vec){ 0 } + op->imm;
		if (op->load != QPU_LOAD_32)
			for (unsigned i = 0; i < EMU_LANES; i++)
				(*value)[i] =
					qpu_load_lane(op->load, op->imm, i);
	}
	if (op->before & EMU_BEFORE_MIXED) {
		file[EMU_SLOT_MIXED] = file[op->mixed_from];
		emu_rotate(&file[EMU_SLOT_MIXED], emu_rotation(qpu, op) & 12,
			   false);
	}
	return EMU_STOP_BUDGET;
}

/* Flags change only in lanes where the ALU's condition held. */
EMU_INLINE void
set_flags(struct emu_qpu *qpu, const struct emu_op *op, const emu_vec *operands,
	  const emu_vec *value, const emu_vec *mask)
{
	emu_vec carry;

	if (op->add.flags) {
		add_carry(op->add.op, &operands[0], &operands[1], value,
			  &carry);
	} else {
		mul_carry(op->mul.op, &operands[2], &operands[3], &carry);
		/* It goes with the lane that it is of. */
		if (op->after & EMU_AFTER_ROTATE)
			emu_rotate(&carry, emu_rotation(qpu, op),
				   op->rotate_quads);
	}
	if (op->after & EMU_AFTER_COND) {
		merge(mask, value, &qpu->value);
		merge(mask, &carry, &qpu->carry);
	} else {
		qpu->value = *value;
		qpu->carry = carry;
	}
}

EMU_INLINE enum emu_stop
alu(struct emu_qpu *qpu, const struct emu_op *op)
{
	emu_vec *const file = qpu->file;
	const unsigned after = op->after;
	emu_vec operands[4], x, y, flagged;

	if (op->before) {
		const enum emu_stop stop = before(qpu, op);

		if (stop != EMU_STOP_BUDGET)
			return stop;
	}
	operands[0] = file[op->add.a];
	operands[1] = file[op->add.b];
	operands[2] = file[op->mul.a];
	operands[3] = file[op->mul.b];
	add_alu(op->add.op, &operands[0], &operands[1], &x);
	mul_alu(op->mul.op, &operands[2], &operands[3], &y);
	if (after & EMU_AFTER_ROTATE)
		emu_rotate(&y, emu_rotation(qpu, op), op->rotate_quads);
	/* Flags are of the result before packing, UNSURE(U1). */
	flagged = op->mul.flags ? y : x;
	if (after & EMU_AFTER_PACK)
		emu_pack_result(qpu, op, op->mul.packs ? &y : &x);
	if (after & EMU_AFTER_COND) {
		condition(qpu, op->add.cond, &file[EMU_SLOT_MASK_ADD]);
		condition(qpu, op->mul.cond, &file[EMU_SLOT_MASK_MUL]);
		/* A port gets all lanes, and decides. */
		if (op->add.port != QPU_W_NOP)
			file[op->add.to] = x;
		else
			merge(&file[EMU_SLOT_MASK_ADD], &x, &file[op->add.to]);
		if (op->mul.port != QPU_W_NOP)
			file[op->mul.to] = y;
		else
			merge(&file[EMU_SLOT_MASK_MUL], &y, &file[op->mul.to]);
	} else {
		file[op->add.to] = x;
		file[op->mul.to] = y;
	}
	if (after & EMU_AFTER_FLAGS)
		set_flags(qpu, op, operands, &flagged,
			  op->mul.flags ? &file[EMU_SLOT_MASK_MUL] :
					  &file[EMU_SLOT_MASK_ADD]);
	return after & EMU_AFTER_PORT ? emu_port_after(qpu, op) :
					EMU_STOP_BUDGET;
}

EMU_INLINE void
plain(struct emu_qpu *qpu, const struct emu_op *op)
{
	emu_vec *const file = qpu->file;
	emu_vec x, y;

	add_alu(op->add.op, &file[op->add.a], &file[op->add.b], &x);
	mul_alu(op->mul.op, &file[op->mul.a], &file[op->mul.b], &y);
	file[op->add.to] = x;
	file[op->mul.to] = y;
}

/* Not an instruction: make one of it, or fault. */
static bool
fetch(struct emu_qpu *qpu, const struct emu_op *op)
{
	if (op->kind == EMU_KIND_DECODE) {
		emu_code_decode(qpu->page, &qpu->machine->memory, op);
		return true;
	}
	if (op->kind == EMU_KIND_NEXT_PAGE)
		return emu_qpu_jump(qpu, emu_qpu_pc(qpu));
	emu_qpu_refuse(qpu, op);
	return false;
}

static uint32_t
run(struct emu_qpu *qpu, uint32_t n)
{
	enum emu_stop stop = EMU_STOP_BUDGET;
	uint32_t left = n;

	while (left) {
		const struct emu_op *op = qpu->op;

		switch (op->kind) {
		case EMU_KIND_PLAIN: plain(qpu, op); break;
		case EMU_KIND_ALU: stop = alu(qpu, op); break;
		case EMU_KIND_BRANCH: stop = branch(qpu, op); break;
		default:
			if (fetch(qpu, op))
				continue;
			stop = EMU_STOP_FAULT;
			break;
		}
		if (stop == EMU_STOP_STALL || stop == EMU_STOP_FAULT)
			break;
		qpu->op = op + 1;
		left--;
		if (stop == EMU_STOP_OPENED)
			break;
	}
	qpu->stop = stop;
	qpu->cost.executions += n - left;
	return n - left;
}

#endif
