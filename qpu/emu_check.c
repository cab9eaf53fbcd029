/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/emu_check.h"

#include <stdlib.h>
#include <string.h>

enum {
	RULES = EMU_CHECKS,
	SEEN = 8192,			/* slots of the set; a power of 2 */
	AGE_MAX = 200,			/* "long ago" */
	LINE_BYTES = 64,
	LINES = (MACHINE_BUS_MASK + 1u) / LINE_BYTES,
};

/* What the instructions before left behind on one QPU. */
struct history {
	uint8_t slot[2];		/* written by the last instruction */
	uint16_t lanes[2];
	uint8_t r5, unif_addr, noswap, sfu, end; /* instructions since */
	bool looked_up;			/* a TMU was used */
	bool defined[EMU_SLOT_ACC + 6];
	uint64_t load_rows, store_rows;	/* VPM rows under a DMA */
	struct emu_transfer store;	/* while there are store_rows */
};

/* Lines of memory, a bit each. */
enum line_set {
	LINES_STORED,			/* by a DMA, since the last flush */
	LINES_FETCHED,			/* by a TMU: caches may hold them */
	LINES_STALE,			/* fetched, and then stored */
	LINE_SETS
};

struct emu_check {
	struct history history[MACHINE_QPUS];
	uint64_t seen[SEEN];		/* rule and pc, 0: free */
	unsigned nseen;
	uint64_t *lines[LINE_SETS];
	bool any_lines;
};

static const char *const texts[RULES] = {
	[1] = "register is read right after the instruction that wrote it",
	[2] = "rotation by r5 right after r5 was written",
	[3] = "rotation of an accumulator right after it was written",
	[4] = "uniform read within 2 instructions of a write to unif_addr",
	[5] = "TMU write within 2 instructions of a write to tmurs, or tmurs "
	      "changed after a TMU was used",
	[6] = "r4 or the SFU is used within 2 instructions of an SFU write",
	[7] = "uniform, VPM, ra14 or rb14 used while the program ends, or "
	      "ra/rb written by thrend",
	[8] = "branch or thrend in a delay slot that cannot take it",
	[10] = "conditional write to a peripheral: suppressed lanes are "
	       "undefined",
	[12] = "both ALUs write the same register in the same lanes",
	[13] = "VPM accesses that do not work in one instruction",
	[15] = "VPM reads do not match the setup",
	[20] = "code address is not a multiple of 8",
	[EMU_CHECK_TMU_DEPTH] = "more than 4 TMU requests wait",
	[EMU_CHECK_UNDEFINED] = "register is read that was never written",
	[EMU_CHECK_MUTEX_HELD] = "program ends and holds the mutex",
	[EMU_CHECK_UNIFORM_LIMIT] = "uniform read behind the end of the "
				    "uniforms",
	[EMU_CHECK_ALIGNMENT] = "DMA address is not a multiple of 4",
	[EMU_CHECK_VPM_RANGE] = "VPM access outside the reserved rows",
	[EMU_CHECK_LOAD_BUSY] = "VPM row is read while a DMA load may still "
				"write it: wait first",
	[EMU_CHECK_STORE_BUSY] = "VPM row is written while a DMA store may "
				 "still read it: wait first",
	[EMU_CHECK_STORE_LEFT] = "program ends while its DMA store runs: wait "
				 "first",
	[EMU_CHECK_STALE] = "TMU reads a line that a DMA stored after it was "
			    "fetched, or is storing: it may get the old one",
	[EMU_CHECK_TMU_LEFT] = "program ends with TMU results not fetched",
	[EMU_CHECK_BRANCH_FLAGS] = "branch through an odd register also sets "
				   "the flags",
};

const char *
emu_check_text(unsigned rule)
{
	return rule < RULES ? texts[rule] : NULL;
}

void
emu_check_destroy(struct emu_check *check)
{
	for (int set = 0; check && set < LINE_SETS; set++)
		free(check->lines[set]);
	free(check);
}

struct emu_check *
emu_check_create(void)
{
	struct emu_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	for (int set = 0; set < LINE_SETS; set++) {
		check->lines[set] = calloc(LINES / 64, sizeof(uint64_t));
		if (!check->lines[set]) {
			emu_check_destroy(check);
			return NULL;
		}
	}
	return check;
}

/* True the first time; beyond half of the set nothing is new any more. */
static bool
is_new(struct emu_check *check, unsigned rule, uint32_t pc)
{
	const uint64_t key = (uint64_t)rule << 32 | pc;
	unsigned at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 51;

	while (check->seen[at] && check->seen[at] != key)
		at = (at + 1) % SEEN;
	if (check->seen[at] || check->nseen == SEEN / 2)
		return false;
	check->seen[at] = key;
	check->nseen++;
	return true;
}

