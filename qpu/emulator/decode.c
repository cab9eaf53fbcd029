/* SPDX-License-Identifier: MIT */
/*
 * decode: struct qpu_inst to struct emu_op, and pages of these.
 */
#include "config.h"

#include "qpu/emulator/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"

/* The guide, register address map; an unmapped address yields the element or QPU
 * number. */
static unsigned
file_slot(unsigned addr, bool file_b)
{
	if (addr < QPU_FILE_REGS)
		return (file_b ? EMU_SLOT_B : EMU_SLOT_A) + addr;
	if (addr == QPU_R_NOP)
		return EMU_SLOT_NOTHING;
	if (addr == QPU_R_COORD)
		return file_b ? EMU_SLOT_Y : EMU_SLOT_X;
	if (qpu_reads[addr].ports[file_b])
		return file_b ? EMU_SLOT_IN_B : EMU_SLOT_IN_A;
	return file_b ? EMU_SLOT_QPU : EMU_SLOT_ELEMENT;
}

/* The conversion that an operand goes through. */
static unsigned
unpacked_slot(const struct qpu_inst *inst, struct emu_op *op, unsigned from,
	      bool as_float)
{
	op->before |= EMU_BEFORE_UNPACK;
	op->unpack_from = from;
	if (as_float) {
		op->unpack_float = inst->unpack | EMU_UNPACK_FLOAT;
		return EMU_SLOT_UNPACK_FLOAT;
	}
	op->unpack_int = inst->unpack;
	return EMU_SLOT_UNPACK_INT;
}

static unsigned
operand_slot(const struct qpu_inst *inst, struct emu_op *op, unsigned mux,
	     unsigned op_flags)
{
	const bool as_float = op_flags & QPU_OP_FI;
	unsigned slot;

	switch (mux) {
	case QPU_MUX_A:
		slot = file_slot(inst->raddr_a, false);
		if (inst->unpack && !inst->pm && inst->raddr_a < QPU_FILE_REGS)
			return unpacked_slot(inst, op, slot, as_float);
		return slot;
	case QPU_MUX_B:
		if (inst->kind == QPU_KIND_SMALL)
			return EMU_SLOT_SMALL + inst->small;
		return file_slot(inst->raddr_b, true);
	case QPU_MUX_R4:
		if (inst->unpack && inst->pm)
			return unpacked_slot(inst, op, EMU_SLOT_R4, true);
		return EMU_SLOT_R4;
	default: return EMU_SLOT_ACC + mux;
	}
}

/* Set the destination of a result; a port takes it from a slot of its own. */
static void
decode_result(struct emu_op *op, struct emu_alu *alu, unsigned waddr,
	      bool file_b)
{
	const uint32_t ports = qpu_writes[waddr].ports[file_b];

	if (waddr < QPU_FILE_REGS) {
		alu->to = (file_b ? EMU_SLOT_B : EMU_SLOT_A) + waddr;
	} else if (waddr <= QPU_W_R3) {
		alu->to = EMU_SLOT_ACC + (waddr - QPU_W_R0);
	} else if (ports) {
		alu->to = alu == &op->add ? EMU_SLOT_OUT_ADD : EMU_SLOT_OUT_MUL;
		alu->port = waddr;
		alu->in_b = file_b;
		op->ports |= ports;
	}
}

static void
decode_results(const struct qpu_inst *inst, struct emu_op *op, bool add_writes,
	       bool mul_writes)
{
	op->add.port = op->mul.port = QPU_W_NOP;
	op->add.to = op->mul.to = EMU_SLOT_TRASH;
	if (add_writes)
		decode_result(op, &op->add, inst->waddr_add, inst->ws);
	if (mul_writes)
		decode_result(op, &op->mul, inst->waddr_mul, !inst->ws);
	/* If both ALUs write one port, the mul value arrives. */
	if (op->add.port == op->mul.port && op->add.port != QPU_W_NOP &&
	    op->add.port != QPU_W_IRQ && op->add.port != QPU_W_R5 &&
	    qpu_writes[op->add.port].ports[0] ==
		    qpu_writes[op->add.port].ports[1]) {
		op->add.port = QPU_W_NOP;
		op->add.to = EMU_SLOT_TRASH;
	}
}

