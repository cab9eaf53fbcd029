/* SPDX-License-Identifier: MIT */
/*
 * program: makes random programs.
 */
#include "config.h"

#include "tests/opt/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"

enum {
	POOL = 12,	  /* registers of each file that are used */
	CALLS = 8,	  /* at most, of the subroutine */
	PENDING = 3,	  /* lookups, at most, of a TMU */
	SCRATCH_ROW = 44, /* of the VPM */
	SCRATCH_ROWS = 8,
};

struct maker {
	struct program *program;
	uint32_t random;
	bool removable[PROGRAM_WORDS]; /* a nop will do instead */
	size_t calls[CALLS];
	unsigned ncalls;
	unsigned pending[2];
};

static unsigned
below(struct maker *m, unsigned bound)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 17;
	m->random ^= m->random << 5;
	return m->random % bound;
}

static void
add_inst(struct maker *m, const struct qpu_inst *inst, bool removable)
{
	struct program *p = m->program;

	if (p->n == PROGRAM_WORDS)
		abort();
	p->insts[p->n] = *inst;
	p->words[p->n] = qpu_pack(inst);
	p->is_inst[p->n] = true;
	m->removable[p->n++] = removable;
}

/* Add instructions that stay, as text. */
__attribute__((format(printf, 2, 3))) static void
add_text(struct maker *m, const char *format, ...)
{
	struct qpu_asm_program from;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!qpu_asm_text("program", text, strlen(text), NULL, &from)) {
		printf("Bail out! %s: %s\n", text,
		       from.nmessages ? from.messages[0].text : "");
		exit(99);
	}
	for (size_t i = 0; i < from.nwords; i++) {
		struct qpu_inst inst;

		qpu_unpack(from.words[i].word, &inst);
		add_inst(m, &inst, false);
	}
	qpu_asm_free(&from);
}

/* --- Instructions of the ALUs ------------------------------------------------ */

static unsigned
random_add_op(struct maker *m)
{
	for (;;) {
		const unsigned op = below(m, 32);

		if (below(m, 4) == 0)
			return QPU_ADD_OR;
		if (qpu_add_ops[op].mnemonic)
			return op;
	}
}

/* A result: a register, often an accumulator, sometimes the SFU or r5. */
static unsigned
random_target(struct maker *m)
{
	switch (below(m, 16)) {
	case 0: return QPU_W_NOP;
	case 1: return QPU_W_R5;
	case 2: return QPU_W_RECIP + below(m, 4);
	case 3:
	case 4:
	case 5:
	case 6:
	case 7: return QPU_W_R0 + below(m, 4);
	default: return below(m, POOL);
	}
}

static unsigned
random_cond(struct maker *m, unsigned target)
{
	/* R10: what goes to a unit is always written. */
	if (target >= QPU_W_RECIP || below(m, 3))
		return QPU_COND_ALWAYS;
	return below(m, 8);
}

static unsigned
random_source(struct maker *m)
{
	switch (below(m, 12)) {
	case 0: return QPU_R_UNIF;
	case 1: return QPU_R_NUMBER;
	default: return below(m, POOL);
	}
}

/* The value of a mux that moves: both operands are the same. */
static void
random_operands(struct maker *m, bool moves, uint8_t *a, uint8_t *b)
{
	*a = below(m, 8);
	*b = moves || !below(m, 4) ? *a : below(m, 8);
}

static void
random_modes(struct maker *m, struct qpu_inst *inst)
{
	const bool to_a = inst->ws ? inst->waddr_mul < QPU_FILE_REGS :
				     inst->waddr_add < QPU_FILE_REGS;

	if (below(m, 3))
		return;
	inst->pm = below(m, 2);
	if (below(m, 2))
		inst->unpack = below(m, 8);
	if (inst->pm && below(m, 2))
		inst->pack = below(m, 2) ? QPU_PACK_8888 :
					   QPU_PACK_8A + below(m, 4);
	else if (!inst->pm && to_a && below(m, 2))
		inst->pack = below(m, 16);
}

