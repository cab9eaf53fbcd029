/* SPDX-License-Identifier: MIT */
/*
 * op: takes instructions apart.
 */
#include "config.h"

#include "qpu/opt/op.h"

#include "qpu/opt/mutant.h"

/* --- Halves ---------------------------------------------------------------------- */

static bool
either_port(unsigned addr)
{
	return addr == QPU_R_UNIF || addr == QPU_R_VARY || addr == QPU_R_VPM ||
	       addr == QPU_R_MUTEX;
}

/* Return whether reading an address does something even if the value is not used. */
static bool
has_effect(unsigned addr)
{
	return either_port(addr) || addr == QPU_R_VPM_BUSY ||
	       addr == QPU_R_VPM_WAIT;
}

static struct from
from_mux(const struct qpu_inst *inst, unsigned mux)
{
	if (mux < QPU_MUX_A)
		return (struct from){ FROM_ACC, mux };
	if (mux == QPU_MUX_B && inst->kind == QPU_KIND_SMALL)
		return (struct from){ FROM_SMALL, inst->small };

	const uint8_t addr = mux == QPU_MUX_A ? inst->raddr_a : inst->raddr_b;
	if (either_port(addr))
		return (struct from){ FROM_EITHER, addr };
	return (struct from){ mux == QPU_MUX_A ? FROM_A : FROM_B, addr };
}

/* Return the file that a result must go to; some addresses are the same in both. */
static enum file
file_needed(unsigned waddr, bool file_b)
{
	if (waddr < QPU_FILE_REGS || waddr == QPU_W_R5 ||
	    waddr == QPU_W_UNIF_ADDR || waddr == QPU_W_COORD ||
	    waddr == QPU_W_FLAGS || waddr == QPU_W_VPM_SETUP ||
	    waddr == QPU_W_VPM_ADDR)
		return file_b ? IN_B : IN_A;
	return IN_ANY;
}

static bool
same_from(const struct op *op)
{
	return op->nfrom == 2 && op->from[0].kind == op->from[1].kind &&
	       op->from[0].value == op->from[1].value;
}

/* Operations that both ALUs have: moves, and sums of bytes. */
static void
find_either(struct op *op)
{
	const bool plain = !op->sets_flags && op->rotate < 0 &&
			   op->pack_mul <= 0;
	const bool packs = op->pack_a > 0;

	op->either = false;
	if (!plain || op->pack_a >= QPU_PACK_32S)
		return;
	if (op->kind == OP_ADD)
		op->either =
			((op->code == QPU_ADD_OR || op->code == QPU_ADD_AND) &&
			 same_from(op)) ||
			(!packs && (op->code == QPU_ADD_V8ADDS ||
				    op->code == QPU_ADD_V8SUBS));
	else
		op->either = ((op->code == QPU_MUL_V8MIN ||
			       op->code == QPU_MUL_V8MAX) &&
			      same_from(op)) ||
			     (!packs && (op->code == QPU_MUL_V8ADDS ||
					 op->code == QPU_MUL_V8SUBS));
}

/* x | 0, x ^ 0 and x + 0 are moves, which need no immediate. */
static void
find_move(struct op *op)
{
	if (op->kind != OP_ADD || op->nfrom != 2 || op->sets_flags ||
	    op->from[1].kind != FROM_SMALL || op->from[1].value ||
	    op->from[0].kind == FROM_SMALL || op->pack_a >= QPU_PACK_32S ||
	    (op->code != QPU_ADD_OR && op->code != QPU_ADD_XOR &&
	     op->code != QPU_ADD_ADD))
		return;
	op->code = QPU_ADD_OR;
	op->from[1] = op->from[0];
}