/*
 * Find which result is packed.  That of the mul ALU is so wherever it goes;
 * beside a part of a word that goes to a port, UNSURE(U19), is what nothing yields.
 */
static void
decode_pack(const struct qpu_inst *inst, struct emu_op *op)
{
	const bool side_mul = inst->pm || inst->ws;
	struct emu_alu *alu = side_mul ? &op->mul : &op->add;
	const unsigned flags =
		inst->kind == QPU_KIND_ALU || inst->kind == QPU_KIND_SMALL ?
			side_mul ? qpu_mul_ops[inst->op_mul].flags :
				   qpu_add_ops[inst->op_add].flags :
			0;

	if (!inst->pack || alu->to == EMU_SLOT_TRASH ||
	    (!inst->pm && alu->to >= EMU_SLOT_B))
		return;
	op->pack = inst->pack;
	op->pack_into = alu->port == QPU_W_NOP ? alu->to :
			alu->port == QPU_W_R5  ? EMU_SLOT_R5 :
						 EMU_SLOT_NOTHING;
	op->pack_mul = inst->pm;
	op->pack_float = flags & QPU_OP_FO;
	alu->packs = true;
	op->after |= EMU_AFTER_PACK;
}

/*
 * The guide, vector rotation: only r0..r3 can travel across quads.  Beside another
 * operand, UNSURE(U2), the accumulator moves by whole quads before the operation.
 */
static void
decode_rotation(const struct qpu_inst *inst, struct emu_op *op)
{
	const bool acc_a = inst->mul_a < QPU_MUX_R4;
	const bool acc_b = inst->mul_b < QPU_MUX_R4;

	op->rotate = inst->small == QPU_SMALL_ROT_R5 ? EMU_ROTATE_R5 :
						       inst->small & 15;
	op->rotate_quads = !(acc_a && acc_b);
	op->after |= EMU_AFTER_ROTATE;
	if (acc_a == acc_b)
		return;
	op->before |= EMU_BEFORE_MIXED;
	op->mixed_from = acc_a ? op->mul.a : op->mul.b;
	if (acc_a)
		op->mul.a = EMU_SLOT_MIXED;
	else
		op->mul.b = EMU_SLOT_MIXED;
}

/* Return true if a written address has a flag; a texture lookup has QPU_REG_GFX. */
static bool
write_has(unsigned waddr, unsigned flag)
{
	const unsigned flags = qpu_writes[waddr].flags;

	/* Direct lookups are one s-write; t, r and b make a texture lookup. */
	return flags & flag || (flag == QPU_REG_GFX && flags & QPU_REG_TMU &&
				waddr != QPU_W_T0S && waddr != QPU_W_T1S);
}

/* Return true if an ALU uses an address without a register. */
static bool
reads_nowhere(const struct qpu_inst *inst)
{
	struct qpu_use use;

	qpu_use(inst, &use);
	return (qpu_use_reads_mux(&use, QPU_MUX_A) &&
		!qpu_read_is_mapped(inst->raddr_a, false)) ||
	       (inst->kind == QPU_KIND_ALU &&
		qpu_use_reads_mux(&use, QPU_MUX_B) &&
		!qpu_read_is_mapped(inst->raddr_b, true));
}

