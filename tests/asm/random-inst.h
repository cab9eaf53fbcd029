/* SPDX-License-Identifier: MIT */
/*
 * qpu-random: random instructions that an assembler would make, with every
 * field without meaning as the assembler leaves it.
 */
#ifndef TESTS_ASM_RANDOM_INST_H
#define TESTS_ASM_RANDOM_INST_H

#include <stdint.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/use.h"

struct qpu_random {
	uint64_t state; /* not 0 */
};

/* xorshift64*, uniform enough below small limits. */
static inline unsigned
qpu_random_below(struct qpu_random *random, unsigned limit)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return (random->state * UINT64_C(2685821657736338717) >> 33) % limit;
}

static inline bool
qpu_random_chance(struct qpu_random *random, unsigned of)
{
	return qpu_random_below(random, of) == 0;
}

static inline unsigned
qpu_random_read(struct qpu_random *random, bool file_b)
{
	unsigned addr;

	do {
		addr = qpu_random_below(random, 64);
	} while (!qpu_read_is_mapped(addr, file_b));
	return addr;
}

/* pm, pack and, where there are sources, unpack. */
static inline void
qpu_random_modes(struct qpu_random *random, struct qpu_inst *inst)
{
	struct qpu_use use;
	bool writes_ra, uses_mul;

	qpu_use(inst, &use);
	writes_ra = inst->ws ? inst->waddr_mul < 32 : inst->waddr_add < 32;
	uses_mul = inst->kind == QPU_KIND_ALU || inst->kind == QPU_KIND_SMALL ?
			   inst->op_mul != QPU_MUL_NOP :
			   inst->waddr_mul != QPU_W_NOP;
	if (qpu_random_chance(random, 2)) {
		if (writes_ra)
			inst->pack = qpu_random_below(random, 16);
		if (qpu_use_reads_mux(&use, QPU_MUX_A) && use.port_a < 32)
			inst->unpack = qpu_random_below(random, 8);
		return;
	}
	if (uses_mul)
		do {
			inst->pack = qpu_random_below(random, 16);
		} while (!qpu_pack_mul_names[inst->pack]);
	if (qpu_use_reads_mux(&use, QPU_MUX_R4))
		inst->unpack = qpu_random_below(random, 8);
	inst->pm = inst->pack || inst->unpack;
}

static inline void
qpu_random_results(struct qpu_random *random, struct qpu_inst *inst, bool add,
		   bool mul)
{
	if (add) {
		inst->cond_add = qpu_random_below(random, 8);
		inst->waddr_add = qpu_random_below(random, 64);
	}
	if (mul) {
		inst->cond_mul = qpu_random_below(random, 8);
		inst->waddr_mul = qpu_random_below(random, 64);
	}
	if (add || mul) {
		inst->sf = qpu_random_chance(random, 4);
		inst->ws = qpu_random_chance(random, 2);
	}
}

static inline void
qpu_random_ops(struct qpu_random *random, struct qpu_inst *inst)
{
	do {
		inst->op_add = qpu_random_below(random, 32);
	} while (!qpu_add_ops[inst->op_add].mnemonic);
	inst->op_mul = qpu_random_below(random, 8);
	if (inst->op_add) {
		inst->add_a = qpu_random_below(random, 8);
		inst->add_b = qpu_add_ops[inst->op_add].operands == 2 ?
				      qpu_random_below(random, 8) :
				      inst->add_a;
	}
	if (inst->op_mul) {
		inst->mul_a = qpu_random_below(random, 8);
		inst->mul_b = qpu_random_chance(random, 3) ?
				      inst->mul_a :
				      qpu_random_below(random, 8);
	}
}