static void
make_half(const struct qpu_inst *inst, unsigned source, bool mul, struct op *op)
{
	const unsigned code = mul ? inst->op_mul : inst->op_add;
	const unsigned muxes[] = { mul ? inst->mul_a : inst->add_a,
				   mul ? inst->mul_b : inst->add_b };
	const bool file_b = mul ? !inst->ws : inst->ws;

	*op = (struct op){
		.kind = mul ? OP_MUL : OP_ADD,
		.code = code,
		.cond = mul ? inst->cond_mul : inst->cond_add,
		.waddr = mul ? inst->waddr_mul : inst->waddr_add,
		.sig = QPU_SIG_NONE,
		.nfrom = mul ? 2 : qpu_add_ops[code].operands,
		.sets_flags = inst->sf && (!mul || !inst->op_add),
		.unpack_a = -1,
		.unpack_r4 = -1,
		.pack_a = -1,
		.pack_mul = -1,
		.rotate = -1,
		.source = source,
	};
	if (op->cond == QPU_COND_NEVER)
		op->waddr = QPU_W_NOP;
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
	find_move(op);
	find_either(op);
	op_find_resources(op);
}

void
op_drop_flags(struct op *op)
{
	op->sets_flags = false;
	find_move(op);
	find_either(op);
	op_find_resources(op);
}

/* A load of a small constant becomes a move for each result. */
static unsigned
split_load(const struct qpu_inst *inst, unsigned source, struct op *ops)
{
	const int small = qpu_small_find(inst->imm);
	struct qpu_use use;

	if (inst->load != QPU_LOAD_32 || inst->sf || inst->pack || small < 0) {
		op_make_whole(inst, source, &ops[0]);
		return 1;
	}
	qpu_use(inst, &use);
	for (unsigned i = 0; i < use.nwrites; i++) {
		const struct qpu_result *write = &use.writes[i];
		struct op *op = &ops[i];

		*op = (struct op){
			.kind = OP_ADD,
			.code = QPU_ADD_OR,
			.cond = write->cond,
			.waddr = write->addr,
			.file = file_needed(write->addr, write->file_b),
			.sig = QPU_SIG_NONE,
			.nfrom = 2,
			.from = { { FROM_SMALL, small },
				  { FROM_SMALL, small } },
			.either = true,
			.partial = write->cond != QPU_COND_ALWAYS,
			.unpack_a = -1,
			.unpack_r4 = -1,
			.pack_a = -1,
			.pack_mul = -1,
			.rotate = -1,
			.source = source,
		};
		op_find_resources(op);
	}
	/* The two may be one register, with and without a condition. */
	if (use.nwrites == 2 && res_meet(&ops[0].writes, &ops[1].writes)) {
		op_make_whole(inst, source, &ops[0]);
		return 1;
	}
	return use.nwrites;
}

/* Return whether two halves get the one value of one read of a peripheral. */
static bool
share_port(const struct op *add, const struct op *mul)
{
	for (unsigned i = 0; i < add->nfrom; i++)
		for (unsigned j = 0; j < mul->nfrom; j++)
			if (add->from[i].kind == mul->from[j].kind &&
			    add->from[i].value == mul->from[j].value &&
			    add->from[i].kind != FROM_ACC &&
			    add->from[i].kind != FROM_SMALL &&
			    has_effect(add->from[i].value))
				return true;
	return false;
}

static bool
reads_small(const struct op *op)
{
	return op->from[0].kind == FROM_SMALL ||
	       (op->nfrom == 2 && op->from[1].kind == FROM_SMALL);
}

/* Return whether an instruction would mean something else in parts. */
static bool
is_whole(const struct qpu_inst *inst, const struct op *add,
	 const struct op *mul)
{
	const bool both = inst->op_add && inst->op_mul;
	const unsigned units = (inst->op_add ? add->units : 0) |
			       (inst->op_mul ? mul->units : 0);
	const struct op *flagged = inst->op_add ? add : mul;

	/* Two reads of one peripheral, graphics, results of no operation. */
	if (qpu_sigs[inst->sig].flags & QPU_SIG_FLAG_GFX ||
	    inst->sig == QPU_SIG_BKPT || units & UNIT_GRAPHICS ||
	    (inst->kind == QPU_KIND_ALU && inst->raddr_a == inst->raddr_b &&
	     either_port(inst->raddr_a)) ||
	    (!inst->op_add && inst->cond_add && inst->waddr_add != QPU_W_NOP) ||
	    (!inst->op_mul && inst->cond_mul && inst->waddr_mul != QPU_W_NOP))
		return true;
	/* Modes that no register takes; flags of an operation never done. */
	if (inst->pack && !(inst->op_add && add->pack_a > 0) &&
	    !(inst->op_mul && (mul->pack_a > 0 || mul->pack_mul > 0)))
		return true;
	if (inst->sf && flagged->cond == QPU_COND_NEVER)
		return true;
	if ((inst->sig == QPU_SIG_LDTMU0 || inst->sig == QPU_SIG_LDTMU1) &&
	    units)
		return true;
	if (inst->op_mul && mul->rotate >= 0 && reads_small(mul))
		return true;
	if (!both)
		return false;
	return share_port(add, mul) || res_meet(&add->writes, &mul->writes) ||
	       (res_meet(&add->writes, &mul->reads) &&
		res_meet(&mul->writes, &add->reads)) ||
	       (mul->rotate >= 0 && reads_small(add));
}

