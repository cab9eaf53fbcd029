/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/check.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/stale.h"

enum {
	AGE_MAX = 200, /* "long ago" */
};

/* What the instructions before left behind on one QPU. */
struct history {
	uint8_t slot[2]; /* written by the last instruction */
	uint16_t lanes[2];
	uint8_t r5, unif_addr, noswap, sfu; /* instructions since */
	bool looked_up;			    /* a TMU was used */
	bool defined[EMU_SLOT_ACC + 6];
	uint64_t load_rows, store_rows; /* VPM rows under a DMA */
	struct emu_transfer store;	/* while there are store_rows */
};

struct emu_check {
	struct history history[MACHINE_QPUS];
	struct emu_stale stale;
};

void
emu_check_destroy(struct emu_check *check)
{
	if (check)
		emu_stale_free(&check->stale);
	free(check);
}

struct emu_check *
emu_check_create(const struct machine_timing *timing)
{
	struct emu_check *check = calloc(1, sizeof(*check));

	if (check && emu_stale_init(&check->stale,
				    timing ? timing : &machine_timing_default))
		return check;
	emu_check_destroy(check);
	return NULL;
}

static struct history *
history_of(struct emu_qpu *qpu)
{
	return &qpu->machine->check->history[qpu->number];
}

void
emu_check_start(struct emu_qpu *qpu)
{
	struct history *history = history_of(qpu);

	memset(history, 0, sizeof(*history));
	history->r5 = history->unif_addr = history->noswap = AGE_MAX;
	history->sfu = AGE_MAX;
}

/* The register behind an operand slot. */
static unsigned
source_slot(const struct emu_op *op, unsigned slot)
{
	if (slot == EMU_SLOT_UNPACK_INT || slot == EMU_SLOT_UNPACK_FLOAT)
		return op->unpack_from;
	return slot == EMU_SLOT_MIXED ? op->mixed_from : slot;
}

static bool
is_register_14(unsigned slot)
{
	return slot == EMU_SLOT_A + 14 || slot == EMU_SLOT_B + 14;
}

/* The rules for one operand: R1, R6, R7 and C22 (never written). */
static void
check_operand(struct emu_qpu *qpu, unsigned slot, unsigned lanes)
{
	struct history *history = history_of(qpu);

	if (slot >= EMU_SLOT_ACC + 6)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (slot < EMU_SLOT_ACC && history->slot[i] == slot &&
		    history->lanes[i] & lanes)
			emu_note(qpu, 1);
	if (slot == EMU_SLOT_R4 && history->sfu < 2)
		emu_note(qpu, 6);
	if (qpu->end_slots && is_register_14(slot))
		emu_note(qpu, 7);
	if (!history->defined[slot] && lanes)
		emu_note(qpu, EMU_RULE_UNDEFINED);
}

/* x ^ x and x - x are defined whatever x is (checklist 6). */
static bool
cancels(const struct emu_op *op)
{
	return op->a == op->b &&
	       (op->add == QPU_ADD_XOR || op->add == QPU_ADD_SUB ||
		op->add == QPU_ADD_V8SUBS);
}

static bool
is_last(unsigned slot)
{
	return slot == EMU_SLOT_LAST_A || slot == EMU_SLOT_LAST_B;
}

/* C35: the values of register 39 and of a mul nop (3.15). */
static void
check_values(struct emu_qpu *qpu, const struct emu_op *op)
{
	const bool add = op->to_add != EMU_SLOT_TRASH ||
			 op->flags_from == EMU_SIDE_ADD;
	const bool mul = op->to_mul != EMU_SLOT_TRASH ||
			 op->flags_from == EMU_SIDE_MUL;

	if (op->mul_no_value ||
	    (add && op->add != QPU_ADD_NOP && !cancels(op) &&
	     (is_last(source_slot(op, op->a)) ||
	      is_last(source_slot(op, op->b)))) ||
	    (mul && op->mul != QPU_MUL_NOP &&
	     (is_last(source_slot(op, op->c)) ||
	      is_last(source_slot(op, op->d)))))
		emu_note(qpu, EMU_RULE_NO_VALUE);
}

