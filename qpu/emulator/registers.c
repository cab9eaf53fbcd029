/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <string.h>

#include "qpu/emulator/pipe.h"
#include "qpu/emulator/timed.h"

/* Events of the graphics pipeline alone have no name. */
static const char *const counter_names[MACHINE_COUNTERS] = {
#define COUNTER(id, ID, name) [id] = name,
#include "qpu/isa/counter.def"
#undef COUNTER
};

const char *
machine_counter_name(unsigned id)
{
	return id < MACHINE_COUNTERS ? counter_names[id] : NULL;
}

uint64_t
machine_counter(const struct machine *machine, unsigned id)
{
	uint64_t total = 0;

	if (id >= MACHINE_COUNTERS)
		return 0;
	if (id == MACHINE_COUNTER_IDLE)
		return machine->timed ? emu_timed_idle(machine) : 0;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const struct emu_qpu *qpu = &machine->qpu[i];

		switch (id) {
		case MACHINE_COUNTER_EXECUTING:
			total += 4 * qpu->cost.executions;
			break;
		case MACHINE_COUNTER_TMU_STALLS:
			total += qpu->cost.stall[MACHINE_STALL_TMU];
			break;
		case MACHINE_COUNTER_SCOREBOARD_STALLS:
			total += qpu->cost.stall[MACHINE_STALL_SCOREBOARD];
			break;
		default: return machine->counters[id];
		}
	}
	return total;
}

static uint64_t
counter_value(const struct machine *machine, unsigned n)
{
	const struct emu_registers *registers = &machine->registers;
	uint64_t value = registers->count[n];

	/* Bit 31 must be set for any of them to count. */
	if (registers->counters_on >> 31 && registers->counters_on >> n & 1)
		value += machine_counter(machine, registers->event[n]) -
			 registers->start[n];
	return value;
}

/* Stop all counters, write the register, and let them go on. */
static void
counters_write(struct machine *machine, uint32_t offset, uint32_t value)
{
	struct emu_registers *registers = &machine->registers;

	for (unsigned n = 0; n < EMU_COUNTERS; n++)
		registers->count[n] = counter_value(machine, n);
	if (offset == V3D_PCTRE) {
		registers->counters_on = value;
	} else if (offset == V3D_PCTRC) {
		for (unsigned n = 0; n < EMU_COUNTERS; n++)
			if (value >> n & 1)
				registers->count[n] = 0;
	} else if (offset & 4) {
		registers->event[(offset - V3D_PCTR0) / 8] = value & 31;
	}
	for (unsigned n = 0; n < EMU_COUNTERS; n++)
		registers->start[n] =
			machine_counter(machine, registers->event[n]);
}

/* A defect may keep some sets. */
static void
clear_cache(struct machine *machine, enum emu_cache_kind kind, unsigned slice)
{
	const struct machine_defect *defect = &machine->defect;
	struct emu_cache *cache =
		machine->stale ? emu_stale_cache(machine->stale, kind, slice) :
				 NULL;

	const bool keeps = defect->kept &
			   (kind == EMU_CACHE_L2 ? MACHINE_L2 : MACHINE_SLICES);

	if (cache && !keeps)
		emu_cache_clear(cache);
	if (machine->timed)
		emu_cache_clear(emu_timed_cache(machine->timed, kind, slice));
}

void
emu_clear_l2(struct machine *machine)
{
	machine->cold |= MACHINE_L2;
	clear_cache(machine, EMU_CACHE_L2, 0);
}

void
emu_clear_slices(struct machine *machine, uint32_t which)
{
	for (unsigned kind = EMU_CACHE_CODE; kind <= EMU_CACHE_TMU1; kind++)
		for (unsigned slice = 0; slice < EMU_SLICES; slice++)
			if (which >> (8 * kind + slice) & 1)
				clear_cache(machine, kind, slice);
	if ((which & EMU_SLCACTL_TMUS) == EMU_SLCACTL_TMUS)
		machine->cold |= MACHINE_SLICES;
}

void
emu_caches_used(struct machine *machine)
{
	if (machine->cold != MACHINE_CACHES && !machine->stale)
		machine->stale = emu_stale_create();
	machine->cold = 0;
}

enum {
	/* CTnCS */
	CS_RESET = 1 << 15,
	CS_SEMAPHORE_SHIFT = 12,
	CS_SUB_LISTS_SHIFT = 8,
	CS_RUNNING = 1 << 5,
	CS_ERROR = 1 << 3,
};

/* The registers of both lists have the names of the binning list's. */
static uint32_t
of_both_lists(uint32_t offset)
{
	return offset >= V3D_CT0CS && offset <= V3D_CT0CA + 4 ? offset & ~4u :
								offset;
}

/* VPM 12 KiB, 16 semaphores, 2 TMUs, 4 QPUs, 3 slices, revision 1. */
static const uint32_t ident1 = 12u << 28 | 1 << 24 | 16 << 16 | 2 << 12 |
			       4 << 8 | 3 << 4 | 1;