void
emu_check_note(struct emu_qpu *qpu, unsigned rule)
{
	struct machine *machine = qpu->machine;
	const uint32_t pc = qpu->page ? emu_qpu_pc(qpu) : 0;

	if (!machine->check || !is_new(machine->check, rule, pc) ||
	    !machine->report)
		return;
	machine->report(machine->report_context, &(struct machine_finding){
		.rule = rule, .qpu = qpu->number, .pc = pc,
		.text = texts[rule],
	});
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
	history->slot[0] = history->slot[1] = EMU_SLOT_TRASH;
	history->r5 = history->unif_addr = history->noswap = AGE_MAX;
	history->sfu = history->end = AGE_MAX;
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

/* What one operand meets: R1, R6, R7 and registers nobody wrote. */
static void
check_operand(struct emu_qpu *qpu, unsigned slot, unsigned lanes)
{
	struct history *history = history_of(qpu);

	if (slot >= EMU_SLOT_ACC + 6)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (slot < EMU_SLOT_ACC && history->slot[i] == slot &&
		    history->lanes[i] & lanes)
			emu_check_note(qpu, 1);
	if (slot == EMU_SLOT_R4 && history->sfu < 2)
		emu_check_note(qpu, 6);
	if (history->end < 2 && is_register_14(slot))
		emu_check_note(qpu, 7);
	if (!history->defined[slot] && lanes)
		emu_check_note(qpu, EMU_CHECK_UNDEFINED);
}

/* x ^ x and x - x are defined whatever x is (checklist 6). */
static bool
cancels(const struct emu_op *op)
{
	return op->a == op->b && (op->add == QPU_ADD_XOR ||
				  op->add == QPU_ADD_SUB ||
				  op->add == QPU_ADD_V8SUBS);
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
		emu_check_note(qpu, 2);
	for (unsigned i = 0; i < 2; i++) {
		const unsigned slot = history->slot[i];

		if (slot >= EMU_SLOT_ACC && slot < EMU_SLOT_R4 &&
		    (source_slot(op, op->c) == slot ||
		     source_slot(op, op->d) == slot))
			emu_check_note(qpu, 3);
	}
}

/* R10 and R12: what is written in which lanes. */
static void
check_results(struct emu_qpu *qpu, const struct emu_op *op)
{
	const unsigned add = emu_lanes_cond(qpu, op->cond_add);
	const unsigned mul = emu_lanes_cond(qpu, op->cond_mul);
	const uint32_t exempt = EMU_PORT_IRQ | EMU_PORT_R5;

	if (op->ports & EMU_PORTS_WRITE & ~exempt &&
	    ((op->to_add == EMU_SLOT_OUT_ADD && add != EMU_ALL_LANES) ||
	     (op->to_mul == EMU_SLOT_OUT_MUL && mul != EMU_ALL_LANES)))
		emu_check_note(qpu, 10);
	if ((op->to_add == op->to_mul && op->to_add != EMU_SLOT_TRASH &&
	     add & mul) ||
	    (op->write_add == op->write_mul && op->write_add == QPU_W_R5 &&
	     add & mul))
		emu_check_note(qpu, 12);
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
	const bool ends = history->end < 2 || ports & EMU_PORT_END;

	if (ports & EMU_PORT_UNIFORM && history->unif_addr < 2)
		emu_check_note(qpu, 4);
	if ((ports & EMU_PORTS_TMU_S && history->noswap < 2) ||
	    (ports & EMU_PORT_NOSWAP && history->looked_up))
		emu_check_note(qpu, 5);
	if (ports & (EMU_PORTS_LDTMU | EMU_PORT_SFU) && history->sfu < 2)
		emu_check_note(qpu, 6);
	if (ends && ports & (vpm | EMU_PORT_UNIFORM))
		emu_check_note(qpu, 7);
	if (ports & EMU_PORT_END &&
	    (op->to_add < EMU_SLOT_ACC || op->to_mul < EMU_SLOT_ACC))
		emu_check_note(qpu, 7);
	if (history->end < 2 &&
	    (is_register_14(op->to_add) || is_register_14(op->to_mul)))
		emu_check_note(qpu, 7);
	if ((ports & setups) == setups ||
	    (ports & EMU_PORT_VPM_READ && ports & setups) ||
	    (ports & EMU_PORT_VPM_WRITE && ports & EMU_PORT_VW_SETUP) ||
	    (ports & EMU_PORTS_LDTMU && ports & vpm))
		emu_check_note(qpu, 13);
}

/* The VPM and a DMA transfer of this QPU that nobody waited for. */
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
		emu_check_note(qpu, EMU_CHECK_LOAD_BUSY);
	if (op->ports & EMU_PORT_VPM_WRITE &&
	    history->store_rows & emu_vpm_rows(&qpu->vpm.write))
		emu_check_note(qpu, EMU_CHECK_STORE_BUSY);
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
	history->unif_addr = ports & EMU_PORT_UNIF_ADDR ?
			     0 : older(history->unif_addr);
	history->noswap = ports & EMU_PORT_NOSWAP ?
			  0 : older(history->noswap);
	history->sfu = ports & EMU_PORT_SFU ? 0 : older(history->sfu);
	history->end = ports & EMU_PORT_END ? 0 : older(history->end);
	if (ports & EMU_PORTS_TMU_S)
		history->looked_up = true;
}

