/* SPDX-License-Identifier: MIT */
/*
 * slot: what fits into one instruction, and its word.
 */
#include "config.h"

#include "qpu/opt/slot.h"

#include <assert.h>

#include "qpu/isa/pack.h"

void
slot_clear(struct slot *slot, bool ends)
{
	*slot = (struct slot){
		.a = -1,
		.b = -1,
		.small = -1,
		.ws = -1,
		.unpack_a = -1,
		.unpack_r4 = -1,
		.pack_a = -1,
		.pack_mul = -1,
		.sig = QPU_SIG_NONE,
		.ends = ends,
	};
}

/* Take a value for a field; any value fits a field that is free. */
static bool
agree(int8_t *field, int value)
{
	if (value < 0 || *field == value)
		return true;
	if (*field >= 0)
		return false;
	*field = value;
	return true;
}

/* R9, R13: units that one instruction cannot use both. */
static bool
units_fit(unsigned a, unsigned b)
{
	const unsigned one = UNIT_TMU | UNIT_SFU | UNIT_SYNC | UNIT_GRAPHICS;

	if (a & one && b & one)
		return false;
	return !(a & UNIT_LDTMU && b & (one | UNIT_VPM | UNIT_LDTMU)) &&
	       !(b & UNIT_LDTMU && a & (one | UNIT_VPM));
}

static bool
take_small(struct slot *slot, int small)
{
	if (slot->b >= 0 ||
	    (slot->sig != QPU_SIG_NONE && slot->sig != QPU_SIG_SMALL))
		return false;
	slot->sig = QPU_SIG_SMALL;
	return agree(&slot->small, small);
}

static bool
take_b(struct slot *slot, int addr)
{
	return slot->sig != QPU_SIG_SMALL && agree(&slot->b, addr);
}

/* Choose the port of an operand; a peripheral may come through either. */
static bool
take_from(struct slot *slot, const struct op *op, struct from *from,
	  bool prefer_b)
{
	switch (from->kind) {
	case FROM_A: return agree(&slot->a, from->value);
	case FROM_B: return take_b(slot, from->value);
	case FROM_SMALL: return take_small(slot, from->value);
	case FROM_EITHER:
		for (unsigned i = 0; i < 2; i++) {
			const bool b = prefer_b != (i == 1);

			if (b ? op->unpack_a <= 0 && slot->b < 0 &&
					    take_b(slot, from->value) :
				slot->a < 0 && agree(&slot->a, from->value)) {
				from->kind = b ? FROM_B : FROM_A;
				return true;
			}
		}
		return false;
	default: return true;
	}
}

/* Take the operands; both may be the one value of a peripheral. */
static bool
take_operands(struct slot *slot, const struct op *op, struct from from[2],
	      bool prefer_b)
{
	for (unsigned i = 0; i < op->nfrom; i++) {
		from[i] = op->from[i];
		if (i && op_is_twice(op))
			break;
		if (!take_from(slot, op, &from[i], prefer_b))
			return false;
	}
	if (op->nfrom == 1 || op_is_twice(op))
		from[1] = from[0];
	return true;
}

static bool
reads(const struct from from[2], enum from_kind kind)
{
	return from[0].kind == kind || from[1].kind == kind;
}

/* Return whether the immediate is an operand only, or a rotation only. */
static bool
rotation_fits(const struct slot *slot)
{
	if (slot->small < QPU_SMALL_ROT)
		return true;
	return slot->mul && slot->mul->rotate == slot->small &&
	       !reads(slot->add_from, FROM_SMALL) &&
	       !reads(slot->mul_from, FROM_SMALL);
}

/* Take modes: one bit selects file A, or r4 and the mul result. */
static bool
take_modes(struct slot *slot, const struct op *op, const struct from from[2])
{
	if (reads(from, FROM_A) &&
	    !agree(&slot->unpack_a, op->unpack_a > 0 ? op->unpack_a : 0))
		return false;
	if (!agree(&slot->unpack_r4, op->unpack_r4) ||
	    !agree(&slot->pack_a, op->pack_a) ||
	    !agree(&slot->pack_mul, op->pack_mul))
		return false;
	return !((slot->unpack_r4 > 0 || slot->pack_mul > 0) &&
		 (slot->unpack_a > 0 || slot->pack_a > 0));
}

static bool
put_half(struct slot *slot, const struct op *op, bool mul, bool prefer_b)
{
	struct from *const from = mul ? slot->mul_from : slot->add_from;

	if (mul ? slot->mul != NULL : slot->add != NULL)
		return false;
	if (op->rotate >= 0 && !take_small(slot, op->rotate))
		return false;
	if (!take_operands(slot, op, from, prefer_b) ||
	    !take_modes(slot, op, from))
		return false;
	if (op->file != IN_ANY &&
	    !agree(&slot->ws, mul ? op->file == IN_A : op->file == IN_B))
		return false;
	if (mul)
		slot->mul = op;
	else
		slot->add = op;
	slot->sets_flags |= op->sets_flags;
	return rotation_fits(slot);
}

