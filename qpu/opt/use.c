/* SPDX-License-Identifier: MIT */
/*
 * use: which resources operations and whole instructions read and write.
 */
#include "config.h"

#include "qpu/isa/pack.h"
#include "qpu/opt/mutant.h"
#include "qpu/opt/op.h"

const struct res_row res_rows[RESOURCES] = {
#define RESOURCE(name, first, count, raw, war, waw)                            \
	[first... first + count - 1] = { raw, war, waw },
/* Ranges in initializers are GNU C. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-designator"
#endif
#include "qpu/opt/resource.def"
};

int
op_written(unsigned waddr, bool file_b)
{
	if (waddr < QPU_FILE_REGS)
		return (file_b ? RES_B : RES_A) + waddr;
	if (waddr <= QPU_W_R3)
		return RES_ACC + waddr - QPU_W_R0;
	if (waddr == QPU_W_R5)
		return RES_R5;
	return waddr >= QPU_W_RECIP && waddr <= QPU_W_LOG ? RES_R4 : -1;
}

/* Order an operation of memory or of a unit that synchronises with other
 * operations. */
static void
use_sync(struct op *op)
{
	res_add(&op->writes, RES_MEMORY);
	res_add(&op->writes, RES_VPM);
	res_add(&op->writes, RES_GRAPHICS);
	res_add(&op->reads, RES_END_WITH);
	op->units |= UNIT_SYNC;
}

static void
use_vpm(struct op *op)
{
	res_add(&op->writes, RES_VPM);
	res_add(&op->reads, RES_END);
	op->units |= UNIT_VPM;
}

static void
use_graphics(struct op *op)
{
	res_add(&op->writes, RES_GRAPHICS);
	res_add(&op->reads, RES_MEMORY);
	res_add(&op->reads, RES_END);
	op->units |= UNIT_GRAPHICS;
}

static void
use_tmu(struct op *op, bool second)
{
	res_add(&op->writes, second ? RES_TMU1 : RES_TMU0);
	res_add(&op->reads, RES_MEMORY);
	res_add(&op->reads, RES_END_WITH);
}

/* Note what reading an address does beside delivering a value. */
static void
use_read(struct op *op, unsigned addr, bool file_b)
{
	switch (addr) {
	case QPU_R_UNIF:
		res_add(&op->writes, RES_UNIF);
		res_add(&op->reads, RES_UNIF_ADDR);
		res_add(&op->reads, RES_END);
		break;
	case QPU_R_VARY:
		res_add(&op->writes, RES_R5);
		res_add(&op->reads, RES_END);
		use_graphics(op);
		break;
	case QPU_R_COORD:
	case QPU_R_FLAGS: use_graphics(op); break;
	case QPU_R_VPM:
		use_vpm(op);
		res_add(&op->reads, RES_VPM_SETUP);
		break;
	case QPU_R_VPM_WAIT:
		if (file_b)
			res_add(&op->writes, RES_MEMORY);
		use_vpm(op);
		break;
	case QPU_R_VPM_BUSY: use_vpm(op); break;
	case QPU_R_MUTEX:
		use_sync(op);
		op->units |= UNIT_ACQUIRE;
		break;
	default:
		if (addr < QPU_FILE_REGS)
			res_add(&op->reads, (file_b ? RES_B : RES_A) + addr);
	}
}

/* Note what writing an address does. */
static void
use_write(struct op *op, unsigned addr, bool file_b)
{
	const int resource = op_written(addr, file_b);

	if (resource >= 0)
		res_add(&op->writes, resource);
	if (addr < QPU_FILE_REGS)
		return;
	if (addr >= QPU_W_T0S) {
		use_tmu(op, addr >= QPU_W_T1S);
		res_add(&op->reads, RES_NOSWAP);
		op->units |= UNIT_TMU;
	} else if (resource == RES_R4) {
		res_add(&op->writes, RES_SFU);
		op->units |= UNIT_SFU;
	} else if (addr == QPU_W_TMURS) {
		res_add(&op->writes, RES_NOSWAP);
		res_add(&op->writes, RES_TMU0);
		res_add(&op->writes, RES_TMU1);
		op->units |= UNIT_TMU;
	} else if (addr == QPU_W_UNIF_ADDR) {
		res_add(&op->writes, RES_UNIF);
		res_add(&op->writes, RES_UNIF_ADDR);
		res_add(&op->reads, RES_END);
	} else if (addr == QPU_W_IRQ) {
		use_sync(op);
	} else if (addr == QPU_W_MUTEX) {
		use_sync(op);
		op->units |= UNIT_RELEASE;
	} else if (addr == QPU_W_VPM || addr == QPU_W_VPM_SETUP ||
		   addr == QPU_W_VPM_ADDR) {
		use_vpm(op);
		if (addr == QPU_W_VPM_SETUP && !file_b)
			res_add(&op->writes, RES_VPM_SETUP);
		if (addr == QPU_W_VPM_ADDR && file_b)
			res_add(&op->writes, RES_MEMORY);
	} else if (qpu_writes[addr].flags & QPU_REG_GFX) {
		use_graphics(op);
	}
}

static void
use_r4_signal(struct op *op)
{
	res_add(&op->writes, RES_R4);
	res_add(&op->reads, RES_SFU);
}

static void
use_signal(struct op *op, unsigned sig)
{
	if (sig == QPU_SIG_LDTMU0 || sig == QPU_SIG_LDTMU1) {
		use_tmu(op, sig == QPU_SIG_LDTMU1);
		use_r4_signal(op);
		op->units |= UNIT_LDTMU;
	} else if (sig == QPU_SIG_THREND) {
		res_add(&op->writes, RES_END);
		res_add(&op->writes, RES_END_WITH);
	} else if (qpu_sigs[sig].flags & QPU_SIG_FLAG_GFX) {
		use_graphics(op);
		if (qpu_sigs[sig].flags & QPU_SIG_FLAG_R4)
			use_r4_signal(op);
	}
}

static void
use_from(struct op *op, const struct from *from)
{
	const bool rotates = op->rotate >= 0;

	switch (from->kind) {
	case FROM_ACC:
		if (from->value == QPU_MUX_R4) {
			res_add(&op->reads, RES_R4);
			res_add(&op->reads, RES_SFU);
			break;
		}
		res_add(&op->reads, from->value == QPU_MUX_R5 ?
					    RES_R5 :
					    RES_ACC + from->value);
		if (rotates)
			res_add(&op->late, from->value == QPU_MUX_R5 ?
						   RES_R5 :
						   RES_ACC + from->value);
		break;
	case FROM_A:
	case FROM_EITHER: use_read(op, from->value, false); break;
	case FROM_B: use_read(op, from->value, true); break;
	default: break;
	}
}

void
op_find_resources(struct op *op)
{
	op->reads = op->writes = op->late = (struct res_set){ { 0, 0 } };
	op->units = 0;
	for (unsigned i = 0; i < op->nfrom; i++)
		use_from(op, &op->from[i]);
	if (op->rotate == QPU_SMALL_ROT_R5) {
		res_add(&op->reads, RES_R5);
		res_add(&op->late, RES_R5);
	}
	if (op->kind == OP_SIGNAL)
		use_signal(op, op->sig);
	if (op->takes_uniforms)
		res_add(&op->writes, RES_UNIF);
	if (op->kind != OP_ADD && op->kind != OP_MUL)
		return;
	if (op->cond > QPU_COND_ALWAYS && !MUTANT(forgets_flags))
		res_add(&op->reads, RES_FLAGS);
	if (op->sets_flags)
		res_add(&op->writes, RES_FLAGS);
	if (op->waddr != QPU_W_NOP)
		use_write(op, op->waddr, op->file == IN_B);
}

/* --- An instruction as it is --------------------------------------------------- */

static void
whole_results(struct op *op, const struct qpu_inst *inst)
{
	const bool is_branch = inst->kind == QPU_KIND_BRANCH;
	const bool is_alu = inst->kind == QPU_KIND_ALU ||
			    inst->kind == QPU_KIND_SMALL;
	struct qpu_use use;

	qpu_use(inst, &use);
	for (unsigned i = 0; i < use.nwrites; i++) {
		const struct qpu_result *write = &use.writes[i];

		use_write(op, write->addr, write->file_b);
		if (write->cond > QPU_COND_ALWAYS)
			res_add(&op->reads, RES_FLAGS);
		/* A nop may write its register, or leave it. */
		if (write->cond != QPU_COND_ALWAYS || is_branch || inst->pack ||
		    (is_alu && !(write->of_mul ? inst->op_mul : inst->op_add)))
			op->partial = true;
	}
	if (qpu_inst_sets_flags(inst)) {
		res_add(&op->writes, RES_FLAGS);
		if (is_branch || inst->cond_add != QPU_COND_ALWAYS ||
		    inst->cond_mul != QPU_COND_ALWAYS)
			op->partial = true;
	}
}

static void
whole_reads(struct op *op, const struct qpu_inst *inst)
{
	struct qpu_use use;

	qpu_use(inst, &use);
	op->rotate = use.rotates ? inst->small : -1;
	for (unsigned mux = 0; mux < QPU_MUX_A; mux++) {
		const struct from from = { FROM_ACC, mux };

		if (qpu_use_reads_mux(&use, mux))
			use_from(op, &from);
	}
	if (op->rotate == QPU_SMALL_ROT_R5) {
		res_add(&op->reads, RES_R5);
		res_add(&op->late, RES_R5);
	}
	if (use.port_a >= 0)
		use_read(op, use.port_a, false);
	if (use.port_b >= 0)
		use_read(op, use.port_b, true);
	/* The conditions of results that go nowhere count for the flags. */
	if (inst->sf && (inst->cond_add > QPU_COND_ALWAYS ||
			 inst->cond_mul > QPU_COND_ALWAYS))
		res_add(&op->reads, RES_FLAGS);
}

void
op_make_whole(const struct qpu_inst *inst, unsigned source, struct op *op)
{
	*op = (struct op){
		.kind = OP_WHOLE,
		.waddr = QPU_W_NOP,
		.file = IN_ANY,
		.sig = inst->sig,
		.inst = *inst,
		.source = source,
		.is_branch = inst->kind == QPU_KIND_BRANCH,
		.unpack_a = -1,
		.unpack_r4 = -1,
		.pack_a = -1,
		.pack_mul = -1,
		.rotate = -1,
	};
	whole_results(op, inst);
	if (op->is_branch) {
		if (inst->cond_br != QPU_BR_ALWAYS)
			res_add(&op->reads, RES_FLAGS);
		if (inst->reg)
			res_add(&op->reads, RES_A + inst->raddr_a);
	} else if (inst->kind == QPU_KIND_SEMA) {
		use_sync(op);
	} else if (inst->kind != QPU_KIND_LOAD) {
		whole_reads(op, inst);
		use_signal(op, inst->sig);
	}
}
