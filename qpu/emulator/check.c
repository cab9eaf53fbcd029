/* SPDX-License-Identifier: MIT */
/*
 * check: hazards that a running program meets (machine.h).
 *
 * The validator asks whether a program could break a rule on some way through it; here
 * an instruction is about to be executed, so that lanes, flags and distances are
 * known.  For each QPU a history keeps no more than the rules ask for: the registers
 * that the last instruction wrote, with the lanes; how many instructions ago each
 * event was (a write of r5, a lookup, ...), as a distance that stops at LONG_AGO;
 * and which registers were ever written.  emu_check_inst() first compares an
 * instruction with the history and then adds it, so no rule sees the instruction
 * itself as its past.
 *
 * What is shared with the DMA, other QPUs and caches is race.c, for programs that the
 * host has started.  A message never changes the execution.
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/pipe.h"

/* Events that rules count the distance from, with the ports that make them. */
enum event {
	WROTE_R5,
	WROTE_UNIF_ADDR,
	WROTE_NOSWAP,
	LOOKED_UP,
	USED_SFU,
	SET_UP_READS, /* of the VPM: emu_check_setup */
	EVENTS
};

static const uint32_t event_ports[EVENTS] = {
	[WROTE_R5] = QPU_PORT_R5,
	[WROTE_UNIF_ADDR] = QPU_PORT_UNIF_ADDR,
	[WROTE_NOSWAP] = QPU_PORT_NOSWAP,
	[LOOKED_UP] = QPU_PORTS_TMU_S,
	[USED_SFU] = QPU_PORT_SFU,
};

enum {
	LONG_AGO = 254,
	NEVER = 255,
	FIRST_TO_DRAW = 2, /* instructions of a fragment shader before */
};

/* The instructions before this one on one QPU. */
struct history {
	uint8_t slot[2]; /* that the last instruction wrote */
	uint16_t lanes[2];
	uint8_t distance[EVENTS]; /* instructions from it to this one */
	uint8_t setups;		  /* written, by enum qpu_setup */
	bool defined[EMU_SLOTS];  /* only registers matter */
	bool has_flags;		  /* an instruction has set them */
	bool flags_without_value; /* of register 39 */
	uint8_t executed;	  /* instructions, up to FIRST_TO_DRAW */
	bool waited, drew;	  /* at the tile buffer */
};

struct emu_check {
	struct history history[MACHINE_QPUS];
	bool by_mailbox;		   /* the last launch, and */
	uint8_t semaphore[EMU_SEMAPHORES]; /* what they were then */
};

struct emu_check *
emu_check_create(void)
{
	return calloc(1, sizeof(struct emu_check));
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
	memset(history->distance, NEVER, sizeof(history->distance));
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_start(qpu);
}

void
emu_check_launch(struct machine *machine, bool mailbox)
{
	struct emu_check *check = machine->check;

	check->by_mailbox = mailbox;
	emu_race_launch(machine, mailbox);
	memcpy(check->semaphore, machine->semaphore, sizeof(check->semaphore));
}

/* Report a rule of a register. */
static void
report_slot(struct emu_qpu *qpu, enum qpu_rule_number rule, unsigned slot)
{
	if (slot < EMU_SLOT_ACC)
		emu_report_of(qpu, rule, "r%c%u", slot < EMU_SLOT_B ? 'a' : 'b',
			      slot % 32);
	else
		emu_report_of(qpu, rule, "r%u", slot - EMU_SLOT_ACC);
}

/* Return true if the event is within the reach of a rule. */
static bool
is_near(const struct history *history, enum event event,
	enum qpu_rule_number rule)
{
	return history->distance[event] <= qpu_rules[rule].reach;
}

/* The register that an operand slot stands for. */
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

/* The rules about one operand: R1, R6, R7, and C22 (never written), if its value
 * matters. */
