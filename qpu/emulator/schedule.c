/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"

enum {
	SLICE = 1024, /* instructions in a row */
	RANDOM_SLICE = 16,
};

/* --- Under observation ----------------------------------------------------- */

static const uint32_t *
written(const struct emu_qpu *qpu, unsigned slot, unsigned waddr)
{
	/* r5 has its value only after replication. */
	if (waddr == QPU_W_R5)
		slot = EMU_SLOT_R5;
	return slot == EMU_SLOT_TRASH ? NULL :
					(const uint32_t *)&qpu->file[slot];
}

/*
 * The part that is known before: lanes depend on the flags then.  op is a
 * copy of the instruction.
 */
static void
trace_before(const struct emu_qpu *qpu, const struct emu_op *op, uint64_t clock,
	     struct machine_step *step)
{
	*step = (struct machine_step){
		.qpu = qpu->number,
		.pc = emu_qpu_pc(qpu),
		.word = qpu->page->words[qpu->op - qpu->page->ops],
		.clock = clock,
	};
	if (op->kind == EMU_KIND_BRANCH)
		return;
	if (op->add.to != EMU_SLOT_TRASH)
		step->lanes_add = emu_lanes_cond(qpu, op->add.cond);
	if (op->mul.to != EMU_SLOT_TRASH)
		step->lanes_mul = emu_lanes_cond(qpu, op->mul.cond);
}

static void
trace_after(const struct emu_qpu *qpu, const struct emu_op *op, bool taken,
	    struct machine_step *step)
{
	step->z = emu_lanes_zero(&qpu->value);
	step->n = emu_lanes(&qpu->value);
	step->c = emu_lanes(&qpu->carry);
	if (op->kind != EMU_KIND_BRANCH || taken) {
		step->add = written(qpu, op->add.to, op->add.port);
		step->mul = written(qpu, op->mul.to, op->mul.port);
	}
	if (op->kind == EMU_KIND_BRANCH) {
		step->lanes_add = step->add ? EMU_ALL_LANES : 0;
		step->lanes_mul = step->mul ? EMU_ALL_LANES : 0;
	}
	qpu->machine->tracer(qpu->machine->tracer_context, step);
}

/* Execute one instruction; false if it could not be executed yet. */
static bool
step_once(struct emu_qpu *qpu, uint64_t clock)
{
	struct machine *machine = qpu->machine;
	const bool is_traced = machine->traced >> qpu->number & 1;
	struct machine_step step;
	struct emu_op op;

	if (!emu_qpu_fetch(qpu)) {
		qpu->stop = EMU_STOP_FAULT;
		return false;
	}
	/* This is a copy, since the instruction may overwrite its own code. */
	op = *qpu->op;
	qpu->waits = emu_port_wait(qpu, &op);
	if (qpu->waits) {
		qpu->stop = EMU_STOP_STALL;
		return false;
	}
	if (machine->check)
		emu_check_inst(qpu);
	if (is_traced)
		trace_before(qpu, &op, clock, &step);
	if (qpu->page->costs)
		qpu->page->costs[qpu->op - qpu->page->ops].executions++;
	if (!emu_qpu_run(qpu, 1))
		return false;
	if (is_traced)
		trace_after(qpu, &op, qpu->branch_slots == EMU_BRANCH_SLOTS,
			    &step);
	return true;
}

uint32_t
emu_step_run(struct emu_qpu *qpu, uint32_t n, uint64_t clock)
{
	uint32_t done = 0;

	while (done < n && qpu->running && !qpu->machine->stop &&
	       step_once(qpu, clock + done)) {
		done++;
		if (qpu->stop == EMU_STOP_FAULT)
			break;
	}
	return done;
}

/* --- In turn --------------------------------------------------------------- */

void
emu_schedule_deadlock(struct machine *machine)
{
	struct diag *fault = &machine->fault;
	char what[MACHINE_WAIT_SIZE];

	machine->dead = true;
	diag_set(fault, machine->nrunning ?
				"deadlock:" :
				"deadlock: programs are queued but every QPU "
				"is reserved");
	for (unsigned i = 0, n = 0; i < MACHINE_QPUS; i++) {
		const struct emu_qpu *qpu = &machine->qpu[i];
		const size_t used = strlen(fault->text);
		char *end = fault->text + used;
		const size_t room = sizeof(fault->text) - used;

		if (!qpu->running)
			continue;
		emu_wait_text(machine, i, what);
		if (room > 2 * sizeof(what))
			snprintf(end, room, "%s QPU %u at 0x%08x waits for %s",
				 n ? ";" : "", i, emu_qpu_pc(qpu), what);
		else {
			snprintf(end, room, "; %u more", machine->nrunning - n);
			break;
		}
		n++;
	}
}

/*
 * One slice for every QPU.  Returns instructions executed and whether a QPU
 * was passed over without being asked.
 */
static uint64_t
run_round(struct machine *machine, uint64_t left, uint64_t clock,
	  bool *passed_over)
{
	const unsigned first = machine->check ?
				       emu_random(machine) % MACHINE_QPUS :
				       machine->turn;
	uint64_t done = 0;

	*passed_over = false;
	for (unsigned i = 0;
	     i < MACHINE_QPUS && !machine->dead && !machine->stop; i++) {
		struct emu_qpu *qpu = &machine->qpu[(first + i) % MACHINE_QPUS];
		uint32_t n = machine->options.lockstep ? 1 : SLICE;

		if (!qpu->running)
			continue;
		/* 0 passes the turn on. */
		if (machine->check && (n = emu_random(machine) % 4))
			n = emu_random(machine) % RANDOM_SLICE;
		if (n > left - done)
			n = left - done;
		*passed_over |= !n;
		done += emu_is_observed(qpu) ?
				emu_step_run(qpu, n, clock + done) :
				emu_qpu_run(qpu, n);
		if (machine->stop)
			machine->turn = (qpu->number + 1) % MACHINE_QPUS;
	}
	return done;
}

enum machine_status
emu_schedule_run(struct machine *machine, uint64_t instructions)
{
	uint64_t done = 0;

	for (;;) {
		bool passed_over;
		uint64_t ran, moved = 0;

		emu_machine_dispatch(machine);
		if (emu_pipe_busy(machine->pipe))
			moved = emu_pipe_advance(machine);
		if (machine->dead)
			return MACHINE_FAULT;
		if (!machine->nrunning && !machine->nqueued) {
			if (!emu_pipe_busy(machine->pipe))
				return MACHINE_DONE;
			/* The rest waits for the CPU. */
			machine->pipe->waits = !moved;
			if (!moved)
				return MACHINE_LIMIT;
		}
		/* A packet counts as an instruction, so that a looping list
		 * terminates. */
		done = moved < instructions - done ? done + moved :
						     instructions;
		if (done == instructions || machine->stop)
			return MACHINE_LIMIT;
		ran = run_round(machine, instructions - done, done,
				&passed_over);
		done += ran;
		if (machine->dead)
			return MACHINE_FAULT;
		if (!ran && !moved && !passed_over && !machine->stop) {
			emu_schedule_deadlock(machine);
			return MACHINE_DEADLOCK;
		}
	}
}