void
emu_check_inst(struct emu_qpu *qpu)
{
	const struct emu_op *op = qpu->op;

	if (op->kind == EMU_KIND_BRANCH) {
		if (qpu->branch_slots > 1)
			emu_check_note(qpu, 8);
		if (op->reg)
			check_operand(qpu, op->a, 1 << 15);
		if (op->branch_flags)
			emu_check_note(qpu, EMU_CHECK_BRANCH_FLAGS);
	} else {
		check_operands(qpu, op);
		check_results(qpu, op);
	}
	if (op->after & EMU_AFTER_ROTATE)
		check_rotation(qpu, op);
	if (op->ports || history_of(qpu)->end < 2)
		check_ports(qpu, op);
	if (op->ports)
		check_transfers(qpu, op);
	if (op->ports & EMU_PORT_END && qpu->branch_slots)
		emu_check_note(qpu, 8);
	remember(qpu, op);
}

void
emu_check_end(struct emu_qpu *qpu)
{
	if (qpu->machine->mutex == qpu->number)
		emu_check_note(qpu, EMU_CHECK_MUTEX_HELD);
	if (emu_vpm_readable(&qpu->vpm))
		emu_check_note(qpu, 15);
	if (qpu->tmu[0].count || qpu->tmu[1].count)
		emu_check_note(qpu, EMU_CHECK_TMU_LEFT);
	/* UNSURE(U11): whether the hardware waits by itself. */
	if (history_of(qpu)->store_rows)
		emu_check_note(qpu, EMU_CHECK_STORE_LEFT);
}

void
emu_check_target(struct emu_qpu *qpu, uint32_t addr)
{
	if (addr & 7)
		emu_check_note(qpu, 20);
}

void
emu_check_load(struct emu_qpu *qpu)
{
	history_of(qpu)->load_rows |= emu_dma_load_rows(&qpu->dma);
}

static bool
line_is_in(const struct emu_check *check, enum line_set set, uint32_t line)
{
	return check->lines[set][line / 64] >> line % 64 & 1;
}

static void
put_line(struct emu_check *check, enum line_set set, uint32_t line)
{
	check->lines[set][line / 64] |= UINT64_C(1) << line % 64;
	check->any_lines = true;
}

static uint32_t
line_of(uint32_t addr)
{
	return (addr & MACHINE_BUS_MASK) / LINE_BYTES;
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
		for (uint32_t line = first_line(transfer, row);
		     line <= last_line(transfer, row); line++) {
			put_line(check, LINES_STORED, line);
			if (line_is_in(check, LINES_FETCHED, line))
				put_line(check, LINES_STALE, line);
		}
}

/* Has some QPU begun to store the line and not waited for the end? */
static bool
line_is_being_stored(const struct emu_check *check, uint32_t line)
{
	for (int n = 0; n < MACHINE_QPUS; n++) {
		const struct history *history = &check->history[n];
		const struct emu_transfer *store = &history->store;

		for (unsigned row = 0;
		     history->store_rows && row < store->rows; row++)
			if (line >= first_line(store, row) &&
			    line <= last_line(store, row))
				return true;
	}
	return false;
}

/*
 * Section 9: the TMU's caches do not see stores.  What no TMU has fetched
 * since the caches were flushed is in none of them, though: programs known to
 * work store, wait, and then look up.
 */
void
emu_check_lookup(struct emu_qpu *qpu, const emu_vec *addresses)
{
	struct emu_check *check = qpu->machine->check;

	for (unsigned i = 0; i < EMU_LANES; i++) {
		const uint32_t line = line_of((*addresses)[i]);

		if (line_is_in(check, LINES_STALE, line) ||
		    (line_is_in(check, LINES_STORED, line) &&
		     line_is_being_stored(check, line)))
			emu_check_note(qpu, EMU_CHECK_STALE);
		put_line(check, LINES_FETCHED, line);
	}
}

void
emu_check_flush(struct machine *machine)
{
	struct emu_check *check = machine->check;

	for (int set = 0; check->any_lines && set < LINE_SETS; set++)
		memset(check->lines[set], 0, LINES / 64 * sizeof(uint64_t));
	check->any_lines = false;
}
