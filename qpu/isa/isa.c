/* SPDX-License-Identifier: MIT */
/*
 * isa: the rows of isa.def as tables indexed by encoding; reads and writes of
 * an instruction.
 */
#include "config.h"

#include "qpu/isa/isa.h"

enum { FI = QPU_OP_FI, FO = QPU_OP_FO, CM = QPU_OP_CM };

#define ROWS_ADD(code, text, count, bits)                                      \
	[code] = { .mnemonic = text, .operands = count, .flags = bits },
#define ROWS_MUL(code, text, count, bits)
#define QPU_OP(unit, code, name, mnemonic, operands, flags)                    \
	ROWS_##unit(code, mnemonic, operands, flags)
const struct qpu_op_row qpu_add_ops[32] = {
#include "qpu/isa/isa.def"
};
#undef ROWS_ADD
#undef ROWS_MUL

#define ROWS_ADD(code, text, count, bits)
#define ROWS_MUL(code, text, count, bits)                                      \
	[code] = { .mnemonic = text, .operands = count, .flags = bits },
#define QPU_OP(unit, code, name, mnemonic, operands, flags)                    \
	ROWS_##unit(code, mnemonic, operands, flags)
const struct qpu_op_row qpu_mul_ops[8] = {
#include "qpu/isa/isa.def"
};

#define GFX QPU_SIG_FLAG_GFX
#define R4 QPU_SIG_FLAG_R4
#define NOT_EMULATED QPU_SIG_FLAG_NOT_EMULATED
#define DRM QPU_SIG_FLAG_DRM
#define QPU_SIG(code, name, string, bits, units)                               \
	[code] = { .text = string, .flags = bits, .ports = QPU_PORT_##units },
const struct qpu_sig_row qpu_sigs[16] = {
#include "qpu/isa/isa.def"
};
#undef GFX
#undef R4
#undef NOT_EMULATED
#undef DRM

#define GFX QPU_REG_GFX
#define ACC QPU_REG_ACC
#define PERIPH QPU_REG_PERIPH
#define TLB QPU_REG_TLB
#define VPM QPU_REG_VPM
#define MUTEX QPU_REG_MUTEX
#define SFU QPU_REG_SFU
#define TMU QPU_REG_TMU
#define NOT_EMULATED QPU_REG_NOT_EMULATED
#define NOT_DRM QPU_REG_NOT_DRM
#define QPU_READ(addr, reg, name_a, name_b, bits, a, b)                        \
	[addr] = { { name_a, name_b }, bits, { QPU_PORT_##a, QPU_PORT_##b } },
const struct qpu_reg_row qpu_reads[64] = {
#include "qpu/isa/isa.def"
};

#define QPU_WRITE(addr, reg, name_a, name_b, bits, a, b)                       \
	[addr] = { { name_a, name_b }, bits, { QPU_PORT_##a, QPU_PORT_##b } },
const struct qpu_reg_row qpu_writes[64] = {
#include "qpu/isa/isa.def"
};

#define QPU_COND(code, name, suffix) [code] = suffix,
const char *const qpu_cond_names[8] = {
#include "qpu/isa/isa.def"
};

#define QPU_BR(code, name, suffix) [code] = suffix,
const char *const qpu_br_names[16] = {
#include "qpu/isa/isa.def"
};

#define QPU_UNPACK(code, name, suffix) [code] = suffix,
const char *const qpu_unpack_names[8] = {
#include "qpu/isa/isa.def"
};

#define QPU_PACK_A(code, name, suffix) [code] = suffix,
const char *const qpu_pack_a_names[16] = {
#include "qpu/isa/isa.def"
};

#define QPU_PACK_MUL(code, name, suffix) [code] = suffix,
const char *const qpu_pack_mul_names[16] = {
#include "qpu/isa/isa.def"
};

/* The guide, small immediates; the rotation codes read as -16..-1. */
uint32_t
qpu_small_value(unsigned small)
{
	if (small < 16)
		return small;
	if (small < 32)
		return small - 32;
	if (small < 40)
		return 0x3f800000 + (small - 32) * 0x00800000;
	if (small < 48)
		return 0x3b800000 + (small - 40) * 0x00800000;
	return small - 64;
}

int
qpu_small_find(uint32_t value)
{
	for (unsigned small = 0; small < QPU_SMALL_ROT; small++)
		if (qpu_small_value(small) == value)
			return (int)small;
	return -1;
}

bool
qpu_read_is_mapped(unsigned addr, bool file_b)
{
	return addr < QPU_FILE_REGS ||
	       (addr < 64 && qpu_reads[addr].name[file_b]);
}

bool
qpu_write_is_mapped(unsigned addr, bool file_b)
{
	return addr < QPU_FILE_REGS ||
	       (addr < 64 && qpu_writes[addr].name[file_b]);
}

uint32_t
qpu_load_lane(unsigned load, uint32_t imm, unsigned lane)
{
	const uint32_t low = imm >> lane & 1;
	const uint32_t high = imm >> (16 + lane) & 1;

	switch (load) {
	case QPU_LOAD_SIGNED: return low - 2 * high;
	case QPU_LOAD_UNSIGNED: return low + 2 * high;
	default: return imm;
	}
}

bool
qpu_conds_are_disjoint(unsigned cond, unsigned other)
{
	return other == QPU_COND_NEVER || (cond ^ 1) == other;
}

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
