/* SPDX-License-Identifier: MIT */
/*
 * op: takes instructions apart, and finds which resources the parts use.
 */
#include "config.h"

#include "qpu/opt/op.h"

#include <string.h>

#include "qpu/isa/pack.h"
#include "qpu/opt/mutant.h"

/* Ranges in initializers are GNU C. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-designator"
#endif
const struct res_row res_rows[RESOURCES] = {
#define RESOURCE(name, first, count, raw, war, waw)                            \
	[first... first + count - 1] = { raw, war, waw },
#include "qpu/opt/resource.def"
};

/* An operation of nothing. */
static const struct op blank = {
	.waddr = QPU_W_NOP,
	.file = IN_ANY,
	.sig = QPU_SIG_NONE,
	.unpack_a = -1,
	.unpack_r4 = -1,
	.pack_a = -1,
	.pack_mul = -1,
	.rotate = -1,
};

/* --- Resources ------------------------------------------------------------------- */

/* Note what talking to some ports does. */
static void
use_ports(struct op *op, uint32_t ports)
{
	/* Units and their resources are bits of the second half of a set. */
	enum {
		NO_UNIT = 0,
#define RESOURCE(name, first, count, raw, war, waw)                            \
	name = first < 64 ? 0 : 1 << (first & 63),
#include "qpu/opt/resource.def"
	};
#define UNIT_0 0
#define EFFECT(port, unit, writing, reading)                                   \
	if (ports & QPU_PORT_##port) {                                         \
		op->units |= UNIT_##unit;                                      \
		op->writes.bits[1] |= writing;                                 \
		op->reads.bits[1] |= reading;                                  \
	}
#include "qpu/opt/resource.def"
#undef UNIT_0
}

static void
use_row(struct op *op, const struct qpu_reg_row *row, bool file_b)
{
	use_ports(op, row->ports[file_b]);
	/* Parameters of a lookup are what only shaders have. */
	if (row->flags & QPU_REG_GFX ||
	    (row->flags & QPU_REG_TMU && !row->ports[file_b]))
		use_ports(op, QPU_PORT_GRAPHICS);
}

static void
use_read(struct op *op, unsigned addr, bool file_b)
{
	if (addr < QPU_FILE_REGS)
		res_add(&op->reads, (file_b ? RES_B : RES_A) + addr);
	else
		use_row(op, &qpu_reads[addr], file_b);
	if (addr == QPU_R_VARY)
		res_add(&op->writes, RES_R5);
}

static void
use_write(struct op *op, unsigned addr, bool file_b)
{
	if (addr < QPU_FILE_REGS)
		res_add(&op->writes, (file_b ? RES_B : RES_A) + addr);
	else if (addr <= QPU_W_R3)
		res_add(&op->writes, RES_ACC + addr - QPU_W_R0);
	else if (addr == QPU_W_R5)
		res_add(&op->writes, RES_R5);
	else
		use_row(op, &qpu_writes[addr], file_b);
	if (op->units & UNIT_SFU)
		res_add(&op->writes, RES_R4);
}

static void
use_signal(struct op *op, unsigned sig)
{
	const struct qpu_sig_row *row = &qpu_sigs[sig];

	use_ports(op, row->ports);
	if (row->flags & QPU_SIG_FLAG_GFX)
		use_ports(op, QPU_PORT_GRAPHICS);
	if (row->flags & QPU_SIG_FLAG_R4) {
		res_add(&op->writes, RES_R4);
		res_add(&op->reads, RES_SFU);
	}
}

static void
use_accumulator(struct op *op, unsigned mux)
{
	const unsigned resource = RES_ACC + mux;

	res_add(&op->reads, resource);
	if (mux == QPU_MUX_R4)
		res_add(&op->reads, RES_SFU);
	else if (op->rotate >= 0)
		res_add(&op->late, resource);
}

/* Begin to find resources: those that do not depend on operands. */
static void
use_all(struct op *op)
{
	op->reads = op->writes = op->late = (struct res_set){ { 0, 0 } };
	op->units = 0;
	res_add(&op->reads, RES_MUTEX);
	if (op->rotate == QPU_SMALL_ROT_R5) {
		res_add(&op->reads, RES_R5);
		res_add(&op->late, RES_R5);
	}
}