static void
make_other(unsigned source, enum op_kind kind, struct op *op)
{
	*op = (struct op){
		.kind = kind,
		.waddr = QPU_W_NOP,
		.file = IN_ANY,
		.sig = QPU_SIG_NONE,
		.unpack_a = -1,
		.unpack_r4 = -1,
		.pack_a = -1,
		.pack_mul = -1,
		.rotate = -1,
		.source = source,
	};
}

static unsigned
add_read(unsigned source, unsigned addr, bool file_b, struct op *op)
{
	make_other(source, OP_READ, op);
	op->nfrom = 1;
	op->from[0] = (struct from){ either_port(addr) ? FROM_EITHER :
				     file_b	       ? FROM_B :
							 FROM_A,
				     addr };
	op_find_resources(op);
	return 1;
}

static unsigned
add_signal(const struct qpu_inst *inst, unsigned source, struct op *op)
{
	make_other(source, OP_SIGNAL, op);
	op->sig = inst->sig;
	op->is_end = inst->sig == QPU_SIG_THREND;
	op_find_resources(op);
	return 1;
}

/* The result and the flags go nowhere: only reads of ports remain. */
static bool
has_no_result(const struct op *op)
{
	return op->waddr == QPU_W_NOP && !op->sets_flags;
}

unsigned
op_split(const struct qpu_inst *inst, unsigned source, struct op *ops)
{
	struct op add, mul;
	unsigned n = 0;

	if (inst->kind == QPU_KIND_LOAD)
		return split_load(inst, source, ops);
	if (inst->kind == QPU_KIND_BRANCH || inst->kind == QPU_KIND_SEMA) {
		op_make_whole(inst, source, ops);
		return 1;
	}
	if (inst->op_add)
		make_half(inst, source, false, &add);
	if (inst->op_mul)
		make_half(inst, source, true, &mul);
	if (is_whole(inst, &add, &mul)) {
		struct qpu_inst rest = *inst;

		if (rest.sig == QPU_SIG_THREND)
			rest.sig = QPU_SIG_NONE;
		op_make_whole(&rest, source, &ops[n++]);
	} else {
		const bool add_reads = inst->op_add && has_no_result(&add);
		const bool mul_reads = inst->op_mul && has_no_result(&mul);
		struct qpu_use use;

		qpu_use(inst, &use);
		/* A port whose value no operation with a result takes. */
		for (unsigned file = 0; file < 2; file++) {
			const unsigned mux = file ? QPU_MUX_B : QPU_MUX_A;
			const unsigned addr = file ? inst->raddr_b :
						     inst->raddr_a;

			if ((file && inst->kind == QPU_KIND_SMALL) ||
			    !has_effect(addr) ||
			    (use.add_reads[mux] && !add_reads) ||
			    (use.mul_reads[mux] && !mul_reads))
				continue;
			n += add_read(source, addr, file, &ops[n]);
		}
		if (inst->op_add && !add_reads)
			ops[n++] = add;
		if (inst->op_mul && !mul_reads)
			ops[n++] = mul;
	}
	if (inst->sig == QPU_SIG_THREND ||
	    ((inst->sig == QPU_SIG_LDTMU0 || inst->sig == QPU_SIG_LDTMU1) &&
	     !(n == 1 && ops[0].kind == OP_WHOLE)))
		n += add_signal(inst, source, &ops[n]);
	return n;
}