static void
check_operand(struct emu_qpu *qpu, unsigned slot, unsigned lanes, bool matters)
{
	struct history *history = history_of(qpu);

	if (slot >= EMU_SLOT_ACC + 6)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (slot < EMU_SLOT_ACC && history->slot[i] == slot &&
		    history->lanes[i] & lanes)
			report_slot(qpu, QPU_RULE_WRITE_READ, slot);
	if (slot == EMU_SLOT_R4 && is_near(history, USED_SFU, QPU_RULE_SFU))
		emu_report(qpu, QPU_RULE_SFU);
	if (qpu->end_slots && is_register_14(slot))
		emu_report(qpu, QPU_RULE_END);
	if (!history->defined[slot] && lanes && matters)
		report_slot(qpu, QPU_RULE_UNDEFINED, slot);
}

static bool
is_plain(const struct emu_op *op)
{
	return !(op->after & (EMU_AFTER_ROTATE | EMU_AFTER_PACK));
}

/* A register that is moved to itself stays what it is, defined or not.  So ends
 * every program of py-videocore, with one such move on each ALU. */
static bool
moves_to_itself(const struct emu_op *op, const struct emu_alu *alu)
{
	return alu->op == EMU_MOV && alu->to == alu->a && !alu->flags &&
	       is_plain(op);
}

/* Return true if a result depends on an operand without a value. */
static bool
has_no_value(const struct emu_op *op, const struct emu_alu *alu)
{
	return alu->op && !alu->constant &&
	       (source_slot(op, alu->a) == EMU_SLOT_NOTHING ||
		source_slot(op, alu->b) == EMU_SLOT_NOTHING);
}

static bool
delivers_no_value(const struct emu_op *op, const struct emu_alu *alu)
{
	return has_no_value(op, alu) && alu->to != EMU_SLOT_TRASH &&
	       alu->port != QPU_W_MUTEX && alu->port != QPU_W_IRQ;
}

/* Return true if the instruction depends on the flags. */
static bool
uses_flags(const struct emu_op *op)
{
	if (op->kind == EMU_KIND_BRANCH)
		return op->cond_br != QPU_BR_ALWAYS;
	return (op->add.op && op->add.cond > QPU_COND_ALWAYS) ||
	       (op->mul.op && op->mul.cond > QPU_COND_ALWAYS);
}

/*
 * C35: the values of register 39 and of a mul nop.  The mutex and the host
 * interrupt ignore what is written to them, and flags matter to those that use
 * them: so programs that run on boards take and release the mutex, and end.
 */
static void
check_values(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);

	if ((op->mul_no_value && op->mul.port != QPU_W_IRQ) ||
	    op->reads_nowhere || delivers_no_value(op, &op->add) ||
	    delivers_no_value(op, &op->mul) ||
	    (history->flags_without_value && uses_flags(op)))
		emu_report(qpu, QPU_RULE_NO_VALUE);
	if (op->add.flags || op->mul.flags)
		history->flags_without_value =
			has_no_value(op, op->add.flags ? &op->add : &op->mul);
}

/* C45: a condition that nothing has decided. */
static void
check_flags(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);

	if (!history->has_flags && uses_flags(op))
		emu_report(qpu, QPU_RULE_NO_FLAGS);
	history->has_flags |= op->add.flags || op->mul.flags ||
			      op->branch_flags;
}

/* All lanes of the operands matter if the result goes to a port, or they move. */
static void
check_operands(struct emu_qpu *qpu, const struct emu_op *op,
	       const struct emu_alu *alu, bool all)
{
	const bool port = alu->port != QPU_W_NOP && alu->port != QPU_W_IRQ;
	const unsigned lanes = port || all ? EMU_ALL_LANES :
					     emu_lanes_cond(qpu, alu->cond);
	const bool matters = alu->port != QPU_W_MUTEX &&
			     !moves_to_itself(op, alu) &&
			     (alu->to != EMU_SLOT_TRASH || alu->flags);

	if (!alu->op || alu->constant)
		return;
	check_operand(qpu, source_slot(op, alu->a), lanes, matters);
	check_operand(qpu, source_slot(op, alu->b), lanes, matters);
}

/*
 * The lanes of accumulators that a rotation takes to a lower quad where they
 * matter: only these are the old ones there (R3).  Beside an operand that is
 * none they move by whole quads.
 */