void
op_find_resources(struct op *op)
{
	use_all(op);
	for (unsigned i = 0; i < op->nfrom; i++) {
		const struct from *from = &op->from[i];

		if (from->kind == FROM_ACC)
			use_accumulator(op, from->value);
		else if (from->kind != FROM_SMALL)
			use_read(op, from->value, from->kind == FROM_B);
	}
	use_signal(op, op->sig);
	if (op->cond > QPU_COND_ALWAYS && !MUTANT(forgets_flags))
		res_add(&op->reads, RES_FLAGS);
	if (op->sets_flags)
		res_add(&op->writes, RES_FLAGS);
	if (op->waddr != QPU_W_NOP)
		use_write(op, op->waddr, op->file == IN_B);
}

int
op_register(const struct from *from)
{
	if (from->kind == FROM_ACC)
		return from->value < QPU_MUX_R4 ? RES_ACC + from->value : -1;
	if ((from->kind != FROM_A && from->kind != FROM_B) ||
	    from->value >= QPU_FILE_REGS)
		return -1;
	return (from->kind == FROM_B ? RES_B : RES_A) + from->value;
}

/* --- An instruction as it is ------------------------------------------------------- */

static void
use_result(struct op *op, const struct qpu_result *write)
{
	const struct qpu_inst *inst = &op->inst;
	const bool is_alu = inst->kind == QPU_KIND_ALU ||
			    inst->kind == QPU_KIND_SMALL;

	use_write(op, write->addr, write->file_b);
	if (write->cond > QPU_COND_ALWAYS)
		res_add(&op->reads, RES_FLAGS);
	/* A nop may write its register, or leave it. */
	if (write->cond != QPU_COND_ALWAYS || op->is_branch || inst->pack ||
	    (is_alu && !(write->of_mul ? inst->op_mul : inst->op_add)))
		op->partial = true;
}

static void
make_whole(const struct qpu_inst *inst, unsigned source, struct op *op)
{
	struct qpu_use use;

	qpu_use(inst, &use);
	*op = blank;
	op->kind = OP_WHOLE;
	op->sig = inst->sig;
	op->inst = *inst;
	op->source = source;
	op->is_branch = inst->kind == QPU_KIND_BRANCH;
	op->rotate = use.rotates ? inst->small : -1;
	use_all(op);
	for (unsigned i = 0; i < use.nwrites; i++)
		use_result(op, &use.writes[i]);
	for (unsigned mux = 0; mux < QPU_MUX_A; mux++)
		if (qpu_use_reads_mux(&use, mux))
			use_accumulator(op, mux);
	if (use.port_a >= 0)
		use_read(op, use.port_a, false);
	if (use.port_b >= 0)
		use_read(op, use.port_b, true);
	use_signal(op, inst->sig);
	if (inst->kind == QPU_KIND_SEMA)
		use_ports(op, QPU_PORT_SEMA_UP);
	if (op->is_branch ? inst->cond_br != QPU_BR_ALWAYS :
			    /* Results that go nowhere count for the flags. */
			    inst->sf && (inst->cond_add > QPU_COND_ALWAYS ||
				 inst->cond_mul > QPU_COND_ALWAYS))
		res_add(&op->reads, RES_FLAGS);
	if (qpu_inst_sets_flags(inst)) {
		res_add(&op->writes, RES_FLAGS);
		if (op->is_branch || inst->cond_add != QPU_COND_ALWAYS ||
		    inst->cond_mul != QPU_COND_ALWAYS)
			op->partial = true;
	}
}

/* --- Halves ---------------------------------------------------------------------- */

/* Return whether reading an address does something even if the value is not used. */
static bool
has_effect(unsigned addr)
{
	return addr >= QPU_FILE_REGS && (qpu_reads[addr].ports[0] ||
					 qpu_reads[addr].flags & QPU_REG_GFX);
}

/* Return whether a register of a row is the same in both files. */
static bool
is_shared(const struct qpu_reg_row *row)
{
	return row->name[0] && row->name[1] &&
	       strcmp(row->name[0], row->name[1]) == 0;
}

static struct from
from_port(unsigned addr, bool file_b)
{
	const bool either = has_effect(addr) && is_shared(&qpu_reads[addr]);

	return (struct from){ either ? FROM_EITHER :
			      file_b ? FROM_B :
				       FROM_A,
			      addr };
}

static struct from
from_mux(const struct qpu_inst *inst, unsigned mux)
{
	if (mux < QPU_MUX_A)
		return (struct from){ FROM_ACC, mux };
	if (mux == QPU_MUX_B && inst->kind == QPU_KIND_SMALL)
		return (struct from){ FROM_SMALL, inst->small };
	return from_port(mux == QPU_MUX_A ? inst->raddr_a : inst->raddr_b,
			 mux == QPU_MUX_B);
}

