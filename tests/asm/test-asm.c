/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the disassembler writes of any instruction gives the same word
 * again.  Words of the hardware reference are in encoding.golden.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include "qpu/isa/disasm.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { ROUNDS = 40, PER_ROUND = 1000 };

/* Random instructions that an assembler would make, with every field without
 * meaning as the assembler leaves it. */
static bool
random_chance(unsigned of)
{
	return random_below(of) == 0;
}

static unsigned
random_read(bool file_b)
{
	unsigned addr;

	do {
		addr = random_below(64);
	} while (!qpu_read_is_mapped(addr, file_b));
	return addr;
}

/* pm, pack and, where there are sources, unpack. */
static void
random_modes(struct qpu_inst *inst)
{
	struct qpu_use use;
	bool writes_ra, uses_mul;

	qpu_use(inst, &use);
	writes_ra = inst->ws ? inst->waddr_mul < 32 : inst->waddr_add < 32;
	uses_mul = inst->kind == QPU_KIND_ALU || inst->kind == QPU_KIND_SMALL ?
			   inst->op_mul != QPU_MUL_NOP :
			   inst->waddr_mul != QPU_W_NOP;
	if (random_chance(2)) {
		if (writes_ra)
			inst->pack = random_below(16);
		if (qpu_use_reads_mux(&use, QPU_MUX_A) && use.port_a < 32)
			inst->unpack = random_below(8);
		return;
	}
	if (uses_mul)
		do {
			inst->pack = random_below(16);
		} while (!qpu_pack_mul_names[inst->pack]);
	if (qpu_use_reads_mux(&use, QPU_MUX_R4))
		inst->unpack = random_below(8);
	inst->pm = inst->pack || inst->unpack;
}

static void
random_results(struct qpu_inst *inst, bool add, bool mul)
{
	if (add) {
		inst->cond_add = random_below(8);
		inst->waddr_add = random_below(64);
	}
	if (mul) {
		inst->cond_mul = random_below(8);
		inst->waddr_mul = random_below(64);
	}
	if (add || mul) {
		inst->sf = random_chance(4);
		inst->ws = random_chance(2);
	}
}

static void
random_ops(struct qpu_inst *inst)
{
	do {
		inst->op_add = random_below(32);
	} while (!qpu_add_ops[inst->op_add].mnemonic);
	inst->op_mul = random_below(8);
	if (inst->op_add) {
		inst->add_a = random_below(8);
		inst->add_b = qpu_add_ops[inst->op_add].operands == 2 ?
				      random_below(8) :
				      inst->add_a;
	}
	if (inst->op_mul) {
		inst->mul_a = random_below(8);
		inst->mul_b = random_chance(3) ? inst->mul_a : random_below(8);
	}
}

static void
random_alu(struct qpu_inst *inst)
{
	struct qpu_use use;

	qpu_inst_nop(inst, QPU_KIND_ALU);
	random_ops(inst);
	qpu_use(inst, &use);
	const bool uses_b = qpu_use_reads_mux(&use, QPU_MUX_B);
	if (inst->op_mul && random_chance(6)) {
		inst->small = QPU_SMALL_ROT + random_below(16);
	} else if (uses_b && random_chance(3)) {
		inst->small = random_below(QPU_SMALL_ROT);
	} else {
		inst->small = QPU_SMALL_COUNT;
	}
	if (inst->small < QPU_SMALL_COUNT) {
		inst->kind = QPU_KIND_SMALL;
		inst->sig = QPU_SIG_SMALL;
		inst->raddr_b = 0;
	} else {
		inst->small = 0;
		inst->sig = random_below(QPU_SIG_SMALL);
		if (uses_b || random_chance(8))
			inst->raddr_b = random_read(true);
	}
	if (qpu_use_reads_mux(&use, QPU_MUX_A) || random_chance(8))
		inst->raddr_a = random_read(false);
	random_results(inst, inst->op_add, inst->op_mul);
	random_modes(inst);
}