static void
check_operands(struct emu_qpu *qpu, const struct emu_op *op)
{
	unsigned add = emu_lanes_cond(qpu, op->cond_add);
	unsigned mul = emu_lanes_cond(qpu, op->cond_mul);

	if (op->write_add != QPU_W_NOP && op->write_add != QPU_W_IRQ)
		add = EMU_ALL_LANES;
	if ((op->write_mul != QPU_W_NOP && op->write_mul != QPU_W_IRQ) ||
	    op->after & EMU_AFTER_ROTATE)
		mul = EMU_ALL_LANES;
	if (op->add != QPU_ADD_NOP && !cancels(op)) {
		check_operand(qpu, source_slot(op, op->a), add);
		check_operand(qpu, source_slot(op, op->b), add);
	}
	if (op->mul != QPU_MUL_NOP &&
	    !(op->mul == QPU_MUL_V8SUBS && op->c == op->d)) {
		check_operand(qpu, source_slot(op, op->c), mul);
		check_operand(qpu, source_slot(op, op->d), mul);
	}
}

static void
check_rotation(struct emu_qpu *qpu, const struct emu_op *op)
{
	const struct history *history = history_of(qpu);

	if (op->rotate == EMU_ROTATE_R5 && history->r5 < 1)
		emu_note(qpu, 2);
	for (unsigned i = 0; i < 2; i++) {
		const unsigned slot = history->slot[i];

		if (slot >= EMU_SLOT_ACC && slot < EMU_SLOT_R4 &&
		    (source_slot(op, op->c) == slot ||
		     source_slot(op, op->d) == slot))
			emu_note(qpu, 3);
	}
}

/* Both ALUs move one value: the usual end of py-videocore's programs. */
static bool
writes_the_same(const struct emu_op *op)
{
	return op->add == EMU_ADD_MOV && op->mul == EMU_MUL_MOV &&
	       op->a == op->c &&
	       !(op->after & (EMU_AFTER_ROTATE | EMU_AFTER_PACK));
}

/* R10: lanes are suppressed that go to the port all the same. */
static bool
is_suppressed(unsigned waddr, unsigned lanes)
{
	return waddr != QPU_W_NOP && waddr != QPU_W_IRQ && waddr != QPU_W_R5 &&
	       lanes != EMU_ALL_LANES;
}

/* R10 and R12: writes to peripherals, and two writes to one register. */
static void
check_results(struct emu_qpu *qpu, const struct emu_op *op)
{
	const unsigned add = emu_lanes_cond(qpu, op->cond_add);
	const unsigned mul = emu_lanes_cond(qpu, op->cond_mul);

	if (is_suppressed(op->write_add, add) ||
	    is_suppressed(op->write_mul, mul))
		emu_note(qpu, 10);
	if (!(add & mul) || writes_the_same(op))
		return;
	if ((op->to_add == op->to_mul && op->to_add != EMU_SLOT_TRASH) ||
	    (op->write_add == op->write_mul && op->write_add == QPU_W_R5))
		emu_note(qpu, 12);
}

/* R4, R5, R6, R7, R13: ages and combinations of ports. */
static void
check_ports(struct emu_qpu *qpu, const struct emu_op *op)
{
	const struct history *history = history_of(qpu);
	const uint32_t ports = op->ports;
	const uint32_t setups = EMU_PORT_VR_SETUP | EMU_PORT_VW_SETUP;
	const uint32_t vpm = EMU_PORT_VPM_READ | EMU_PORT_VPM_WRITE | setups |
			     EMU_PORT_VR_ADDR | EMU_PORT_VW_ADDR;
	const bool ends = qpu->end_slots || ports & EMU_PORT_END;

	if (ports & EMU_PORT_UNIFORM && history->unif_addr < 2)
		emu_note(qpu, 4);
	if ((ports & EMU_PORTS_TMU_S && history->noswap < 2) ||
	    (ports & EMU_PORT_NOSWAP && history->looked_up))
		emu_note(qpu, 5);
	if (ports & (EMU_PORTS_LDTMU | EMU_PORT_SFU) && history->sfu < 2)
		emu_note(qpu, 6);
	if (ends && ports & (vpm | EMU_PORT_UNIFORM))
		emu_note(qpu, 7);
	if (ports & EMU_PORT_END &&
	    (op->to_add < EMU_SLOT_ACC || op->to_mul < EMU_SLOT_ACC))
		emu_note(qpu, 7);
	if (qpu->end_slots &&
	    (is_register_14(op->to_add) || is_register_14(op->to_mul)))
		emu_note(qpu, 7);
	if ((ports & setups) == setups ||
	    (ports & EMU_PORT_VPM_READ && ports & setups) ||
	    (ports & EMU_PORT_VPM_WRITE && ports & setups) ||
	    (ports & EMU_PORTS_LDTMU && ports & vpm))
		emu_note(qpu, 13);
}

