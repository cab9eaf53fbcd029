/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/timed.h"

#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"

enum { PIPE = MACHINE_QPUS + EMU_TMUS, ACTORS };

static void
init_caches(struct emu_timed *timed)
{
	struct emu_line *lines = timed->lines;

	for (unsigned i = 0; i < EMU_SLICES; i++) {
		lines = emu_cache_init(&timed->slice[i].icache, lines,
				       COST_ICACHE_BYTES, COST_ICACHE_WAYS);
		lines = emu_cache_init(&timed->slice[i].uniforms, lines,
				       COST_UNIFORM_BYTES, COST_UNIFORM_WAYS);
	}
	for (unsigned i = 0; i < EMU_TMUS; i++)
		lines = emu_cache_init(&timed->tmu[i].cache, lines,
				       COST_TMU_BYTES, 1);
	lines = emu_cache_init(&timed->path.l2, lines, COST_L2_BYTES,
			       COST_L2_WAYS);
	emu_cache_init(&timed->path.system, lines, COST_SYSTEM_L2_BYTES,
		       COST_SYSTEM_L2_WAYS);
}

struct emu_timed *
emu_timed_create(void)
{
	struct emu_timed *timed = emu_allocate(sizeof(*timed));

	if (!timed)
		return NULL;
	timed->mutex_next = EMU_NO_QPU;
	for (unsigned i = 0; i < ACTORS; i++)
		timed->when[i] = EMU_NEVER;
	init_caches(timed);
	return timed;
}

struct emu_cache *
emu_timed_cache(struct emu_timed *timed, enum emu_cache_kind kind,
		unsigned slice)
{
	switch (kind) {
	case EMU_CACHE_CODE: return &timed->slice[slice].icache;
	case EMU_CACHE_UNIFORMS: return &timed->slice[slice].uniforms;
	case EMU_CACHE_TMU0: return &timed->tmu[2 * slice].cache;
	case EMU_CACHE_TMU1: return &timed->tmu[2 * slice + 1].cache;
	case EMU_CACHE_L2: break;
	}
	return &timed->path.l2;
}

void
emu_timed_launched(struct machine *machine, bool mailbox)
{
	machine->timed->launch_clocks +=
		(uint64_t)machine->options.clock_mhz *
		(mailbox ? COST_LAUNCH_MAILBOX_US : COST_LAUNCH_DIRECT_US);
}

uint64_t
emu_timed_idle(const struct machine *machine)
{
	const struct emu_timed *timed = machine->timed;
	uint64_t busy = timed->busy;

	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		if (timed->ports[i].active &&
		    timed->now > timed->ports[i].start)
			busy += timed->now - timed->ports[i].start;
	return MACHINE_QPUS * timed->now - busy;
}

/* Start the programs that were just given to QPUs. */
static void
start_given(struct machine *machine)
{
	struct emu_timed *timed = machine->timed;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		struct emu_qpu *qpu = &machine->qpu[i];

		if (!qpu->running || timed->ports[i].active)
			continue;
		timed->when[i] = emu_phase(qpu, timed->now);
		emu_units_start(timed, qpu, timed->when[i]);
	}
}

static void
start_programs(struct machine *machine)
{
	struct emu_timed *timed = machine->timed;

	emu_machine_dispatch(machine);
	start_given(machine);
	if (emu_pipe_busy(machine->pipe))
		timed->when[PIPE] = timed->now;
}

/* Lists, thread starts and the tile buffer; returns what was done. */
static uint64_t
step_pipe(struct machine *machine)
{
	struct emu_timed *timed = machine->timed;
	uint64_t moved;

	timed->when[PIPE] = EMU_NEVER;
	moved = emu_pipe_advance(machine);
	emu_units_unlocked(timed, machine, timed->now);
	start_given(machine);
	return moved;
}

static void
end_program(struct machine *machine, struct emu_qpu *qpu, uint64_t clock)
{
	struct emu_timed *timed = machine->timed;
	struct emu_ports *ports = &timed->ports[qpu->number];

	emu_units_end(timed, qpu);
	timed->busy += clock - ports->start;
	if (qpu->kind != EMU_THREAD_USER)
		machine->counters[qpu->kind == EMU_THREAD_VERTEX ?
					  MACHINE_COUNTER_VERTEX :
					  MACHINE_COUNTER_FRAGMENT] +=
			clock - ports->start;
	ports->active = false;
	timed->when[qpu->number] = EMU_NEVER;
	if (clock > timed->now)
		timed->now = clock;
	start_programs(machine);
}

void
emu_timed_unlocked(struct machine *machine)
{
	struct emu_timed *timed = machine->timed;

	if (!timed)
		return;
	emu_units_unlocked(timed, machine, timed->now);
	timed->when[PIPE] = timed->now;
}

void
emu_timed_stop(struct machine *machine)
{
	struct emu_timed *timed = machine->timed;

	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		timed->ports[i].active = false;
	for (unsigned i = 0; i < ACTORS; i++)
		timed->when[i] = EMU_NEVER;
	for (unsigned i = 0; i < EMU_TMUS; i++) {
		timed->tmu[i].count = 0;
		timed->tmu[i].lane = 0;
		timed->tmu[i].data_ready = 0;
	}
	timed->mutex_next = EMU_NO_QPU;
}

