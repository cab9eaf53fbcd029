/* SPDX-License-Identifier: MIT */
/*
 * pack: the one place that knows the bit positions of an instruction word
 * (the guide, instruction encoding).
 */
#include "config.h"

#include "qpu/isa/pack.h"

#include <string.h>

/* Fields by their lowest bit and their width. */
#define SIG 60, 4
#define UNPACK 57, 3
#define PM 56, 1
#define PACK 52, 4
#define COND_ADD 49, 3
#define COND_MUL 46, 3
#define SF 45, 1
#define WS 44, 1
#define WADDR_ADD 38, 6
#define WADDR_MUL 32, 6
#define OP_MUL 29, 3
#define OP_ADD 24, 5
#define RADDR_A 18, 6
#define RADDR_B 12, 6
#define ADD_A 9, 3
#define ADD_B 6, 3
#define MUL_A 3, 3
#define MUL_B 0, 3
#define IMM 0, 32
#define BR_SPARE 56, 4
#define BR_COND 52, 4
#define BR_REL 51, 1
#define BR_REG 50, 1
#define BR_RADDR 45, 5

/* The value of the unpack field that makes a load a semaphore. */
enum { UNPACK_SEMA = 4 };

static inline uint64_t
get_bits(uint64_t word, unsigned low, unsigned width)
{
	return word >> low & ((UINT64_C(1) << width) - 1);
}

static inline uint64_t
put_bits(unsigned low, unsigned width, uint64_t value)
{
	return (value & ((UINT64_C(1) << width) - 1)) << low;
}

#define GET(field) get_bits(word, field)
#define PUT(field, value) put_bits(field, value)

static bool
unpack_branch(uint64_t word, struct qpu_inst *inst)
{
	inst->kind = QPU_KIND_BRANCH;
	inst->spare = GET(BR_SPARE);
	inst->cond_br = GET(BR_COND);
	inst->rel = GET(BR_REL);
	inst->reg = GET(BR_REG);
	inst->raddr_a = GET(BR_RADDR);
	inst->imm = GET(IMM);
	return qpu_br_names[inst->cond_br] != NULL;
}

static bool
unpack_load(uint64_t word, struct qpu_inst *inst)
{
	const unsigned type = GET(UNPACK);

	inst->imm = GET(IMM);
	if (type == UNPACK_SEMA) {
		inst->kind = QPU_KIND_SEMA;
		return true;
	}
	inst->kind = QPU_KIND_LOAD;
	inst->load = type;
	return type == QPU_LOAD_32 || type == QPU_LOAD_SIGNED ||
	       type == QPU_LOAD_UNSIGNED;
}

static bool
unpack_alu(uint64_t word, struct qpu_inst *inst)
{
	inst->kind = QPU_KIND_ALU;
	if (inst->sig == QPU_SIG_SMALL) {
		inst->kind = QPU_KIND_SMALL;
		inst->small = GET(RADDR_B);
	} else {
		inst->raddr_b = GET(RADDR_B);
	}
	inst->unpack = GET(UNPACK);
	inst->op_add = GET(OP_ADD);
	inst->op_mul = GET(OP_MUL);
	inst->raddr_a = GET(RADDR_A);
	inst->add_a = GET(ADD_A);
	inst->add_b = GET(ADD_B);
	inst->mul_a = GET(MUL_A);
	inst->mul_b = GET(MUL_B);
	return qpu_add_ops[inst->op_add].mnemonic != NULL;
}

bool
qpu_unpack(uint64_t word, struct qpu_inst *inst)
{
	memset(inst, 0, sizeof(*inst));
	inst->sig = GET(SIG);
	inst->ws = GET(WS);
	inst->waddr_add = GET(WADDR_ADD);
	inst->waddr_mul = GET(WADDR_MUL);
	if (inst->sig == QPU_SIG_BRANCH)
		return unpack_branch(word, inst);

	inst->pm = GET(PM);
	inst->pack = GET(PACK);
	inst->cond_add = GET(COND_ADD);
	inst->cond_mul = GET(COND_MUL);
	inst->sf = GET(SF);
	if (inst->pm && !qpu_pack_mul_names[inst->pack])
		return false;
	if (inst->sig == QPU_SIG_LOAD)
		return unpack_load(word, inst);
	return unpack_alu(word, inst);
}