static void
decode_alu(const struct qpu_inst *inst, struct emu_op *op)
{
	const struct qpu_op_row *row = &qpu_add_ops[inst->op_add];
	const unsigned mul_flags = qpu_mul_ops[inst->op_mul].flags;
	struct emu_alu *const add = &op->add, *const mul = &op->mul;

	add->op = inst->op_add;
	mul->op = inst->op_mul;
	if (add->op) {
		add->a = add->b =
			operand_slot(inst, op, inst->add_a, row->flags);
		if (row->operands > 1)
			add->b =
				operand_slot(inst, op, inst->add_b, row->flags);
	}
	/* A mul nop with a destination writes what is not defined. */
	op->mul_no_value = !inst->op_mul && inst->cond_mul &&
			   inst->waddr_mul != QPU_W_NOP;
	if (op->mul_no_value) {
		mul->op = EMU_MOV;
		mul->a = mul->b = EMU_SLOT_NOTHING;
	} else if (mul->op) {
		mul->a = operand_slot(inst, op, inst->mul_a, mul_flags);
		mul->b = operand_slot(inst, op, inst->mul_b, mul_flags);
	}
	op->read_a = inst->raddr_a;
	op->read_b = inst->kind == QPU_KIND_ALU ? inst->raddr_b : QPU_R_NOP;
	op->reads_nowhere = reads_nowhere(inst);
	op->ports |= qpu_reads[op->read_a].ports[0] |
		     qpu_reads[op->read_b].ports[1] | qpu_sigs[inst->sig].ports;
	if (op->ports & QPU_PORT_SIGNAL)
		op->signal = inst->sig;
	/* A mul nop at an address of graphics has done no harm on boards. */
	decode_results(inst, op, add->op && inst->cond_add,
		       mul->op && inst->cond_mul &&
			       !(op->mul_no_value &&
				 write_has(inst->waddr_mul, QPU_REG_GFX)));
	if (inst->kind == QPU_KIND_SMALL && inst->small >= QPU_SMALL_ROT &&
	    inst->op_mul)
		decode_rotation(inst, op);
	add->constant = add->a == add->b &&
			(add->op == QPU_ADD_XOR || add->op == QPU_ADD_SUB ||
			 add->op == QPU_ADD_V8SUBS);
	mul->constant = mul->a == mul->b && mul->op == QPU_MUL_V8SUBS;
	/* An operation whose operands are the same value is a move. */
	if ((add->op == QPU_ADD_OR || add->op == QPU_ADD_AND) &&
	    add->a == add->b)
		add->op = EMU_MOV;
	if ((mul->op == QPU_MUL_V8MIN || mul->op == QPU_MUL_V8MAX) &&
	    mul->a == mul->b)
		mul->op = EMU_MOV;
	/* The add ALU sets the flags unless its operation is nop. */
	if (inst->sf && add->op)
		add->flags = true;
	else if (inst->sf && inst->op_mul)
		mul->flags = true;
}

/* The value of a load immediate or semaphore is at both ALUs. */
static void
decode_load(const struct qpu_inst *inst, struct emu_op *op)
{
	op->before |= EMU_BEFORE_LOAD;
	op->add.op = EMU_MOV;
	op->mul.op = EMU_MOV;
	op->add.a = op->add.b = op->mul.a = op->mul.b = EMU_SLOT_LOAD;
	op->imm = inst->imm;
	op->load = inst->kind == QPU_KIND_LOAD ? inst->load : QPU_LOAD_32;
	if (inst->kind == QPU_KIND_SEMA) {
		op->sema = qpu_sema_number(inst);
		op->ports |= qpu_sema_acquires(inst) ? QPU_PORT_SEMA_DOWN :
						       QPU_PORT_SEMA_UP;
	}
	decode_results(inst, op, inst->cond_add, inst->cond_mul);
	if (inst->sf)
		(inst->cond_add ? &op->add : &op->mul)->flags = true;
}

static void
decode_branch(const struct qpu_inst *inst, uint32_t addr, struct emu_op *op)
{
	op->kind = EMU_KIND_BRANCH;
	op->cond_br = inst->cond_br;
	op->reg = inst->reg;
	op->rel = inst->rel;
	op->add.a = EMU_SLOT_A + inst->raddr_a;
	op->add.cond = op->mul.cond = QPU_COND_ALWAYS;
	op->branch_flags = qpu_inst_sets_flags(inst);
	op->imm = inst->imm + (inst->rel ? addr + 4u * QPU_INST_BYTES : 0);
	decode_results(inst, op, true, true);
}

/* The name of what an instruction uses and no program has, or, with `shaders`,
 * only shaders; null: nothing. */