static void
random_load(struct qpu_inst *inst)
{
	static const uint8_t loads[] = {
		QPU_LOAD_32,
		QPU_LOAD_SIGNED,
		QPU_LOAD_UNSIGNED,
	};
	const bool two = random_chance(2);

	qpu_inst_nop(inst, QPU_KIND_LOAD);
	inst->load = loads[random_below(3)];
	inst->imm = random_below(0x7fffffff) * 2;
	/* Lanes of 0 and 1 only would be written as unsigned. */
	if (inst->load == QPU_LOAD_SIGNED)
		inst->imm |= 0x10000;
	random_results(inst, true, two);
	if (two && inst->waddr_mul == QPU_W_NOP && !inst->cond_mul)
		inst->cond_mul = QPU_COND_ALWAYS;
	random_modes(inst);
}

static void
random_sema(struct qpu_inst *inst)
{
	qpu_inst_nop(inst, QPU_KIND_SEMA);
	inst->imm = random_chance(4) ? random_below(0x7fffffff) :
				       random_below(32);
	random_results(inst, true, false);
	if (inst->waddr_add == QPU_W_NOP && !inst->sf)
		inst->cond_add = QPU_COND_NEVER;
	random_modes(inst);
}

static void
random_branch(struct qpu_inst *inst)
{
	qpu_inst_nop(inst, QPU_KIND_BRANCH);
	do {
		inst->cond_br = random_below(16);
	} while (!qpu_br_names[inst->cond_br]);
	inst->rel = random_chance(2);
	inst->reg = random_chance(2);
	if (inst->reg)
		inst->raddr_a = random_below(32);
	inst->imm = random_chance(4) ? 0 : random_below(0x7fffffff) * 3u;
	inst->ws = random_chance(2);
	inst->waddr_add = random_below(64);
	if (random_chance(2))
		inst->waddr_mul = random_below(64);
}

static void
random_inst(struct qpu_inst *inst)
{
	switch (random_below(10)) {
	case 0: random_load(inst); break;
	case 1: random_sema(inst); break;
	case 2: random_branch(inst); break;
	default: random_alu(inst); break;
	}
}

/* A thousand random instructions as one source. */
static unsigned
round_trip(unsigned *nfailures)
{
	static uint64_t words[PER_ROUND];
	static char source[PER_ROUND * QPU_DISASM_SIZE];
	struct qpu_asm_program program;
	size_t len = 0;

	for (unsigned i = 0; i < PER_ROUND; i++) {
		struct qpu_inst inst;
		char text[QPU_DISASM_SIZE];

		random_inst(&inst);
		words[i] = qpu_pack(&inst);
		qpu_disasm(&inst, NULL, text);
		len += sprintf(source + len, "%s\n", text);
	}
	if (!qpu_asm_text("random", source, len, NULL, &program)) {
		for (size_t i = 0; i < program.nmessages; i++)
			tap_note("%s: %s", program.messages[i].source,
				 program.messages[i].text);
		*nfailures += PER_ROUND;
	}
	for (size_t i = 0; i < program.nwords; i++) {
		if (program.words[i].word == words[i])
			continue;
		if ((*nfailures)++ < 10)
			tap_note("%016llx -> %s -> %016llx",
				 (unsigned long long)words[i],
				 program.words[i].text,
				 (unsigned long long)program.words[i].word);
	}
	const unsigned n = program.nwords;
	qpu_asm_free(&program);
	return n;
}

static void
check_random(void)
{
	unsigned n = 0, nfailures = 0;

	for (unsigned i = 0; i < ROUNDS && nfailures < PER_ROUND; i++)
		n += round_trip(&nfailures);
	ok(n == ROUNDS * PER_ROUND,
	   "random instructions assemble as they are disassembled");
	ok(!nfailures, "%u random instructions give their words again", n);
}

int
main(void)
{
	check_random();
	return tap_done();
}