uint32_t
machine_read(struct machine *machine, uint32_t offset)
{
	const struct emu_registers *registers = &machine->registers;
	const struct emu_pipe *pipe = machine->pipe;
	const struct emu_list *list = &pipe->list[offset >> 2 & 1];

	switch (of_both_lists(offset)) {
	case V3D_INTCTL: return pipe->interrupts;
	case V3D_CT0CS:
		return (list->semaphore & 7) << CS_SEMAPHORE_SHIFT |
		       list->depth << CS_SUB_LISTS_SHIFT |
		       (list->running ? CS_RUNNING : 0) |
		       (list->failed ? CS_ERROR : 0);
	case V3D_CT0EA: return list->end;
	case V3D_CT0CA: return list->at;
	case V3D_BFC: return pipe->flushes & 0xff;
	case V3D_RFC: return pipe->frames & 0xff;
	case V3D_IDENT0: return 0x02443356;
	case V3D_IDENT1: return ident1;
	case V3D_SCRATCH: return registers->scratch;
	case V3D_SQRSV0:
	case V3D_SQRSV1: return registers->reserved[offset == V3D_SQRSV1];
	case V3D_SRQUA: return registers->uniforms;
	case V3D_SRQUL: return registers->limit;
	case V3D_SRQCS:
		return (registers->completed & 0xff) << 16 |
		       (registers->requests & 0xff) << 8 |
		       (uint32_t)registers->queue_error << 7 | machine->nqueued;
	case V3D_VPMBASE: return machine->vpm.rows / 4;
	case V3D_PCTRE: return registers->counters_on;
	case V3D_DBQITE: return registers->irq_enable;
	case V3D_DBQITC: return registers->irq;
	case V3D_ERRSTAT: return registers->errors;
	default: break;
	}
	if (offset < V3D_PCTR0 || offset > V3D_PCTRS15 || offset & 3)
		return 0;
	return offset & 4 ? registers->event[(offset - V3D_PCTR0) / 8] :
			    (uint32_t)counter_value(machine,
						    (offset - V3D_PCTR0) / 8);
}

static void
write_queue_status(struct machine *machine, uint32_t value)
{
	if (value & 1)
		machine->nqueued = 0;
	if (value >> 7 & 1)
		machine->registers.queue_error = false;
	if (value >> 8 & 1)
		machine->registers.requests = 0;
	if (value >> 16 & 1)
		machine->registers.completed = 0;
}

/* The first program to start while nothing runs begins a launch, counted once. */
static void
write_queue(struct machine *machine, uint32_t code)
{
	const struct emu_registers *registers = &machine->registers;
	const bool idle = !machine->nrunning && !machine->nqueued;

	if (idle)
		emu_caches_used(machine);
	if (idle && machine->check)
		emu_check_launch(machine, false);
	emu_machine_queue(machine, code, registers->uniforms, registers->limit);
	if (idle && machine->timed)
		emu_timed_launched(machine, false);
}

void
machine_write(struct machine *machine, uint32_t offset, uint32_t value)
{
	struct emu_registers *registers = &machine->registers;
	struct emu_pipe *pipe = machine->pipe;
	const enum emu_list_number number = offset >> 2 & 1;

	switch (of_both_lists(offset)) {
	case V3D_INTCTL: pipe->interrupts &= ~value; break;
	case V3D_CT0CS:
		/* A one stops the list; programs then wait for a zero. */
		if (value & CS_RUNNING)
			pipe->list[number].running = false;
		if (value & CS_RESET)
			pipe->list[number] = (struct emu_list){ .at = 0 };
		break;
	case V3D_CT0EA: emu_list_start(machine, number, value); break;
	case V3D_CT0CA: pipe->list[number].at = value; break;
	case V3D_BFC: pipe->flushes = value & 1 ? 0 : pipe->flushes; break;
	case V3D_RFC: pipe->frames = value & 1 ? 0 : pipe->frames; break;
	case V3D_SCRATCH: registers->scratch = value; break;
	case V3D_L2CACTL:
		if (value & 4)
			emu_clear_l2(machine);
		break;
	case V3D_SLCACTL:
		emu_clear_slices(machine, value);
		/* Words in the instruction caches may have changed. */
		emu_code_revalidate(&machine->code, &machine->memory);
		break;
	case V3D_SQRSV0:
	case V3D_SQRSV1:
		registers->reserved[offset == V3D_SQRSV1] = value;
		break;
	case V3D_SRQPC:
		write_queue(machine, value);
		emu_code_revalidate(&machine->code, &machine->memory);
		break;
	case V3D_SRQUA: registers->uniforms = value; break;
	case V3D_SRQUL: registers->limit = value & 0xfff; break;
	case V3D_SRQCS: write_queue_status(machine, value); break;
	case V3D_VPMBASE:
		machine->vpm.rows = (value & 31) < 16 ? (value & 31) * 4 :
							EMU_VPM_ROWS;
		break;
	case V3D_DBQITE: registers->irq_enable = value & 0xffff; break;
	case V3D_DBQITC: registers->irq &= ~value; break;
	case V3D_ERRSTAT: registers->errors &= ~value; break;
	default:
		if (offset == V3D_PCTRC || offset == V3D_PCTRE ||
		    (offset >= V3D_PCTR0 && offset <= V3D_PCTRS15))
			counters_write(machine, offset, value);
		break;
	}
}

void
emu_registers_release(struct machine *machine)
{
	struct emu_registers *registers = &machine->registers;

	memset(registers->reserved, 0, sizeof(registers->reserved));
	registers->requests = registers->completed = 0;
	registers->queue_error = false;
	/* UNSURE(U8): the firmware is expected to leave all rows. */
	machine->vpm.rows = EMU_VPM_ROWS;
}

void
emu_registers_reset(struct machine *machine)
{
	memset(&machine->registers, 0, sizeof(machine->registers));
	/* UNSURE(U7): programs that never write it work. */
	machine->registers.limit = 0xfff;
	emu_registers_release(machine);
}