static void
random_alu(struct maker *m, struct qpu_inst *inst)
{
	const bool small = !below(m, 4);

	qpu_inst_nop(inst, small ? QPU_KIND_SMALL : QPU_KIND_ALU);
	inst->ws = below(m, 2);
	inst->raddr_a = random_source(m);
	if (small)
		inst->small = below(m, QPU_SMALL_COUNT);
	else
		inst->raddr_b = random_source(m);
	if (below(m, 4)) {
		inst->op_add = random_add_op(m);
		inst->waddr_add = random_target(m);
		inst->cond_add = random_cond(m, inst->waddr_add);
	}
	if (!inst->op_add || below(m, 2)) {
		inst->op_mul = 1 + below(m, 7);
		inst->waddr_mul = random_target(m);
		inst->cond_mul = random_cond(m, inst->waddr_mul);
	}
	random_operands(m, inst->op_add == QPU_ADD_OR, &inst->add_a,
			&inst->add_b);
	random_operands(m, below(m, 2), &inst->mul_a, &inst->mul_b);
	inst->sf = !below(m, 4);
	random_modes(m, inst);
}

static void
random_load(struct maker *m, struct qpu_inst *inst)
{
	static const uint8_t loads[] = { QPU_LOAD_32, QPU_LOAD_32,
					 QPU_LOAD_SIGNED, QPU_LOAD_UNSIGNED };

	qpu_inst_nop(inst, QPU_KIND_LOAD);
	inst->load = loads[below(m, 4)];
	inst->imm = below(m, 2) ? below(m, 32) - 16 : m->random;
	inst->ws = below(m, 2);
	inst->waddr_add = random_target(m);
	inst->cond_add = random_cond(m, inst->waddr_add);
	if (!below(m, 3)) {
		inst->waddr_mul = random_target(m);
		inst->cond_mul = random_cond(m, inst->waddr_mul);
	}
	inst->sf = !below(m, 8);
}

static void
add_random(struct maker *m)
{
	struct qpu_inst inst;

	if (below(m, 10))
		random_alu(m, &inst);
	else
		random_load(m, &inst);
	add_inst(m, &inst, true);
}

static void
add_randoms(struct maker *m, unsigned n)
{
	while (n--)
		add_random(m);
}

/* --- Units --------------------------------------------------------------------- */

static void
fetch(struct maker *m, unsigned tmu)
{
	struct qpu_inst inst;

	do
		random_alu(m, &inst);
	while (inst.kind != QPU_KIND_ALU);
	inst.sig = tmu ? QPU_SIG_LDTMU1 : QPU_SIG_LDTMU0;
	if (inst.waddr_add >= QPU_W_RECIP)
		inst.waddr_add = QPU_W_NOP;
	if (inst.waddr_mul >= QPU_W_RECIP)
		inst.waddr_mul = QPU_W_NOP;
	inst.unpack = inst.pack = 0;
	/* It stays: without it the next one would fetch this result. */
	add_inst(m, &inst, false);
	add_text(m, "nop");
	m->pending[tmu]--;
}

static void
fetch_all(struct maker *m)
{
	for (unsigned tmu = 0; tmu < 2; tmu++)
		while (m->pending[tmu])
			fetch(m, tmu);
}

static void
add_lookup(struct maker *m)
{
	const unsigned tmu = below(m, 2);

	if (m->pending[tmu] == PENDING || !below(m, 2)) {
		if (m->pending[tmu])
			fetch(m, tmu);
		return;
	}
	add_text(m, "add t%us, ra30, %u", tmu, 4 * below(m, 4));
	m->pending[tmu]++;
}

static unsigned
scratch_row(struct maker *m)
{
	return SCRATCH_ROW + below(m, SCRATCH_ROWS);
}

static void
add_vpm_write(struct maker *m)
{
	add_text(m, "mov vw_setup, 0x%x", 0x1a00 | scratch_row(m));
	for (unsigned n = 1 + below(m, 3); n; n--) {
		add_text(m, "mov vpm, r%c%u", below(m, 2) ? 'a' : 'b',
			 below(m, POOL));
		add_randoms(m, below(m, 3));
	}
}

