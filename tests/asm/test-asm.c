/* SPDX-License-Identifier: MIT */
/*
 * Promise: the assembler gives the words of the hardware reference (section
 * 16), and what the disassembler writes gives the same words again.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include "qpu/isa/disasm.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/use.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { ROUNDS = 120, PER_ROUND = 1000 };

static const struct {
	uint64_t word;
	const char *text;
} vectors[] = {
	{ UINT64_C(0x100009E7009E7000), "nop" },
	{ UINT64_C(0x300009E7009E7000), "thrend" },
	{ UINT64_C(0xA00009E7009E7000), "ldtmu0" },
	{ UINT64_C(0xB00009E7009E7000), "ldtmu1" },
	{ UINT64_C(0x1002002715827D80), "mov ra0, unif" },
	{ UINT64_C(0x1002116715827D80), "mov rb5, unif" },
	{ UINT64_C(0x100208270C9E7280), "add r0, r1, r2" },
	{ UINT64_C(0xD00229E70D0C1DC0), "sub.setf -, ra3, 1" },
	{ UINT64_C(0x1002482196042DDB), "xor r0, ra1, rb2; v8min r1, r3, r3" },
	{ UINT64_C(0xD002086710606DC0), "ror r1, ra24, 6" },
	{ UINT64_C(0xD002086710619DC0), "ror r1, ra24, -7" },
	{ UINT64_C(0xD002086710619DC0), "ror r1, ra24, 25" },
	{ UINT64_C(0xD002082711982DC0), "shl r0, elem_num, 2" },
	{ UINT64_C(0x10020E270C067C00), "add t0s, ra1, r0" },
	{ UINT64_C(0xA0020827159E7900), "mov r0, r4; ldtmu0" },
	{ UINT64_C(0x10024822D4643DC1),
	  "and r0, ra25, rb3; v8adds r2, r0, r1" },
	{ UINT64_C(0x100049E040041037), "nop; mul24 r0, ra1, rb1" },
	{ UINT64_C(0x1004C8228C9E705B), "add.ifz r0, r0, r1; mov.ifnz r2, r3" },
	{ UINT64_C(0xD00049E2809FF000), "mov r2, r0 << 1" },
	{ UINT64_C(0xD00049E2809F1000), "mov r2, r0 >> 1" },
	{ UINT64_C(0xD00049E2809F0000), "mov r2, r0 << r5" },
	{ UINT64_C(0x10021967159E7000), "mov r5rep, r0" },
	{ UINT64_C(0x10020967159E7000), "mov r5quad, r0" },
	{ UINT64_C(0x10020C67159E7000), "mov vr_setup, r0" },
	{ UINT64_C(0x10021C67159E7000), "mov vw_setup, r0" },
	{ UINT64_C(0x10020C27159E7000), "mov vpm, r0" },
	{ UINT64_C(0x1002082715C27D80), "mov r0, vpm" },
	{ UINT64_C(0x10020CA715067D80), "mov vr_addr, ra1" },
	{ UINT64_C(0x10021CA715067D80), "mov vw_addr, ra1" },
	{ UINT64_C(0x100009E700CA7000), "read vr_wait" },
	{ UINT64_C(0x100009E7009F2000), "read vw_wait" },
	{ UINT64_C(0xE002082712345678), "ldi r0, 0x12345678" },
	{ UINT64_C(0xE00247DF428A2F98), "ldi ra31, rb31, 0x428a2f98" },
	{ UINT64_C(0xE6020867CCCCAAAA),
	  "ldi r1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]" },
	{ UINT64_C(0xE2020867CCCC6666),
	  "ldi r1, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]" },
	{ UINT64_C(0xE80009E700000013), "sacq -, 3" },
	{ UINT64_C(0xE80009E70000000C), "srel -, 12" },
	{ UINT64_C(0xE80009E700000013), "mov -, sacq3" },
	{ UINT64_C(0xE80009E70000000C), "mov -, srel(10 + 2)" },
	{ UINT64_C(0xF03809E7FFFFFFE0), ":l1 brr.anynz -, r:l1" },
	{ UINT64_C(0xF03809E7FFFFFFE0), "1: brr.anynz -, r:1b" },
	{ UINT64_C(0xF0F801E7FFFFFFE0), ":l1 brr ra7, :l1" },
	{ UINT64_C(0xF0F801E7FFFFFFC0), "brr ra7, -64" },
	{ UINT64_C(0xF0F509E700000000), "bra -, ra8" },
	{ UINT64_C(0x10120127159E7000), "mov ra4.16a, r0" },
	{ UINT64_C(0x18F201270C167C40), "add ra4.8dsi, ra5.8a, r1" },
	/* Section 16 has code 14, which the guide's table of pm = 1 lacks; boards
	 * were seen with 6 (vc4asm, py-videocore). */
	{ UINT64_C(0x116049E0209E700A), "fmul r0.8c, r1, r2" },
	{ UINT64_C(0xD13049F020520037), "nop; fmul vpm.8888, ra20, 1.0" },
	{ UINT64_C(0xDB020827019E09C0), "fadd r0, r4.8b, 1.0" },
	{ UINT64_C(0x100200A7170A7D80), "not ra2, ra2" },
	{ UINT64_C(0x10020827189C2FC0), "clz r0, rb2" },
	{ UINT64_C(0xD00248212106FDD3), "fadd r0, ra1, 0.5; fmul r1, r2, r3" },
	{ UINT64_C(0xE00217A700000040), "ldi rb30, 0x40" },
};

static bool
assemble(const char *text, uint64_t *word)
{
	struct qpu_asm_program program;
	const bool good =
		qpu_asm_text("t", text, strlen(text), NULL, &program) &&
		program.nwords == 1;

	*word = good ? program.words[0].word : 0;
	if (program.ndiagnostics)
		tap_note("%s: %s", text, program.diagnostics[0].diag.text);
	qpu_asm_free(&program);
	return good;
}

static void
check_vectors(void)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		char text[QPU_DISASM_SIZE];
		struct qpu_inst inst;
		uint64_t word;

		if (!ok(assemble(vectors[i].text, &word) &&
				word == vectors[i].word,
			"'%s' has the word of the hardware reference",
			vectors[i].text))
			tap_note("got %016llx", (unsigned long long)word);
		if (!ok(qpu_unpack(vectors[i].word, &inst),
			"%s is an instruction", vectors[i].text))
			continue;
		qpu_disasm(&inst, NULL, text);
		ok(assemble(text, &word) && word == vectors[i].word,
		   "'%s' comes back as '%s'", vectors[i].text, text);
	}
}

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
		for (size_t i = 0; i < program.ndiagnostics; i++)
			tap_note("%s: %s", program.diagnostics[i].source,
				 program.diagnostics[i].diag.text);
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
	check_vectors();
	check_random();
	return tap_done();
}
