/* SPDX-License-Identifier: MIT */
/*
 * qpu: the life of a program on one QPU, from start through branches to its
 * end (machine.h).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/emulator/pipe.h"

/* A table, since compilers make vectors of it. */
static const uint32_t lane_bits[EMU_LANES] = {
	1 << 0, 1 << 1, 1 << 2,	 1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
	1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15,
};

unsigned
emu_lanes(const emu_vec *mask)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < EMU_LANES; i++)
		lanes |= (*mask)[i] >> 31 ? lane_bits[i] : 0;
	return lanes;
}

unsigned
emu_lanes_zero(const emu_vec *value)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < EMU_LANES; i++)
		lanes |= (*value)[i] ? 0 : lane_bits[i];
	return lanes;
}

unsigned
emu_lanes_cond(const struct emu_qpu *qpu, unsigned cond)
{
	unsigned lanes;

	switch (cond) {
	case QPU_COND_NEVER: return 0;
	case QPU_COND_ALWAYS: return EMU_ALL_LANES;
	case QPU_COND_ZS:
	case QPU_COND_ZC: lanes = emu_lanes_zero(&qpu->value); break;
	case QPU_COND_NS:
	case QPU_COND_NC: lanes = emu_lanes(&qpu->value); break;
	default: lanes = emu_lanes(&qpu->carry); break;
	}
	return cond & 1 ? ~lanes & EMU_ALL_LANES : lanes;
}

void
emu_machine_fault(struct machine *machine, const struct emu_qpu *faulty,
		  const char *where, const char *format, va_list args)
{
	char reason[256];

	if (machine->dead)
		return;
	machine->dead = true;
	machine->faulty = faulty;
	vsnprintf(reason, sizeof(reason), format, args);
	diag_set(&machine->fault, "%s: %s", where, reason);
}

void
emu_fault(struct emu_qpu *qpu, const char *format, ...)
{
	char where[32];
	va_list args;

	snprintf(where, sizeof(where), "QPU %u at 0x%08x", qpu->number,
		 qpu->page ? emu_qpu_pc(qpu) : 0);
	va_start(args, format);
	emu_machine_fault(qpu->machine, qpu, where, format, args);
	va_end(args);
}

void
emu_qpu_refuse(struct emu_qpu *qpu, const struct emu_op *op)
{
	const uint64_t word = qpu->page->words[op - qpu->page->ops];
	char text[128];

	if (!emu_memory_at(&qpu->machine->memory, emu_qpu_pc(qpu),
			   QPU_INST_BYTES)) {
		emu_fault(qpu, "instruction fetch is outside memory");
		return;
	}
	emu_decode_explain(word, text, sizeof(text));
	emu_fault(qpu, "%s (%08x %08x)", text, (uint32_t)(word >> 32),
		  (uint32_t)word);
}

bool
emu_qpu_jump(struct emu_qpu *qpu, uint32_t addr)
{
	struct machine *machine = qpu->machine;
	struct emu_page *page = emu_code_page(&machine->code, &machine->memory,
					      addr & ~7u,
					      machine->options.profile);

	if (!page) {
		if (emu_memory_at(&machine->memory, addr & ~7u, QPU_INST_BYTES))
			emu_fault(qpu, "out of memory");
		else
			emu_fault(qpu,
				  "instruction fetch at 0x%08x is outside "
				  "memory",
				  addr);
		qpu->stop = EMU_STOP_FAULT;
		return false;
	}
	qpu->page = page;
	qpu->op = &page->ops[addr % EMU_PAGE_BYTES / QPU_INST_BYTES];
	qpu->alias = addr & ~(uint32_t)MACHINE_BUS_MASK;
	return true;
}

bool
emu_qpu_fetch(struct emu_qpu *qpu)
{
	while (qpu->op->kind == EMU_KIND_DECODE ||
	       qpu->op->kind == EMU_KIND_NEXT_PAGE) {
		if (qpu->op->kind == EMU_KIND_DECODE)
			emu_code_decode(qpu->page, &qpu->machine->memory,
					qpu->op);
		else if (!emu_qpu_jump(qpu, emu_qpu_pc(qpu)))
			return false;
	}
	if (qpu->op->kind != EMU_KIND_REFUSE &&
	    emu_fragment_allows(qpu, qpu->op))
		return true;
	emu_qpu_refuse(qpu, qpu->op);
	return false;
}

static void
fill_noise(struct machine *machine, emu_vec *first, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned lane = 0; lane < EMU_LANES; lane++)
			first[i][lane] = emu_random(machine);
}

