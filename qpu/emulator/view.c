/* SPDX-License-Identifier: MIT */
/*
 * view: what a debugger sees of the machine beside registers (emulator.h).
 */
#include "config.h"

#include "qpu/emulator/emulator.h"

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"
#include "qpu/emulator/units.h"

int
machine_mutex(const struct machine *machine)
{
	return machine->mutex == EMU_NO_QPU ? -1 : machine->mutex;
}

void *
machine_memory(struct machine *machine, uint32_t bus_addr, uint32_t bytes)
{
	return emu_memory_at(&machine->memory, bus_addr, bytes);
}

/* The set-up word (section 11.3) that describes what is left of a block. */
static uint32_t
block_setup(const struct emu_vpm_block *block)
{
	return (block->left & 15u) << 20 | (block->stride & 63u) << 12 |
	       (uint32_t)block->horizontal << 11 |
	       (uint32_t)block->laned << 10 | (block->size & 3u) << 8 |
	       block->addr;
}

static void
look_at_setups(const struct emu_qpu *qpu, struct machine_view *view)
{
	view->load = qpu->dma.load;
	view->load_pitch = qpu->dma.load_pitch;
	view->store = qpu->dma.store;
	view->store_stride = qpu->dma.store_stride;
	view->vpm_write = block_setup(&qpu->vpm.write);
	view->vpm_reads = qpu->vpm.nreads;
	for (unsigned i = 0; i < qpu->vpm.nreads; i++)
		view->vpm_read[i] = block_setup(&qpu->vpm.read[i]);
}

void
machine_look(const struct machine *machine, unsigned number,
	     struct machine_view *view)
{
	const struct emu_qpu *qpu = &machine->qpu[number];

	*view = (struct machine_view){
		.running = qpu->running,
		.waits = qpu->running ? qpu->waits : MACHINE_STALL_NONE,
		.pc = qpu->page ? emu_qpu_pc(qpu) : 0,
		.z = emu_lanes_zero(&qpu->value),
		.n = emu_lanes_negative(&qpu->value),
		.c = emu_lanes(&qpu->carry),
		.branch_slots = qpu->branch_slots,
		.target = qpu->target,
		.end_slots = qpu->end_slots,
		.uniforms = qpu->uniform_addr,
	};
	view->lookups[0] = qpu->tmu[emu_tmu_unit(number, qpu->noswap, 0)].count;
	view->lookups[1] = qpu->tmu[emu_tmu_unit(number, qpu->noswap, 1)].count;
	look_at_setups(qpu, view);
	if (!machine->timed)
		return;
	if (view->waits && emu_timed_next(machine->timed, number) != EMU_NEVER)
		view->until = emu_timed_next(machine->timed, number);
	emu_timed_dma(machine->timed, number, &view->load_end,
		      &view->store_end);
}