/* Add the clocks of a stall to its cause, its QPU and its instruction. */
static void
account(struct emu_qpu *qpu, enum machine_stall cause, uint64_t clocks)
{
	qpu->cost.stall[cause] += clocks;
	if (qpu->page->costs)
		qpu->page->costs[qpu->op - qpu->page->ops].stall[cause] +=
			clocks;
}

static void
stall(struct emu_timed *timed, struct emu_qpu *qpu, enum machine_stall cause,
      uint64_t clock, uint64_t until)
{
	struct emu_ports *ports = &timed->ports[qpu->number];

	if (ports->stalled_since != EMU_NEVER && ports->cause != cause) {
		account(qpu, ports->cause, clock - ports->stalled_since);
		ports->stalled_since = EMU_NEVER;
	}
	if (ports->stalled_since == EMU_NEVER)
		ports->stalled_since = clock;
	ports->cause = cause;
	qpu->waits = cause;
	timed->when[qpu->number] = until == EMU_NEVER ? until :
							emu_phase(qpu, until);
}

/* How many instructions from here on touch nothing shared. */
static uint32_t
private_run(const struct emu_qpu *qpu, uint64_t left)
{
	uint32_t n = qpu->op->run;

	if (qpu->branch_slots && qpu->branch_slots < n)
		n = qpu->branch_slots;
	if (qpu->end_slots && qpu->end_slots < n)
		n = qpu->end_slots;
	return n < left ? n : left;
}

/* One step of a QPU at its clock; returns instructions executed. */
static uint32_t
step_qpu(struct machine *machine, struct emu_qpu *qpu, uint64_t clock,
	 uint64_t left)
{
	struct emu_timed *timed = machine->timed;
	struct emu_ports *ports = &timed->ports[qpu->number];
	uint64_t until;
	enum machine_stall cause;
	uint32_t n;

	if (!emu_qpu_fetch(qpu))
		return 0;
	until = emu_units_fetch(timed, qpu, clock);
	if (until > clock) {
		stall(timed, qpu, MACHINE_STALL_ICACHE, clock, until);
		return 0;
	}
	/* This is a copy, since a DMA may change the code. */
	const struct emu_op op = *qpu->op;

	n = private_run(qpu, left);
	if (n && emu_is_observed(qpu))
		n = 1;
	if (!n) {
		cause = emu_units_wait(timed, qpu, &op, clock, &until);
		if (cause) {
			stall(timed, qpu, cause, clock, until);
			return 0;
		}
		machine->vdr_busy = ports->vdr_done > clock;
		machine->vdw_busy = ports->vdw_done > clock;
	}
	if (ports->stalled_since != EMU_NEVER) {
		account(qpu, ports->cause, clock - ports->stalled_since);
		ports->stalled_since = EMU_NEVER;
	}
	const uint32_t most = n ? n : 1;
	const uint32_t done = emu_is_observed(qpu) ?
				      emu_step_run(qpu, most, clock) :
				      emu_qpu_run(qpu, most);

	machine->counters[MACHINE_COUNTER_ICACHE_HITS] += done;
	timed->when[qpu->number] = clock + EMU_SLOT_CLOCKS * (uint64_t)done;
	if (!n && done && !machine->dead)
		emu_units_done(timed, qpu, &op, clock);
	if (!qpu->running)
		end_program(machine, qpu, timed->when[qpu->number]);
	return done;
}

enum machine_status
emu_timed_run(struct machine *machine, uint64_t instructions, uint64_t clocks)
{
	struct emu_timed *timed = machine->timed;
	const uint64_t end = clocks ? timed->now + clocks : EMU_NEVER;
	uint64_t left = instructions;

	/* Only the CPU starts control lists, so that none begins in a run. */
	const unsigned actors = emu_pipe_busy(machine->pipe) ? ACTORS : PIPE;

	start_programs(machine);
	while (!machine->dead) {
		unsigned actor = 0;

		/* The QPU or unit with the earliest clock; of several the first. */
		for (unsigned i = 1; i < actors; i++)
			if (timed->when[i] < timed->when[actor])
				actor = i;
		const uint64_t clock = timed->when[actor];

		if (!machine->nrunning && !machine->nqueued) {
			if (!emu_pipe_busy(machine->pipe))
				break;
			machine->pipe->waits = clock == EMU_NEVER;
		}
		if (!machine->pipe->waits && clock == EMU_NEVER) {
			emu_schedule_deadlock(machine);
			return MACHINE_DEADLOCK;
		}
		if (machine->pipe->waits || !left || clock >= end ||
		    machine->stop)
			return MACHINE_LIMIT;
		if (clock > timed->now)
			timed->now = clock;
		if (actor < MACHINE_QPUS) {
			left -= step_qpu(machine, &machine->qpu[actor], clock,
					 left);
		} else if (actor == PIPE) {
			const uint64_t moved = step_pipe(machine);

			left -= moved < left ? moved : left;
		} else {
			emu_units_tmu(timed, machine, actor - MACHINE_QPUS,
				      clock);
		}
		machine->counters[MACHINE_COUNTER_L2_HITS] = timed->path.hits;
		machine->counters[MACHINE_COUNTER_L2_MISSES] =
			timed->path.misses;
	}
	return machine->dead ? MACHINE_FAULT : MACHINE_DONE;
}