/* Uses of the VPM while a DMA transfer of this QPU may not have ended. */
static void
check_transfers(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);
	const struct machine *machine = qpu->machine;

	if (op->ports & EMU_PORT_VR_WAIT ||
	    (op->ports & EMU_PORT_VR_BUSY && !machine->vdr_busy))
		history->load_rows = 0;
	if (op->ports & EMU_PORT_VW_WAIT ||
	    (op->ports & EMU_PORT_VW_BUSY && !machine->vdw_busy))
		history->store_rows = 0;
	if (op->ports & EMU_PORT_VPM_READ && emu_vpm_readable(&qpu->vpm) &&
	    history->load_rows & emu_vpm_rows(&qpu->vpm.read[0]))
		emu_note(qpu, EMU_RULE_LOAD_BUSY);
	if (op->ports & EMU_PORT_VPM_WRITE &&
	    history->store_rows & emu_vpm_rows(&qpu->vpm.write))
		emu_note(qpu, EMU_RULE_STORE_BUSY);
}

static uint8_t
older(uint8_t age)
{
	return age < AGE_MAX ? age + 1 : age;
}

static void
define(struct history *history, unsigned slot)
{
	if (slot < EMU_SLOT_ACC + 6)
		history->defined[slot] = true;
}

/* What later instructions have to know of this one. */
static void
remember(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);
	const uint32_t ports = op->ports;

	history->slot[0] = op->to_add;
	history->slot[1] = op->to_mul;
	history->lanes[0] = emu_lanes_cond(qpu, op->cond_add);
	history->lanes[1] = emu_lanes_cond(qpu, op->cond_mul);
	define(history, op->to_add);
	define(history, op->to_mul);
	if (ports & EMU_PORT_R5)
		define(history, EMU_SLOT_R5);
	if (ports & (EMU_PORTS_LDTMU | EMU_PORT_SFU))
		define(history, EMU_SLOT_R4);
	history->r5 = ports & EMU_PORT_R5 ? 0 : older(history->r5);
	history->unif_addr =
		ports & EMU_PORT_UNIF_ADDR ? 0 : older(history->unif_addr);
	history->noswap = ports & EMU_PORT_NOSWAP ? 0 : older(history->noswap);
	history->sfu = ports & EMU_PORT_SFU ? 0 : older(history->sfu);
	if (ports & EMU_PORTS_TMU_S)
		history->looked_up = true;
}

void
emu_check_inst(struct emu_qpu *qpu)
{
	const struct emu_op *op = qpu->op;

	if (op->kind == EMU_KIND_BRANCH) {
		if (qpu->branch_slots > 1)
			emu_note(qpu, 8);
		if (op->reg)
			check_operand(qpu, op->a, 1 << 15);
		if (op->branch_flags)
			emu_note(qpu, EMU_RULE_BRANCH_FLAGS);
	} else {
		check_operands(qpu, op);
		check_values(qpu, op);
		check_results(qpu, op);
	}
	if (op->after & EMU_AFTER_ROTATE)
		check_rotation(qpu, op);
	check_ports(qpu, op);
	check_transfers(qpu, op);
	if (op->ports & EMU_PORT_END && qpu->branch_slots)
		emu_note(qpu, 8);
	remember(qpu, op);
}