static const char *
refused(const struct qpu_inst *inst, bool shaders)
{
	const bool loads = inst->kind == QPU_KIND_LOAD ||
			   inst->kind == QPU_KIND_SEMA;
	const bool branch = inst->kind == QPU_KIND_BRANCH;
	const unsigned a = loads || branch ? QPU_R_NOP : inst->raddr_a;
	const unsigned b = inst->kind == QPU_KIND_ALU ? inst->raddr_b :
							QPU_R_NOP;
	const unsigned flag = shaders ? QPU_REG_GFX : QPU_REG_NOT_EMULATED;
	/* A link is not written there by shaders either. */
	const unsigned written = branch ? QPU_REG_GFX : flag;

	if (qpu_sigs[inst->sig].flags &
	    (shaders ? QPU_SIG_FLAG_GFX : QPU_SIG_FLAG_NOT_EMULATED))
		return qpu_sigs[inst->sig].text;
	if (qpu_reads[a].flags & flag)
		return qpu_reads[a].name[0];
	if (qpu_reads[b].flags & flag)
		return qpu_reads[b].name[1];
	if ((branch || (inst->cond_add && (loads || inst->op_add))) &&
	    write_has(inst->waddr_add, written))
		return qpu_writes[inst->waddr_add].name[inst->ws];
	if ((branch || (inst->cond_mul && (loads || inst->op_mul))) &&
	    write_has(inst->waddr_mul, written))
		return qpu_writes[inst->waddr_mul].name[!inst->ws];
	return NULL;
}

void
emu_decode_explain(uint64_t word, char *text, size_t bytes)
{
	struct qpu_inst inst;

	if (!qpu_unpack(word, &inst))
		snprintf(text, bytes, "reserved instruction encoding");
	else if (inst.sig == QPU_SIG_BKPT)
		snprintf(text, bytes, "software breakpoint");
	else if (refused(&inst, false))
		snprintf(text, bytes, "%s is not emulated",
			 refused(&inst, false));
	else
		snprintf(text, bytes, "only shaders can use %s",
			 refused(&inst, true) ? refused(&inst, true) : "it");
}

/* "never" writes nothing, and flags obey it. */
static bool
is_conditional(const struct emu_alu *alu)
{
	return alu->cond != QPU_COND_ALWAYS &&
	       (alu->to != EMU_SLOT_TRASH || alu->flags);
}

static void
decode_kind(const struct qpu_inst *inst, struct emu_op *op)
{
	op->add.cond = inst->cond_add;
	op->mul.cond = inst->cond_mul;
	if (inst->kind == QPU_KIND_LOAD || inst->kind == QPU_KIND_SEMA)
		decode_load(inst, op);
	else
		decode_alu(inst, op);
	decode_pack(inst, op);
	if (op->add.flags || op->mul.flags)
		op->after |= EMU_AFTER_FLAGS;
	if (is_conditional(&op->add) || is_conditional(&op->mul))
		op->after |= EMU_AFTER_COND;
	if (op->ports & QPU_PORTS_BEFORE)
		op->before |= EMU_BEFORE_PORT;
	if (op->ports & QPU_PORTS_AFTER)
		op->after |= EMU_AFTER_PORT;
	op->kind = op->before || op->after ? EMU_KIND_ALU : EMU_KIND_PLAIN;
}

void
emu_decode(uint64_t word, uint32_t addr, struct emu_op *op)
{
	struct qpu_inst inst;

	memset(op, 0, sizeof(*op));
	op->add.a = op->add.b = op->mul.a = op->mul.b = EMU_SLOT_NOTHING;
	if (!qpu_unpack(word, &inst) || refused(&inst, false))
		op->kind = EMU_KIND_REFUSE;
	else if (inst.kind == QPU_KIND_BRANCH)
		decode_branch(&inst, addr, op);
	else
		decode_kind(&inst, op);
}

/* --- Pages of decoded instructions -------------------------------------------- */

enum { PAGES = (MACHINE_BUS_MASK + 1u) / EMU_PAGE_BYTES };

bool
emu_code_init(struct emu_code *code)
{
	code->pages = calloc(PAGES, sizeof(*code->pages));
	return code->pages;
}

void
emu_code_free(struct emu_code *code)
{
	for (size_t i = 0; i < code->npages; i++) {
		free(code->list[i]->costs);
		free(code->list[i]);
	}
	free(code->list);
	free(code->pages);
	memset(code, 0, sizeof(*code));
}