/* Return the file that a result must go to. */
static enum file
file_needed(unsigned waddr, bool file_b)
{
	return waddr >= QPU_FILE_REGS && is_shared(&qpu_writes[waddr]) ?
		       IN_ANY :
	       file_b ? IN_B :
			IN_A;
}

/* Find whether both ALUs have an operation: moves, and sums of bytes. */
static void
find_twin(struct op *op)
{
	static const struct {
		uint8_t add, mul;
		bool moves; /* something, if both operands are the same */
	} twins[] = {
		{ QPU_ADD_OR, QPU_MUL_V8MIN, true },
		{ QPU_ADD_AND, QPU_MUL_V8MAX, true },
		{ QPU_ADD_V8ADDS, QPU_MUL_V8ADDS, false },
		{ QPU_ADD_V8SUBS, QPU_MUL_V8SUBS, false },
	};

	op->twin = 0;
	if (op->sets_flags || op->rotate >= 0 || op->pack_mul > 0 ||
	    op->pack_a >= QPU_PACK_32S)
		return;
	for (unsigned i = 0; i < sizeof(twins) / sizeof(*twins); i++) {
		const bool mul = op->kind == OP_MUL;

		if (op->code == (mul ? twins[i].mul : twins[i].add) &&
		    (twins[i].moves ? op_is_twice(op) : op->pack_a <= 0))
			op->twin = mul ? twins[i].add : twins[i].mul;
	}
}

static void
make_half(const struct qpu_inst *inst, unsigned source, bool mul, struct op *op)
{
	const unsigned muxes[] = { mul ? inst->mul_a : inst->add_a,
				   mul ? inst->mul_b : inst->add_b };
	const bool file_b = mul ? !inst->ws : inst->ws;

	*op = blank;
	op->kind = mul ? OP_MUL : OP_ADD;
	op->source = source;
	op->code = mul ? inst->op_mul : inst->op_add;
	op->cond = mul ? inst->cond_mul : inst->cond_add;
	if (op->cond != QPU_COND_NEVER)
		op->waddr = mul ? inst->waddr_mul : inst->waddr_add;
	op->nfrom = mul ? 2 : qpu_add_ops[op->code].operands;
	op->sets_flags = inst->sf && !mul;
	op->file = file_needed(op->waddr, file_b);
	if (mul && inst->kind == QPU_KIND_SMALL && inst->small >= QPU_SMALL_ROT)
		op->rotate = inst->small;
	for (unsigned i = 0; i < op->nfrom; i++) {
		op->from[i] = from_mux(inst, muxes[i]);
		if (muxes[i] == QPU_MUX_A)
			op->unpack_a = inst->pm || MUTANT(forgets_unpack) ?
					       0 :
					       inst->unpack;
		if (muxes[i] == QPU_MUX_R4)
			op->unpack_r4 = inst->pm ? inst->unpack : 0;
	}
	if (inst->pack && inst->pm && mul)
		op->pack_mul = inst->pack;
	if (inst->pack && !inst->pm && op->waddr < QPU_FILE_REGS && !file_b)
		op->pack_a = inst->pack;
	op->partial = op->cond != QPU_COND_ALWAYS || op->pack_a > 0 ||
		      op->pack_mul > 0;
	find_twin(op);
	op_find_resources(op);
}

void
op_drop_flags(struct op *op)
{
	op->sets_flags = false;
	find_twin(op);
	op_find_resources(op);
}

/* A load of a small constant becomes a move for each result. */
static unsigned
split_load(const struct qpu_inst *inst, unsigned source, struct op *ops)
{
	const int small = qpu_small_find(inst->imm);
	struct qpu_use use;

	qpu_use(inst, &use);
	for (unsigned i = 0; i < use.nwrites && small >= 0; i++) {
		const struct qpu_result *write = &use.writes[i];
		struct op *op = &ops[i];

		*op = blank;
		op->kind = OP_ADD;
		op->source = source;
		op->code = QPU_ADD_OR;
		op->cond = write->cond;
		op->waddr = write->addr;
		op->file = file_needed(write->addr, write->file_b);
		op->nfrom = 2;
		op->from[0] = op->from[1] = (struct from){ FROM_SMALL, small };
		op->partial = write->cond != QPU_COND_ALWAYS;
		find_twin(op);
		op_find_resources(op);
	}
	/* The two may be one register, with and without a condition. */
	if (small >= 0 && inst->load == QPU_LOAD_32 && !inst->sf &&
	    !inst->pack &&
	    !(use.nwrites == 2 && res_meet(&ops[0].writes, &ops[1].writes)))
		return use.nwrites;
	make_whole(inst, source, &ops[0]);
	return 1;
}