static unsigned
lanes_rotated(const struct emu_qpu *qpu, const struct emu_op *op)
{
	const unsigned n = emu_rotation(qpu, op) & (op->rotate_quads ? 12 : 15);
	const bool to_r5 = op->mul.port == QPU_W_R5;
	unsigned to = emu_lanes_cond(qpu, op->mul.cond), from = 0;

	if (op->mul.port != QPU_W_NOP && !to_r5)
		to = EMU_ALL_LANES;
	else if (to_r5 && !op->mul.flags)
		to &= op->mul.in_b ? 1 : 0x1111;
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const unsigned at = (lane + n) % EMU_LANES;

		if (at / 4 < lane / 4 &&
		    to & (op->rotate_quads ? 0xfu << at / 4 * 4 : 1u << at))
			from |= 1u << lane;
	}
	return from;
}

static void
check_rotation(struct emu_qpu *qpu, const struct emu_op *op)
{
	const struct history *history = history_of(qpu);
	const unsigned lanes = lanes_rotated(qpu, op);

	if (op->rotate == EMU_ROTATE_R5) {
		if (is_near(history, WROTE_R5, QPU_RULE_ROTATE_BY_R5))
			emu_report(qpu, QPU_RULE_ROTATE_BY_R5);
		if (!history->defined[EMU_SLOT_R5])
			report_slot(qpu, QPU_RULE_UNDEFINED, EMU_SLOT_R5);
	}
	for (unsigned i = 0; i < 2; i++) {
		const unsigned slot = history->slot[i];

		if (slot >= EMU_SLOT_ACC && slot < EMU_SLOT_R4 &&
		    history->lanes[i] & lanes &&
		    (source_slot(op, op->mul.a) == slot ||
		     source_slot(op, op->mul.b) == slot))
			report_slot(qpu, QPU_RULE_ROTATE, slot);
	}
}

/* R10: does a condition suppress lanes that go to the port all the same? */
static bool
suppresses_lanes(const struct emu_alu *alu, unsigned lanes)
{
	return alu->port != QPU_W_NOP && alu->port != QPU_W_IRQ &&
	       alu->port != QPU_W_R5 &&
	       !(qpu_writes[alu->port].flags & QPU_REG_GFX) &&
	       lanes != EMU_ALL_LANES;
}

/* R10, R12 and C42: writes to peripherals, and two writes to one register. */
static void
check_results(struct emu_qpu *qpu, const struct emu_op *op)
{
	const unsigned add = emu_lanes_cond(qpu, op->add.cond);
	const unsigned mul = emu_lanes_cond(qpu, op->mul.cond);

	if (suppresses_lanes(&op->add, add) || suppresses_lanes(&op->mul, mul))
		emu_report(qpu, QPU_RULE_PREDICATE);
	if (op->pack_mul && op->pack > QPU_PACK_8D)
		emu_report(qpu, QPU_RULE_MUL_PACK);
	/* Both ALUs may move one value: so end most programs of py-videocore. */
	if (!(add & mul) || (op->add.op == EMU_MOV && op->mul.op == EMU_MOV &&
			     op->add.a == op->mul.a && is_plain(op)))
		return;
	if ((op->add.to == op->mul.to && op->add.to != EMU_SLOT_TRASH) ||
	    (op->add.port == op->mul.port && op->add.port == QPU_W_R5))
		emu_report(qpu, QPU_RULE_SAME_TARGET);
}

/* Ports that must not be used within the reach of a rule after an event. */
static const struct {
	enum event event;
	uint32_t ports;
	enum qpu_rule_number rule;
	bool ever; /* nor at any time later */
} too_early[] = {
	{ WROTE_UNIF_ADDR, QPU_PORT_UNIFORM, QPU_RULE_UNIFORM_ADDRESS, false },
	{ WROTE_NOSWAP, QPU_PORTS_TMU_S, QPU_RULE_NOSWAP, false },
	{ LOOKED_UP, QPU_PORT_NOSWAP, QPU_RULE_NOSWAP, true },
	{ USED_SFU, QPU_PORTS_LDTMU | QPU_PORT_SFU, QPU_RULE_SFU, false },
};