static struct emu_page *
page_create(struct emu_code *code, uint32_t base, bool profile)
{
	struct emu_page *page = calloc(1, sizeof(*page));
	struct emu_page **list;

	if (!page)
		return NULL;
	if (profile) {
		page->costs = calloc(EMU_PAGE_OPS, sizeof(*page->costs));
		if (!page->costs)
			goto err;
	}
	list = realloc(code->list, (code->npages + 1) * sizeof(*list));
	if (!list)
		goto err;
	code->list = list;
	/* By rising address. */
	size_t at = code->npages++;
	for (; at && list[at - 1]->base > base; at--)
		list[at] = list[at - 1];
	list[at] = page;
	page->base = base;
	page->ops[EMU_PAGE_OPS].kind = EMU_KIND_NEXT_PAGE;
	code->pages[base / EMU_PAGE_BYTES] = page;
	return page;
err:
	free(page->costs);
	free(page);
	return NULL;
}

struct emu_page *
emu_code_page(struct emu_code *code, struct emu_memory *memory, uint32_t addr,
	      bool profile)
{
	const uint32_t base = addr & MACHINE_BUS_MASK & ~(EMU_PAGE_BYTES - 1u);
	struct emu_page *page = code->pages[base / EMU_PAGE_BYTES];

	if (!emu_memory_at(memory, addr, QPU_INST_BYTES))
		return NULL;
	return page ? page : page_create(code, base, profile);
}

/*
 * Instructions at the end of a region may have no memory after them; that
 * matters only if they are executed .
 */
void
emu_code_decode(struct emu_page *page, struct emu_memory *memory,
		const struct emu_op *op)
{
	const size_t first = (size_t)(op - page->ops) & ~(EMU_LINE_OPS - 1ul);
	unsigned run = 0;

	for (size_t i = first + EMU_LINE_OPS; i-- > first;) {
		struct emu_op *decoded = &page->ops[i];
		const uint32_t addr = page->base + i * QPU_INST_BYTES;
		const uint8_t *bytes =
			emu_memory_at(memory, addr, QPU_INST_BYTES);

		page->words[i] = bytes ? qpu_word_load(bytes) : 0;
		emu_decode(page->words[i], addr, decoded);
		if (!bytes)
			decoded->kind = EMU_KIND_REFUSE;
		if (decoded->kind == EMU_KIND_BRANCH)
			run = !decoded->ports;
		else if (decoded->kind == EMU_KIND_REFUSE ||
			 decoded->ports & ~(uint32_t)QPU_PORTS_PRIVATE)
			run = 0;
		else
			run++;
		decoded->run = run;
	}
}

static void
forget_line(struct emu_page *page, size_t op)
{
	const size_t first = op & ~(EMU_LINE_OPS - 1ul);

	for (size_t i = first; i < first + EMU_LINE_OPS; i++)
		page->ops[i].kind = EMU_KIND_DECODE;
}

void
emu_code_invalidate(struct emu_code *code, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t first = bus_addr & MACHINE_BUS_MASK;
	const uint32_t last = first + bytes - 1;

	for (uint32_t addr = first & ~63u; bytes && addr <= last; addr += 64) {
		struct emu_page *page =
			addr <= MACHINE_BUS_MASK ?
				code->pages[addr / EMU_PAGE_BYTES] :
				NULL;

		if (page)
			forget_line(page, addr % EMU_PAGE_BYTES / 8);
	}
}

void
emu_code_revalidate(struct emu_code *code, struct emu_memory *memory)
{
	for (size_t n = 0; n < code->npages; n++) {
		struct emu_page *page = code->list[n];

		for (size_t i = 0; i < EMU_PAGE_OPS; i++) {
			const uint8_t *bytes;

			if (page->ops[i].kind == EMU_KIND_DECODE)
				continue;
			bytes = emu_memory_at(memory, page->base + i * 8, 8);
			if (!bytes || qpu_word_load(bytes) != page->words[i])
				forget_line(page, i);
		}
	}
}