static inline void
qpu_random_alu(struct qpu_random *random, struct qpu_inst *inst)
{
	struct qpu_use use;

	qpu_inst_nop(inst, QPU_KIND_ALU);
	qpu_random_ops(random, inst);
	qpu_use(inst, &use);
	const bool uses_b = qpu_use_reads_mux(&use, QPU_MUX_B);
	if (inst->op_mul && qpu_random_chance(random, 6)) {
		inst->small = QPU_SMALL_ROT + qpu_random_below(random, 16);
	} else if (uses_b && qpu_random_chance(random, 3)) {
		inst->small = qpu_random_below(random, QPU_SMALL_ROT);
	} else {
		inst->small = QPU_SMALL_COUNT;
	}
	if (inst->small < QPU_SMALL_COUNT) {
		inst->kind = QPU_KIND_SMALL;
		inst->sig = QPU_SIG_SMALL;
		inst->raddr_b = 0;
	} else {
		inst->small = 0;
		inst->sig = qpu_random_below(random, QPU_SIG_SMALL);
		if (uses_b || qpu_random_chance(random, 8))
			inst->raddr_b = qpu_random_read(random, true);
	}
	if (qpu_use_reads_mux(&use, QPU_MUX_A) || qpu_random_chance(random, 8))
		inst->raddr_a = qpu_random_read(random, false);
	qpu_random_results(random, inst, inst->op_add, inst->op_mul);
	qpu_random_modes(random, inst);
}

static inline void
qpu_random_load(struct qpu_random *random, struct qpu_inst *inst)
{
	static const uint8_t loads[] = {
		QPU_LOAD_32,
		QPU_LOAD_SIGNED,
		QPU_LOAD_UNSIGNED,
	};
	const bool two = qpu_random_chance(random, 2);

	qpu_inst_nop(inst, QPU_KIND_LOAD);
	inst->load = loads[qpu_random_below(random, 3)];
	inst->imm = qpu_random_below(random, 0x7fffffff) * 2;
	/* Lanes of 0 and 1 only would be written as unsigned. */
	if (inst->load == QPU_LOAD_SIGNED)
		inst->imm |= 0x10000;
	qpu_random_results(random, inst, true, two);
	if (two && inst->waddr_mul == QPU_W_NOP && !inst->cond_mul)
		inst->cond_mul = QPU_COND_ALWAYS;
	qpu_random_modes(random, inst);
}

static inline void
qpu_random_sema(struct qpu_random *random, struct qpu_inst *inst)
{
	qpu_inst_nop(inst, QPU_KIND_SEMA);
	inst->imm = qpu_random_chance(random, 4) ?
			    qpu_random_below(random, 0x7fffffff) :
			    qpu_random_below(random, 32);
	qpu_random_results(random, inst, true, false);
	if (inst->waddr_add == QPU_W_NOP && !inst->sf)
		inst->cond_add = QPU_COND_NEVER;
	qpu_random_modes(random, inst);
}

static inline void
qpu_random_branch(struct qpu_random *random, struct qpu_inst *inst)
{
	qpu_inst_nop(inst, QPU_KIND_BRANCH);
	do {
		inst->cond_br = qpu_random_below(random, 16);
	} while (!qpu_br_names[inst->cond_br]);
	inst->rel = qpu_random_chance(random, 2);
	inst->reg = qpu_random_chance(random, 2);
	if (inst->reg)
		inst->raddr_a = qpu_random_below(random, 32);
	inst->imm = qpu_random_chance(random, 4) ?
			    0 :
			    qpu_random_below(random, 0x7fffffff) * 3u;
	inst->ws = qpu_random_chance(random, 2);
	inst->waddr_add = qpu_random_below(random, 64);
	if (qpu_random_chance(random, 2))
		inst->waddr_mul = qpu_random_below(random, 64);
}

static inline void
qpu_random_inst(struct qpu_random *random, struct qpu_inst *inst)
{
	switch (qpu_random_below(random, 10)) {
	case 0: qpu_random_load(random, inst); break;
	case 1: qpu_random_sema(random, inst); break;
	case 2: qpu_random_branch(random, inst); break;
	default: qpu_random_alu(random, inst); break;
	}
}

#endif