static bool
reads_from(const struct op *op, const struct from *from)
{
	for (unsigned i = 0; i < op->nfrom; i++)
		if (op->from[i].kind == from->kind &&
		    op->from[i].value == from->value)
			return true;
	return false;
}

/* Return whether a port has an effect, and not just one operation wants its value. */
static bool
is_shared_port(const struct qpu_inst *inst, bool file_b, const struct op *add,
	       const struct op *mul)
{
	const unsigned addr = file_b ? inst->raddr_b : inst->raddr_a;
	const struct from from = from_port(addr, file_b);

	return !(file_b && inst->kind == QPU_KIND_SMALL) && has_effect(addr) &&
	       reads_from(add, &from) == reads_from(mul, &from);
}

/* Return whether an instruction would mean something else in parts.  An operation
 * that it does not have is blank. */
static bool
is_whole(const struct qpu_inst *inst, const struct op *add,
	 const struct op *mul)
{
	const struct from rotation = { FROM_SMALL, inst->small };
	const unsigned units = add->units | mul->units;

	if (inst->kind == QPU_KIND_BRANCH || inst->kind == QPU_KIND_SEMA)
		return true;
	/* Reads that no operation wants, or two; graphics; results of no
	 * operation. */
	if (is_shared_port(inst, false, add, mul) ||
	    is_shared_port(inst, true, add, mul) ||
	    qpu_sigs[inst->sig].flags & QPU_SIG_FLAG_GFX ||
	    inst->sig == QPU_SIG_BKPT || units & UNIT_GRAPHICS ||
	    (inst->kind == QPU_KIND_ALU && inst->raddr_a == inst->raddr_b &&
	     has_effect(inst->raddr_a)) ||
	    (!inst->op_add && inst->cond_add && inst->waddr_add != QPU_W_NOP) ||
	    (!inst->op_mul && inst->cond_mul && inst->waddr_mul != QPU_W_NOP))
		return true;
	/* Modes that no register takes; flags of mul, or of what is never done. */
	if (inst->pack && add->pack_a <= 0 && mul->pack_a <= 0 &&
	    mul->pack_mul <= 0)
		return true;
	if (inst->sf && (!inst->op_add || add->cond == QPU_COND_NEVER))
		return true;
	if ((inst->sig == QPU_SIG_LDTMU0 || inst->sig == QPU_SIG_LDTMU1) &&
	    units)
		return true;
	/* A rotation that is an operand as well. */
	if (mul->rotate >= 0 &&
	    (reads_from(mul, &rotation) || reads_from(add, &rotation)))
		return true;
	return res_meet(&add->writes, &mul->writes) ||
	       (res_meet(&add->writes, &mul->reads) &&
		res_meet(&mul->writes, &add->reads));
}

unsigned
op_split(const struct qpu_inst *inst, unsigned source, struct op *ops)
{
	struct op halves[2] = { blank, blank };
	struct qpu_inst rest = *inst;
	unsigned n = 0;

	if (inst->kind == QPU_KIND_LOAD)
		return split_load(inst, source, ops);
	if (inst->op_add)
		make_half(inst, source, false, &halves[0]);
	if (inst->op_mul)
		make_half(inst, source, true, &halves[1]);
	if (is_whole(inst, &halves[0], &halves[1])) {
		if (rest.sig == QPU_SIG_THREND)
			rest.sig = QPU_SIG_NONE;
		make_whole(&rest, source, &ops[n++]);
	} else {
		/* What the add ALU writes the other one may read before.
		 * What has no effect is left out. */
		const bool mul_first =
			res_meet(&halves[0].writes, &halves[1].reads);

		for (unsigned i = 0; i < 2; i++)
			if (!res_same(halves[i != mul_first].writes,
				      blank.writes))
				ops[n++] = halves[i != mul_first];
	}
	if (inst->sig == QPU_SIG_THREND ||
	    ((inst->sig == QPU_SIG_LDTMU0 || inst->sig == QPU_SIG_LDTMU1) &&
	     !(n && ops[0].kind == OP_WHOLE))) {
		ops[n] = blank;
		ops[n].kind = OP_SIGNAL;
		ops[n].source = source;
		ops[n].sig = inst->sig;
		ops[n].is_end = inst->sig == QPU_SIG_THREND;
		op_find_resources(&ops[n++]);
	}
	return n;
}