static void
add_vpm_read(struct maker *m)
{
	const unsigned n = 1 + below(m, 3);

	add_text(m, "mov vr_setup, 0x%x\nnop\nnop\nnop",
		 n << 20 | 0x1a00 | scratch_row(m));
	for (unsigned i = 0; i < n; i++) {
		add_text(m, "mov r%u, vpm", below(m, 4));
		add_randoms(m, below(m, 3));
	}
}

static void
add_store(struct maker *m)
{
	add_text(m,
		 "mov vw_setup, 0x%x\nmov vw_setup, 0xc0000000\n"
		 "add vw_addr, ra28, %u",
		 0x81004000 | (scratch_row(m) << 7), below(m, 4) * 4);
	add_randoms(m, below(m, 4));
	add_text(m, "mov -, vw_wait");
}

static void
add_load(struct maker *m)
{
	add_text(m,
		 "mov vr_setup, 0x%x\nmov vr_setup, 0x90000000\n"
		 "mov vr_addr, ra27",
		 0x80011000 | (scratch_row(m) << 4));
	add_randoms(m, below(m, 4));
	add_text(m, "mov -, vr_wait");
}

static void
add_unit(struct maker *m)
{
	const unsigned semaphore = below(m, 16);

	switch (below(m, 8)) {
	case 0: add_vpm_write(m); break;
	case 1: add_vpm_read(m); break;
	case 2: add_store(m); break;
	case 3: add_load(m); break;
	case 4:
		add_text(m, "mov -, mutex");
		add_randoms(m, 1 + below(m, 3));
		add_vpm_write(m);
		add_text(m, "mov mutex, nop");
		break;
	case 5:
		add_text(m, "srel -, %u", semaphore);
		add_randoms(m, below(m, 3));
		add_text(m, "sacq -, %u", semaphore);
		break;
	default: add_lookup(m);
	}
}

/* --- Ways ------------------------------------------------------------------------ */

static void
aim(struct maker *m, size_t branch, size_t target)
{
	struct qpu_inst *inst = &m->program->insts[branch];

	inst->imm = (uint32_t)(8 * ((int64_t)target - (int64_t)branch - 4));
	m->program->words[branch] = qpu_pack(inst);
}

static size_t
add_branch(struct maker *m, unsigned cond, unsigned link)
{
	const size_t at = m->program->n;
	struct qpu_inst inst;

	qpu_inst_nop(&inst, QPU_KIND_BRANCH);
	inst.cond_br = cond;
	inst.rel = true;
	inst.waddr_add = link;
	add_inst(m, &inst, false);
	add_randoms(m, 3);
	return at;
}

/* Over some instructions, in some cases. */
static void
add_skip(struct maker *m)
{
	const unsigned cond = below(m, 12);
	const size_t at = add_branch(m, cond, QPU_W_NOP);

	add_randoms(m, 1 + below(m, 6));
	aim(m, at, m->program->n);
}

static void
add_loop(struct maker *m, unsigned parts)
{
	size_t begin, at;

	add_text(m, "mov ra29, %u", 1 + below(m, 3));
	begin = m->program->n;
	add_randoms(m, 1 + below(m, 8));
	if (parts & PROGRAM_UNITS)
		add_unit(m);
	fetch_all(m);
	add_randoms(m, below(m, 4));
	add_text(m, "nop\nsub.setf ra29, ra29, 1");
	at = add_branch(m, below(m, 2) ? QPU_BR_ANYNZ : QPU_BR_ALLNZ,
			QPU_W_NOP);
	aim(m, at, begin);
}

static void
add_way(struct maker *m, unsigned parts)
{
	fetch_all(m);
	switch (below(m, 4)) {
	case 0: add_loop(m, parts); break;
	case 1:
		if (m->ncalls < CALLS) {
			m->calls[m->ncalls++] =
				add_branch(m, QPU_BR_ALWAYS, 31);
			break;
		}
		/* fall through */
	default: add_skip(m);
	}
}

/* --- The whole ----------------------------------------------------------------------- */