/* R13: ports that do not work in one instruction, one of each set. */
static const struct {
	uint32_t one, other;
} conflicts[] = {
	{ QPU_PORT_VR_SETUP, QPU_PORT_VW_SETUP },
	{ QPU_PORT_VPM_READ, QPU_PORTS_SETUP },
	{ QPU_PORT_VPM_WRITE, QPU_PORTS_SETUP },
	{ QPU_PORTS_LDTMU, QPU_PORTS_VPM },
};

/* R7: what must not be used from thrend on, and what after it. */
static void
check_ending(struct emu_qpu *qpu, const struct emu_op *op)
{
	const bool ends = op->ports & QPU_PORT_END;

	if ((ends || qpu->end_slots) &&
	    op->ports & (QPU_PORTS_VPM | QPU_PORT_UNIFORM))
		emu_report(qpu, QPU_RULE_END);
	if (ends && (op->add.to < EMU_SLOT_ACC || op->mul.to < EMU_SLOT_ACC))
		emu_report(qpu, QPU_RULE_END);
	if (qpu->end_slots &&
	    (is_register_14(op->add.to) || is_register_14(op->mul.to)))
		emu_report(qpu, QPU_RULE_END);
}

/* R4 to R7, R13 and C43: which ports are used, after what, and beside which. */
static void
check_ports(struct emu_qpu *qpu, const struct emu_op *op)
{
	const struct history *history = history_of(qpu);

	for (size_t i = 0; i < sizeof(too_early) / sizeof(*too_early); i++)
		if (op->ports & too_early[i].ports &&
		    (too_early[i].ever ?
			     history->distance[too_early[i].event] != NEVER :
			     is_near(history, too_early[i].event,
				     too_early[i].rule)))
			emu_report(qpu, too_early[i].rule);
	/* Vectors of the setup before are there already. */
	if (op->ports & QPU_PORT_VPM_READ && qpu->vpm.nreads == 1 &&
	    is_near(history, SET_UP_READS, QPU_RULE_VPM_SETUP))
		emu_report(qpu, QPU_RULE_VPM_SETUP);
	check_ending(qpu, op);
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++)
		if (op->ports & conflicts[i].one &&
		    op->ports & conflicts[i].other)
			emu_report(qpu, QPU_RULE_VPM_ACCESSES);
}

/* Hazards that only fragment shaders meet: C36 to C40. */
static void
check_fragment(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);

	if (op->ports & QPU_PORT_SCOREBOARD) {
		if (history->executed < FIRST_TO_DRAW)
			emu_report(qpu, QPU_RULE_TILE_EARLY);
		if ((op->ports & QPU_PORT_END || qpu->end_slots) &&
		    !history->waited)
			emu_report(qpu, QPU_RULE_TILE_LATE);
		if (qpu->fragment->unlocked)
			emu_report(qpu, QPU_RULE_TILE_UNLOCKED);
		history->waited = true;
		history->drew |= op->signal != QPU_SIG_SBWAIT;
	}
	if (op->ports & QPU_PORTS_VPM)
		emu_report(qpu, QPU_RULE_SHADER_VPM);
	history->executed += history->executed < FIRST_TO_DRAW;
}

/* C44: a set-up is used that the program has not written.  Return true if it has. */
static bool
check_setup(struct emu_qpu *qpu, enum qpu_setup kind, const char *name)
{
	const bool written = history_of(qpu)->setups >> kind & 1;

	if (!written)
		emu_report_of(qpu, QPU_RULE_NO_SETUP, "%s", name);
	return written;
}

/* Keep this instruction for those after it. */
static void
remember(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct history *history = history_of(qpu);
	const uint32_t ports = op->ports;

	for (unsigned i = 0; i < 2; i++) {
		const struct emu_alu *alu = i ? &op->mul : &op->add;

		history->slot[i] = alu->to;
		history->lanes[i] = emu_lanes_cond(qpu, alu->cond);
		if (!moves_to_itself(op, alu))
			history->defined[alu->to] = true;
	}
	if (ports & QPU_PORT_R5)
		history->defined[EMU_SLOT_R5] = true;
	if (ports & (QPU_PORTS_LDTMU | QPU_PORT_SFU) ||
	    op->signal == QPU_SIG_LOADC || op->signal == QPU_SIG_LDCEND)
		history->defined[EMU_SLOT_R4] = true;
	for (unsigned i = 0; i < EVENTS; i++)
		if (ports & event_ports[i])
			history->distance[i] = 1;
		else if (history->distance[i] < LONG_AGO)
			history->distance[i]++;
}