/* R7: what thrend, and the two instructions after it, must not touch. */
static bool
fits_end(const struct slot *slot, const struct op *op)
{
	const struct res_set forbidden = {
		{ UINT64_C(1) << (RES_A + 14) | UINT64_C(1) << (RES_B + 14), 0 }
	};

	if (slot->ends &&
	    (res_has(&op->reads, RES_END) || res_meet(&op->reads, &forbidden) ||
	     res_meet(&op->writes, &forbidden)))
		return false;
	if (slot->sig == QPU_SIG_THREND)
		return !op->writes.bits[0];
	for (unsigned i = 0; op->is_end && i < slot->nops; i++)
		if (slot->ops[i]->writes.bits[0])
			return false;
	return true;
}

static bool
try_put(struct slot *slot, const struct op *op, bool other, bool prefer_b)
{
	switch (op->kind) {
	case OP_WHOLE:
		if (slot->nops)
			return false;
		slot->whole = op;
		slot->sig = op->inst.sig;
		break;
	case OP_SIGNAL:
		if (slot->sig != QPU_SIG_NONE)
			return false;
		slot->sig = op->sig;
		break;
	default:
		if (!put_half(slot, op, (op->kind == OP_MUL) != other,
			      prefer_b))
			return false;
	}
	slot->units |= op->units;
	assert(slot->nops < OPS_EACH);
	slot->ops[slot->nops++] = op;
	return true;
}

bool
slot_put(struct slot *slot, const struct op *op)
{
	/* Most have no room; the rest are tried on a copy, in all ways. */
	if (slot->whole || !fits_end(slot, op) ||
	    !units_fit(slot->units, op->units) ||
	    (op_is_half(op) && !op->twin &&
	     (op->kind == OP_ADD ? slot->add : slot->mul)))
		return false;
	for (unsigned way = 0; way < 4; way++) {
		struct slot tried = *slot;

		if (way & 1 && !op->twin)
			continue;
		if (try_put(&tried, op, way & 1, way & 2)) {
			*slot = tried;
			return true;
		}
	}
	return false;
}

/* --- The word ---------------------------------------------------------------- */

static unsigned
mux_of(const struct from *from)
{
	return from->kind == FROM_ACC ? from->value :
	       from->kind == FROM_A   ? QPU_MUX_A :
					QPU_MUX_B;
}

static void
encode_halves(const struct slot *slot, struct qpu_inst *inst)
{
	const struct op *add = slot->add, *mul = slot->mul;

	if (add) {
		inst->op_add = add->kind == OP_ADD ? add->code : add->twin;
		inst->add_a = mux_of(&slot->add_from[0]);
		inst->add_b = mux_of(&slot->add_from[1]);
		inst->waddr_add = add->waddr;
		inst->cond_add = add->cond;
	}
	if (mul) {
		inst->op_mul = mul->kind == OP_MUL ? mul->code : mul->twin;
		inst->mul_a = mux_of(&slot->mul_from[0]);
		inst->mul_b = mux_of(&slot->mul_from[1]);
		inst->waddr_mul = mul->waddr;
		inst->cond_mul = mul->cond;
	}
}

uint64_t
slot_encode(const struct slot *slot)
{
	struct qpu_inst inst;

	assert(!slot->whole || slot->nops == 1);
	if (slot->whole)
		return qpu_pack(&slot->whole->inst);
	qpu_inst_nop(&inst, slot->sig == QPU_SIG_SMALL ? QPU_KIND_SMALL :
							 QPU_KIND_ALU);
	inst.sig = slot->sig;
	inst.pm = slot->unpack_r4 > 0 || slot->pack_mul > 0;
	if (inst.pm) {
		inst.unpack = slot->unpack_r4 > 0 ? slot->unpack_r4 : 0;
		inst.pack = slot->pack_mul > 0 ? slot->pack_mul : 0;
	} else {
		inst.unpack = slot->unpack_a > 0 ? slot->unpack_a : 0;
		inst.pack = slot->pack_a > 0 ? slot->pack_a : 0;
	}
	inst.sf = slot->sets_flags;
	inst.ws = slot->ws > 0;
	if (slot->a >= 0)
		inst.raddr_a = slot->a;
	if (slot->sig == QPU_SIG_SMALL)
		inst.small = slot->small;
	else if (slot->b >= 0)
		inst.raddr_b = slot->b;
	encode_halves(slot, &inst);
	return qpu_pack(&inst);
}