static void
add_beginning(struct maker *m)
{
	add_text(m, "shl r0, elem_num, 2\nadd ra30, r0, unif\n"
		    "mov ra28, unif\nmov ra27, unif");
	for (unsigned i = 0; i < POOL; i++)
		add_text(m,
			 "mov r1, unif\nnop\nmul24 r2, r1, elem_num\n"
			 "xor ra%u, r1, r2\nmov r3, unif\nxor rb%u, r2, r3",
			 i, i);
	add_text(m, "mov r5rep, r3\nmov recip, r1\nnop\nnop\nmov.setf r0, r2");
}

static void
add_end(struct maker *m)
{
	fetch_all(m);
	add_text(m, "mov ra20, 0\nmov ra21, 0\nmov ra22, 0\nnop\n"
		    "mov.ifz ra20, 1\nmov.ifn ra21, 1\nmov.ifc ra22, 1\n"
		    "mov vw_setup, 0x1a00");
	for (unsigned i = 0; i < 6; i++)
		add_text(m, "mov vpm, r%u", i);
	for (unsigned i = 0; i < POOL; i++)
		add_text(m, "mov vpm, ra%u\nmov vpm, rb%u", i, i);
	add_text(m, "mov vpm, ra20\nmov vpm, ra21\nmov vpm, ra22\nnop\n"
		    "mov irq, nop\nthrend\nnop\nnop");
	for (unsigned i = 0; i < m->ncalls; i++)
		aim(m, m->calls[i], m->program->n);
	if (!m->ncalls)
		return;
	add_randoms(m, 2 + below(m, 8));
	add_text(m, "bra -, ra31");
	add_randoms(m, 3);
}

static void
count(void *context, const struct qpu_hazard *hazard)
{
	(void)hazard;
	++*(unsigned *)context;
}

unsigned
program_findings(const struct qpu_inst *insts, const bool *is_inst, size_t n)
{
	unsigned findings = 0;
	bool complete;

	qpu_validate(insts, is_inst, n, count, &findings, &complete);
	return findings;
}

static void
make_nop(struct maker *m, size_t at)
{
	qpu_inst_nop(&m->program->insts[at], QPU_KIND_ALU);
	m->program->words[at] = qpu_pack(&m->program->insts[at]);
	m->removable[at] = false;
}

static void
remove_finding(void *context, const struct qpu_hazard *hazard)
{
	struct maker *m = context;

	if (m->removable[hazard->index])
		make_nop(m, hazard->index);
	else if (m->removable[hazard->cause])
		make_nop(m, hazard->cause);
	else
		/* A signal stays, without the operations beside it. */
		for (unsigned i = 0; i < 2; i++) {
			const size_t at = i ? hazard->cause : hazard->index;
			struct qpu_inst *inst = &m->program->insts[at];
			const unsigned sig = inst->sig;

			if (sig != QPU_SIG_LDTMU0 && sig != QPU_SIG_LDTMU1)
				continue;
			make_nop(m, at);
			inst->sig = sig;
			m->program->words[at] = qpu_pack(inst);
		}
}

static void
remove_findings(struct maker *m)
{
	struct program *p = m->program;
	unsigned rounds = 0;
	bool complete;

	while (program_findings(p->insts, p->is_inst, p->n) && rounds++ < 50)
		qpu_validate(p->insts, p->is_inst, p->n, remove_finding, m,
			     &complete);
}

void
program_make(struct program *program, uint32_t seed, unsigned parts,
	     unsigned length)
{
	struct maker m = { .program = program,
			   .random = seed * 2654435761u | 1 };

	program->n = 0;
	for (unsigned i = 0; i < 8; i++)
		below(&m, 1);
	add_beginning(&m);
	while (program->n < length) {
		add_randoms(&m, 1 + below(&m, 6));
		if (parts & PROGRAM_UNITS && !below(&m, 3))
			add_unit(&m);
		if (parts & PROGRAM_BRANCHES && !below(&m, 4))
			add_way(&m, parts);
	}
	add_end(&m);
	remove_findings(&m);
}