void
emu_check_inst(struct emu_qpu *qpu)
{
	const struct emu_op *op = qpu->op;

	if (op->kind == EMU_KIND_BRANCH) {
		if (history_of(qpu)->flags_without_value && uses_flags(op))
			emu_report(qpu, QPU_RULE_NO_VALUE);
		if (qpu->branch_slots > 1)
			emu_report(qpu, QPU_RULE_DELAY_SLOTS);
		if (op->reg)
			check_operand(qpu, op->add.a, 1 << 15, true);
		if (op->branch_flags)
			emu_report(qpu, QPU_RULE_BRANCH_FLAGS);
	} else {
		check_operands(qpu, op, &op->add, false);
		check_operands(qpu, op, &op->mul, op->after & EMU_AFTER_ROTATE);
		check_values(qpu, op);
		check_results(qpu, op);
	}
	check_flags(qpu, op);
	if (op->after & EMU_AFTER_ROTATE)
		check_rotation(qpu, op);
	check_ports(qpu, op);
	if (qpu->kind == EMU_THREAD_FRAGMENT)
		check_fragment(qpu, op);
	if (op->ports & QPU_PORT_VPM_WRITE)
		check_setup(qpu, QPU_SETUP_VPM_WRITE, "vpm_setup");
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_inst(qpu, op);
	if (op->ports & QPU_PORT_END && qpu->branch_slots)
		emu_report(qpu, QPU_RULE_DELAY_SLOTS);
	remember(qpu, op);
}

/* C46 and C48: what the last program of a launch leaves. */
static void
check_launch_end(struct emu_qpu *qpu)
{
	const struct machine *machine = qpu->machine;
	const struct emu_check *check = machine->check;

	if (check->by_mailbox && !machine->interrupts)
		emu_report(qpu, QPU_RULE_NO_INTERRUPT);
	for (unsigned i = 0; i < EMU_SEMAPHORES; i++)
		if (machine->semaphore[i] != check->semaphore[i])
			emu_report_of(qpu, QPU_RULE_SEMAPHORE_LEFT,
				      "semaphore %u is %u", i,
				      machine->semaphore[i]);
}

void
emu_check_setup(struct emu_qpu *qpu, enum qpu_setup kind)
{
	struct history *history = history_of(qpu);

	history->setups |= 1u << kind;
	if (kind == QPU_SETUP_VPM_READ)
		history->distance[SET_UP_READS] = 1;
}

void
emu_check_transfer(struct emu_qpu *qpu, bool store)
{
	const bool many = qpu->machine->transfer.rows > 1;

	if (check_setup(qpu, store ? QPU_SETUP_STORE : QPU_SETUP_LOAD,
			store ? "vdw_setup_0" : "vdr_setup_0") &&
	    emu_dma_wraps(&qpu->dma, store))
		emu_report(qpu, QPU_RULE_DMA_WRAPS);
	if (many && store)
		check_setup(qpu, QPU_SETUP_STRIDE, "vdw_setup_1");
	else if (many && emu_dma_has_pitch(&qpu->dma))
		check_setup(qpu, QPU_SETUP_PITCH, "vdr_setup_1");
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_transfer(qpu, store);
}

void
emu_check_end(struct emu_qpu *qpu)
{
	const struct machine *machine = qpu->machine;

	if (machine->mutex == qpu->number)
		emu_report(qpu, QPU_RULE_MUTEX_HELD);
	if (emu_vpm_readable(&qpu->vpm))
		emu_report(qpu, QPU_RULE_VPM_READS);
	if (qpu->tmu[0].count || qpu->tmu[1].count)
		emu_report(qpu, QPU_RULE_TMU_LEFT);
	if (history_of(qpu)->drew && !qpu->fragment->unlocked)
		emu_report(qpu, QPU_RULE_TILE_LOCKED);
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_end(qpu);
	if (qpu->kind == EMU_THREAD_USER && machine->nrunning == 1 &&
	    !machine->nqueued)
		check_launch_end(qpu);
}
