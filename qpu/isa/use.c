/* SPDX-License-Identifier: MIT */
/*
 * use: reads and writes of an instruction of any kind.
 */
#include "config.h"

#include "qpu/isa/use.h"

#include "qpu/isa/isa.h"

static void
add_write(struct qpu_use *use, uint8_t addr, bool file_b, bool of_mul,
	  uint8_t cond)
{
	if (addr == QPU_W_NOP || cond == QPU_COND_NEVER)
		return;
	use->writes[use->nwrites++] = (struct qpu_result){
		.addr = addr,
		.file_b = file_b,
		.of_mul = of_mul,
		.cond = cond,
	};
}

static void
add_reads(bool reads[8], const struct qpu_op_row *row, unsigned a, unsigned b)
{
	if (row->operands >= 1)
		reads[a] = true;
	if (row->operands >= 2)
		reads[b] = true;
}

void
qpu_use(const struct qpu_inst *inst, struct qpu_use *use)
{
	const bool is_alu = inst->kind == QPU_KIND_ALU ||
			    inst->kind == QPU_KIND_SMALL;
	/* A link is written when the branch is taken; assume that it is. */
	const bool is_branch = inst->kind == QPU_KIND_BRANCH;

	*use = (struct qpu_use){ .port_a = -1, .port_b = -1 };
	add_write(use, inst->waddr_add, !qpu_add_writes_a(inst), false,
		  is_branch ? QPU_COND_ALWAYS : inst->cond_add);
	add_write(use, inst->waddr_mul, !qpu_mul_writes_a(inst), true,
		  is_branch ? QPU_COND_ALWAYS : inst->cond_mul);
	if (is_branch && inst->reg) {
		use->port_a = inst->raddr_a;
		use->add_reads[QPU_MUX_A] = true;
	}
	if (!is_alu)
		return;
	add_reads(use->add_reads, &qpu_add_ops[inst->op_add], inst->add_a,
		  inst->add_b);
	add_reads(use->mul_reads, &qpu_mul_ops[inst->op_mul], inst->mul_a,
		  inst->mul_b);
	use->port_a = inst->raddr_a;
	if (inst->kind == QPU_KIND_ALU)
		use->port_b = inst->raddr_b;
	else
		use->rotates = inst->small >= QPU_SMALL_ROT &&
			       inst->op_mul != QPU_MUL_NOP;
}