void
qpu_unpack_fields(uint64_t word, struct qpu_inst *inst)
{
	*inst = (struct qpu_inst){
		.sig = GET(SIG),
		.ws = GET(WS),
		.waddr_add = GET(WADDR_ADD),
		.waddr_mul = GET(WADDR_MUL),
		.pm = GET(PM),
		.pack = GET(PACK),
		.cond_add = GET(COND_ADD),
		.cond_mul = GET(COND_MUL),
		.sf = GET(SF),
		.unpack = GET(UNPACK),
		.op_add = GET(OP_ADD),
		.op_mul = GET(OP_MUL),
		.raddr_a = GET(RADDR_A),
		.raddr_b = GET(RADDR_B),
		.small = GET(RADDR_B),
		.add_a = GET(ADD_A),
		.add_b = GET(ADD_B),
		.mul_a = GET(MUL_A),
		.mul_b = GET(MUL_B),
		.imm = GET(IMM),
		.rel = GET(BR_REL),
		.reg = GET(BR_REG),
	};
}

static uint64_t
pack_branch(const struct qpu_inst *inst)
{
	return PUT(BR_SPARE, inst->spare) | PUT(BR_COND, inst->cond_br) |
	       PUT(BR_REL, inst->rel) | PUT(BR_REG, inst->reg) |
	       PUT(BR_RADDR, inst->raddr_a) | PUT(IMM, inst->imm);
}

static uint64_t
pack_alu(const struct qpu_inst *inst)
{
	const unsigned raddr_b = inst->kind == QPU_KIND_SMALL ? inst->small :
								inst->raddr_b;

	return PUT(UNPACK, inst->unpack) | PUT(OP_ADD, inst->op_add) |
	       PUT(OP_MUL, inst->op_mul) | PUT(RADDR_A, inst->raddr_a) |
	       PUT(RADDR_B, raddr_b) | PUT(ADD_A, inst->add_a) |
	       PUT(ADD_B, inst->add_b) | PUT(MUL_A, inst->mul_a) |
	       PUT(MUL_B, inst->mul_b);
}

uint64_t
qpu_pack(const struct qpu_inst *inst)
{
	uint64_t word = PUT(SIG, inst->sig) | PUT(WS, inst->ws) |
			PUT(WADDR_ADD, inst->waddr_add) |
			PUT(WADDR_MUL, inst->waddr_mul);

	if (inst->kind == QPU_KIND_BRANCH)
		return word | pack_branch(inst);

	word |= PUT(PM, inst->pm) | PUT(PACK, inst->pack) |
		PUT(COND_ADD, inst->cond_add) | PUT(COND_MUL, inst->cond_mul) |
		PUT(SF, inst->sf);
	switch (inst->kind) {
	case QPU_KIND_LOAD:
		return word | PUT(UNPACK, inst->load) | PUT(IMM, inst->imm);
	case QPU_KIND_SEMA:
		return word | PUT(UNPACK, UNPACK_SEMA) | PUT(IMM, inst->imm);
	default: return word | pack_alu(inst);
	}
}

void
qpu_inst_nop(struct qpu_inst *inst, enum qpu_kind kind)
{
	static const uint8_t sigs[] = {
		[QPU_KIND_ALU] = QPU_SIG_NONE,
		[QPU_KIND_SMALL] = QPU_SIG_SMALL,
		[QPU_KIND_LOAD] = QPU_SIG_LOAD,
		[QPU_KIND_SEMA] = QPU_SIG_LOAD,
		[QPU_KIND_BRANCH] = QPU_SIG_BRANCH,
	};

	memset(inst, 0, sizeof(*inst));
	inst->kind = kind;
	inst->sig = sigs[kind];
	inst->waddr_add = QPU_W_NOP;
	inst->waddr_mul = QPU_W_NOP;
	if (kind == QPU_KIND_ALU || kind == QPU_KIND_SMALL)
		inst->raddr_a = QPU_R_NOP;
	if (kind == QPU_KIND_ALU)
		inst->raddr_b = QPU_R_NOP;
	if (kind == QPU_KIND_BRANCH)
		inst->cond_br = QPU_BR_ALWAYS;
}

bool
qpu_inst_sets_flags(const struct qpu_inst *inst)
{
	if (inst->kind == QPU_KIND_BRANCH)
		return inst->reg && (inst->raddr_a & 1);
	return inst->sf;
}

uint64_t
qpu_word_load(const uint8_t bytes[8])
{
	uint64_t word = 0;

	for (unsigned i = 8; i-- > 0;)
		word = word << 8 | bytes[i];
	return word;
}

void
qpu_word_store(uint8_t bytes[8], uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = word >> (8 * i);
}
