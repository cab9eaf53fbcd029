/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/step.h"

#include "qpu/emulator/check.h"
#include "qpu/emulator/port.h"

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
 * The part that is known before: lanes depend on the flags then (3.1).  op is a
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
	if (op->to_add != EMU_SLOT_TRASH)
		step->lanes_add = emu_lanes_cond(qpu, op->cond_add);
	if (op->to_mul != EMU_SLOT_TRASH)
		step->lanes_mul = emu_lanes_cond(qpu, op->cond_mul);
}

static void
trace_after(const struct emu_qpu *qpu, const struct emu_op *op, bool taken,
	    struct machine_step *step)
{
	step->z = emu_lanes_zero(&qpu->value);
	step->n = emu_lanes_negative(&qpu->value);
	step->c = emu_lanes(&qpu->carry);
	if (op->kind != EMU_KIND_BRANCH || taken) {
		step->add = written(qpu, op->to_add, op->write_add);
		step->mul = written(qpu, op->to_mul, op->write_mul);
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
	if (machine->tracer)
		trace_before(qpu, &op, clock, &step);
	if (qpu->page->tally)
		qpu->page->tally[qpu->op - qpu->page->ops].executions++;
	if (!emu_qpu_run(qpu, 1))
		return false;
	if (machine->tracer)
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