void
emu_qpu_start(struct emu_qpu *qpu, const struct emu_launch *launch)
{
	struct machine *machine = qpu->machine;

	qpu->kind = launch->kind;
	qpu->uniform_addr = launch->uniforms;
	qpu->uniforms_left = launch->uniforms ? launch->limit : 0;
	qpu->uniforms_limited = !launch->uniforms || launch->limit < 1024;
	qpu->branch_slots = qpu->end_slots = 0;
	qpu->branch_opened = qpu->end_opened = false;
	qpu->noswap = false;
	qpu->waits = MACHINE_STALL_NONE;
	memset(&qpu->vpm, 0, sizeof(qpu->vpm));
	qpu->read_window = qpu->write_window = &machine->vpm;
	if (qpu->kind == EMU_THREAD_VERTEX) {
		qpu->read_window = &qpu->batch->in;
		qpu->write_window = &qpu->batch->out;
	}
	memset(qpu->tmu, 0, sizeof(qpu->tmu));
	qpu->running = true;
	machine->nrunning++;
	if (machine->check) {
		fill_noise(machine, qpu->file, EMU_SLOT_ACC + 6);
		fill_noise(machine, &qpu->file[EMU_SLOT_NOTHING], 1);
		for (unsigned lane = 0; lane < EMU_LANES; lane++) {
			/* Z, N and C are set in some lanes. */
			const uint32_t bits = emu_random(machine);

			qpu->value[lane] = bits & 1 ? bits : 0;
			qpu->carry[lane] = bits & 2 ? UINT32_MAX : 0;
		}
		emu_check_start(qpu);
	}
	qpu->page = NULL;
	if (emu_qpu_jump(qpu, launch->code) && launch->code & 7)
		emu_report(qpu, QPU_RULE_CODE_ALIGNMENT);
}

static void
finish(struct emu_qpu *qpu)
{
	struct machine *machine = qpu->machine;

	if (machine->check) {
		/* Findings about the end are at the last instruction. */
		qpu->op--;
		emu_check_end(qpu);
		qpu->op++;
	}
	qpu->running = false;
	machine->nrunning--;
	if (qpu->kind == EMU_THREAD_USER)
		machine->registers.completed++;
	else
		emu_pipe_ended(qpu);
}

/* Count the instructions that were executed in delay slots and after thrend. */
static void
settle(struct emu_qpu *qpu, uint32_t ran)
{
	bool arrives = false;

	if (qpu->branch_slots) {
		qpu->branch_slots -= ran;
		arrives = ran && !qpu->branch_slots;
	}
	if (qpu->end_slots) {
		qpu->end_slots -= ran;
		if (!qpu->end_slots) {
			finish(qpu);
			return;
		}
	}
	if (qpu->end_opened && !qpu->end_slots)
		qpu->end_slots = EMU_END_SLOTS;
	if (arrives) {
		const uint32_t target = qpu->target;

		if (target & 7)
			emu_report(qpu, QPU_RULE_CODE_ALIGNMENT);
		emu_qpu_jump(qpu, target);
	}
	/*
	 * A branch in the third delay slot follows the one under way; one in
	 * the first two is lost (rule R8 says not to).
	 */
	if (qpu->branch_opened && !qpu->branch_slots) {
		qpu->target = qpu->new_target;
		qpu->branch_slots = EMU_BRANCH_SLOTS;
	}
	qpu->branch_opened = qpu->end_opened = false;
}

uint32_t
emu_qpu_run(struct emu_qpu *qpu, uint32_t n)
{
	emu_core *const core = qpu->machine->core;
	uint32_t done = 0;

	while (done < n && qpu->running) {
		uint32_t chunk = n - done;

		if (qpu->branch_slots && qpu->branch_slots < chunk)
			chunk = qpu->branch_slots;
		if (qpu->end_slots && qpu->end_slots < chunk)
			chunk = qpu->end_slots;
		const uint32_t ran = core(qpu, chunk);

		done += ran;
		settle(qpu, ran);
		if (qpu->stop == EMU_STOP_STALL || qpu->stop == EMU_STOP_FAULT)
			break;
	}
	return done;
}

void
emu_machine_queue(struct machine *machine, uint32_t code, uint32_t uniforms,
		  uint32_t limit)
{
	if (machine->nqueued == EMU_QUEUE) {
		machine->registers.queue_error = true;
		return;
	}
	machine->queue[machine->nqueued++] = (struct emu_launch){
		.code = code,
		.uniforms = uniforms,
		.limit = limit,
	};
	machine->registers.requests++;
}

/* Any free QPU may get a program; without noise it is the lowest one. */
struct emu_qpu *
emu_qpu_find(struct machine *machine, unsigned reserved)
{
	const unsigned first = machine->check && !machine->timed ?
				       emu_random(machine) % MACHINE_QPUS :
				       0;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const unsigned n = (first + i) % MACHINE_QPUS;

		/* SQRSV has four bits for each QPU. */
		if (n < machine->options.qpus && !machine->qpu[n].running &&
		    !(machine->registers.reserved[n / 8] >>
			      (n % 8 * 4 + reserved) &
		      1))
			return &machine->qpu[n];
	}
	return NULL;
}

void
emu_machine_dispatch(struct machine *machine)
{
	struct emu_qpu *qpu;

	while (machine->nqueued && !machine->dead &&
	       (qpu = emu_qpu_find(machine, 0))) {
		const struct emu_launch launch = machine->queue[0];

		machine->nqueued--;
		memmove(machine->queue, machine->queue + 1,
			machine->nqueued * sizeof(launch));
		emu_qpu_start(qpu, &launch);
	}
}