void
emu_check_end(struct emu_qpu *qpu)
{
	if (qpu->machine->mutex == qpu->number)
		emu_note(qpu, EMU_RULE_MUTEX_HELD);
	if (emu_vpm_readable(&qpu->vpm))
		emu_note(qpu, 15);
	if (qpu->tmu[0].count || qpu->tmu[1].count)
		emu_note(qpu, EMU_RULE_TMU_LEFT);
	/* UNSURE(U11): whether the hardware waits by itself. */
	if (history_of(qpu)->store_rows)
		emu_note(qpu, EMU_RULE_STORE_LEFT);
}

void
emu_check_target(struct emu_qpu *qpu, uint32_t addr)
{
	if (addr & 7)
		emu_note(qpu, 20);
}

void
emu_check_load(struct emu_qpu *qpu)
{
	history_of(qpu)->load_rows |= emu_dma_load_rows(&qpu->dma);
}

static uint32_t
line_of(uint32_t addr)
{
	return (addr & MACHINE_BUS_MASK) / EMU_CACHE_LINE;
}

/* The lines of a row of a transfer: first to last. */
static uint32_t
first_line(const struct emu_transfer *transfer, unsigned row)
{
	return line_of(transfer->start + row * transfer->pitch);
}

static uint32_t
last_line(const struct emu_transfer *transfer, unsigned row)
{
	return line_of(transfer->start + row * transfer->pitch +
		       transfer->row_bytes - 1);
}

void
emu_check_store(struct emu_qpu *qpu)
{
	struct emu_check *check = qpu->machine->check;
	const struct emu_transfer *transfer = &qpu->machine->transfer;
	struct history *history = history_of(qpu);

	history->store_rows |= emu_dma_store_rows(&qpu->dma);
	history->store = *transfer;
	for (unsigned row = 0; row < transfer->rows; row++)
		emu_stale_store(&check->stale,
				transfer->start + row * transfer->pitch,
				transfer->row_bytes);
}

/* Has some QPU begun to store the line and not waited for the end? */
static bool
line_is_being_stored(const struct emu_check *check, uint32_t line)
{
	for (int n = 0; n < MACHINE_QPUS; n++) {
		const struct history *history = &check->history[n];
		const struct emu_transfer *store = &history->store;

		for (unsigned row = 0; history->store_rows && row < store->rows;
		     row++)
			if (line >= first_line(store, row) &&
			    line <= last_line(store, row))
				return true;
	}
	return false;
}

/*
 * Section 9: the TMU's caches do not see stores, and a line that is stored
 * after it was fetched comes back as it was, as long as they hold it: seen on
 * a board (VC4C, issue 60).
 */
unsigned
emu_check_lookup(struct emu_qpu *qpu, unsigned unit, const emu_vec *addresses,
		 emu_vec *words)
{
	struct machine *machine = qpu->machine;
	struct emu_check *check = machine->check;
	const unsigned tmu = qpu->number / 4 * 2 + unit;
	unsigned outside = 0;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const uint32_t addr = (*addresses)[lane];
		enum emu_stale_word is;

		is = emu_stale_fetch(&check->stale, machine, tmu, addr,
				     (uint32_t *)words + lane);
		if (is == EMU_STALE_OUTSIDE)
			outside |= 1u << lane;
		if (is == EMU_STALE_OLD ||
		    line_is_being_stored(check, line_of(addr)))
			emu_note(qpu, EMU_RULE_STALE);
	}
	return outside;
}

void
emu_check_clear_l2(struct emu_check *check)
{
	emu_stale_clear_l2(&check->stale);
}

void
emu_check_clear_slices(struct emu_check *check, uint32_t which)
{
	for (unsigned slice = 0; slice < MACHINE_QPUS / 4; slice++) {
		if (which >> (16 + slice) & 1)
			emu_stale_clear_tmu(&check->stale, 2 * slice);
		if (which >> (24 + slice) & 1)
			emu_stale_clear_tmu(&check->stale, 2 * slice + 1);
	}
}
