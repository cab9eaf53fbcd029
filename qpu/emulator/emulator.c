/* SPDX-License-Identifier: MIT */
/*
 * emulator: the public face of the machine (emulator.h).
 */
#include "config.h"

#include "qpu/emulator/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/base/float.h"
#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"
#include "qpu/emulator/timed.h"

/* The value of register 39: not zero, as programs raise the host interrupt with
 * it. */
static const uint32_t NOTHING = UINT32_MAX;

/* Set the values that every QPU can read without having written them. */
static void
init_constants(struct emu_qpu *qpu)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		qpu->file[EMU_SLOT_ELEMENT][lane] = lane;
		qpu->file[EMU_SLOT_QPU][lane] = qpu->number;
		qpu->file[EMU_SLOT_NOTHING][lane] = NOTHING;
	}
	for (unsigned small = 0; small < QPU_SMALL_COUNT; small++)
		qpu->file[EMU_SLOT_SMALL + small] =
			(emu_vec){ 0 } + qpu_small_value(small);
}

static bool
init_parts(struct machine *machine, struct diag *why)
{
	const struct machine_options *options = &machine->options;

	machine->core = emu_core_select(options->simd);
	if (!machine->core)
		return diag_set(why,
				"this processor lacks the instruction set that "
				"was asked for");
	if (!emu_code_init(&machine->code) ||
	    !(machine->pipe = emu_allocate(sizeof(*machine->pipe))))
		goto memory;
	if (options->check && (!(machine->check = emu_check_create()) ||
			       !(machine->race = emu_race_create())))
		goto memory;
	if ((options->check || options->words) &&
	    !(machine->stale = emu_stale_create()))
		goto memory;
	if (options->timed && !(machine->timed = emu_timed_create()))
		goto memory;
	return true;
memory:
	return diag_set(why, "out of memory");
}

struct machine *
machine_create(const struct machine_options *options, struct diag *why)
{
	struct machine *machine;

	if (!emu_float_load()) {
		diag_set(why, "libm cannot be loaded");
		return NULL;
	}
	machine = emu_allocate(sizeof(*machine));
	if (!machine) {
		diag_set(why, "out of memory");
		return NULL;
	}
	if (options)
		machine->options = *options;
	if (!machine->options.qpus)
		machine->options.qpus = MACHINE_QPUS;
	if (!machine->options.clock_mhz)
		machine->options.clock_mhz = MACHINE_CLOCK_MHZ;
	if (machine->options.qpus > MACHINE_QPUS) {
		diag_set(why, "%u QPUs: there are 12", machine->options.qpus);
		free(machine);
		return NULL;
	}
	if (!init_parts(machine, why)) {
		machine_destroy(machine);
		return NULL;
	}
	/* Any seed, also 0, gives a state that is not 0. */
	machine->random =
		(machine->options.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	machine->mutex = EMU_NO_QPU;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine->qpu[i].machine = machine;
		machine->qpu[i].number = i;
		init_constants(&machine->qpu[i]);
	}
	emu_registers_reset(machine);
	for (unsigned row = 0; machine->check && row < EMU_VPM_ROWS; row++)
		for (unsigned lane = 0; lane < EMU_LANES; lane++)
			machine->vpm.row[row][lane] = emu_random(machine);
	return machine;
}

void
machine_destroy(struct machine *machine)
{
	if (!machine)
		return;
	emu_code_free(&machine->code);
	emu_memory_free(&machine->memory);
	free(machine->check);
	emu_race_free(machine->race);
	free(machine->stale);
	free(machine->timed);
	free(machine->pipe);
	free(machine);
}

bool
machine_add_memory(struct machine *machine, uint32_t bus_addr, void *host,
		   size_t bytes, struct diag *why)
{
	return emu_memory_add(&machine->memory, bus_addr, host, bytes, why);
}

bool
machine_remove_memory(struct machine *machine, uint32_t bus_addr)
{
	return emu_memory_remove(&machine->memory, bus_addr);
}

bool
machine_launch(struct machine *machine, const struct machine_program *programs,
	       unsigned n, struct diag *why)
{
	if (machine->dead)
		return diag_set(why, "the QPUs hang and need a reset");
	if (!n || n > EMU_QUEUE - machine->nqueued)
		return diag_set(why, "%u program%s not fit the queue of %u", n,
				n == 1 ? " does" : "s do", (unsigned)EMU_QUEUE);
	machine->interrupts = 0;
	machine->registers.irq = 0;
	emu_code_revalidate(&machine->code, &machine->memory);
	if (!(machine->keeps & MACHINE_L2))
		emu_clear_l2(machine);
	emu_clear_slices(machine, machine->keeps & MACHINE_SLICES ?
					  ~EMU_SLCACTL_TMUS :
					  ~0u);
	emu_caches_used(machine);
	if (machine->timed)
		emu_timed_launched(machine, true);
	if (machine->check && !machine->nrunning && !machine->nqueued)
		emu_check_launch(machine, machine->options.mailbox);
	for (unsigned i = 0; i < n; i++)
		emu_machine_queue(machine, programs[i].code,
				  programs[i].uniforms,
				  machine->registers.limit);
	return true;
}

void
machine_keep_caches(struct machine *machine, unsigned caches)
{
	machine->keeps = caches;
}

void
machine_inject(struct machine *machine, const struct machine_defect *defect)
{
	machine->defect = defect ? *defect : (struct machine_defect){ 0 };
}

enum machine_status
machine_run(struct machine *machine, uint64_t instructions, uint64_t clocks,
	    struct diag *why)
{
	enum machine_status status = MACHINE_FAULT;
	const int rounding = emu_float_enter();

	machine->pipe->waits = false;
	if (!instructions)
		instructions = UINT64_MAX;
	if (!machine->dead && machine->timed)
		status = emu_timed_run(machine, instructions, clocks);
	else if (!machine->dead)
		status = emu_schedule_run(machine, instructions);
	emu_float_leave(rounding);
	machine->stop = false;
	if (!why)
		return status;
	if (status == MACHINE_FAULT || status == MACHINE_DEADLOCK)
		*why = machine->fault;
	else if (status == MACHINE_LIMIT && machine->pipe->waits)
		diag_set(why, "a control list waits for the other one, or for "
			      "a QPU that is not reserved");
	else if (status == MACHINE_LIMIT)
		diag_set(why, "limit reached with %u program%s running",
			 machine->nrunning, machine->nrunning == 1 ? "" : "s");
	return status;
}

void
machine_stop(struct machine *machine)
{
	machine->stop = true;
}

void
machine_reset(struct machine *machine)
{
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine->qpu[i].running = false;
		memset(&machine->qpu[i].dma, 0, sizeof(machine->qpu[i].dma));
	}
	machine->nrunning = machine->nqueued = 0;
	machine->mutex = EMU_NO_QPU;
	memset(machine->semaphore, 0, sizeof(machine->semaphore));
	emu_clear_l2(machine);
	emu_clear_slices(machine, ~0u);
	emu_registers_release(machine);
	memset(machine->pipe, 0, sizeof(*machine->pipe));
	machine->dead = false;
	machine->faulty = NULL;
	if (machine->timed)
		emu_timed_stop(machine);
}

uint64_t
machine_instructions(const struct machine *machine)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		total += machine->qpu[i].cost.executions;
	return total;
}

uint64_t
machine_clocks(const struct machine *machine)
{
	return machine->timed ? machine->timed->now : 0;
}

uint64_t
machine_launch_clocks(const struct machine *machine)
{
	return machine->timed ? machine->timed->launch_clocks : 0;
}

const struct machine_cost *
machine_qpu_cost(const struct machine *machine, unsigned qpu)
{
	return &machine->qpu[qpu].cost;
}

unsigned
machine_interrupts(const struct machine *machine)
{
	return machine->interrupts;
}

const char *
machine_stall_name(enum machine_stall cause)
{
	static const char *const names[MACHINE_STALLS] = {
		[MACHINE_STALL_NONE] = "nothing",
		[MACHINE_STALL_ICACHE] = "instruction fetch",
		[MACHINE_STALL_UNIFORM] = "uniform",
		[MACHINE_STALL_TMU] = "TMU result",
		[MACHINE_STALL_TMU_FULL] = "TMU request FIFO",
		[MACHINE_STALL_VPM_READ] = "VPM read",
		[MACHINE_STALL_VPM_WRITE] = "VPM write",
		[MACHINE_STALL_VDR] = "DMA load",
		[MACHINE_STALL_VDW] = "DMA store",
		[MACHINE_STALL_MUTEX] = "mutex",
		[MACHINE_STALL_SEMAPHORE] = "semaphore",
		[MACHINE_STALL_SCOREBOARD] = "scoreboard",
	};

	return names[cause];
}

void
emu_wait_text(const struct machine *machine, unsigned number,
	      char text[MACHINE_WAIT_SIZE])
{
	const struct emu_qpu *qpu = &machine->qpu[number];
	const unsigned sema = qpu->op->sema;
	char more[MACHINE_WAIT_SIZE / 2] = "";

	if (qpu->waits == MACHINE_STALL_SEMAPHORE)
		snprintf(more, sizeof(more), " %u, which is %u", sema,
			 machine->semaphore[sema]);
	else if (qpu->waits == MACHINE_STALL_MUTEX &&
		 machine->mutex == qpu->number)
		snprintf(more, sizeof(more), ", which it holds itself");
	else if (qpu->waits == MACHINE_STALL_MUTEX)
		snprintf(more, sizeof(more), ", which QPU %d holds",
			 machine->mutex);
	else if (qpu->waits == MACHINE_STALL_VPM_READ &&
		 !emu_vpm_readable(&qpu->vpm))
		snprintf(more, sizeof(more),
			 ": no set-up has vectors left (R15)");
	else if (qpu->waits == MACHINE_STALL_TMU &&
		 emu_port_wait(qpu, qpu->op) == MACHINE_STALL_TMU)
		snprintf(more, sizeof(more), ": no lookup is under way");
	snprintf(text, MACHINE_WAIT_SIZE, "%s%s",
		 machine_stall_name(qpu->waits), more);
}

void
machine_on_step(struct machine *machine, machine_tracer *tracer, void *context)
{
	machine->tracer = tracer;
	machine->tracer_context = context;
	machine->traced = tracer ? ~0u : 0;
}

void
machine_trace_only(struct machine *machine, unsigned qpus)
{
	machine->traced = qpus;
}

const struct machine_cost *
machine_cost_of(const struct machine *machine, uint32_t bus_addr)
{
	const uint32_t addr = bus_addr & MACHINE_BUS_MASK;
	const struct emu_page *page =
		machine->code.pages[addr / EMU_PAGE_BYTES];

	return page && page->costs ?
		       &page->costs[addr % EMU_PAGE_BYTES / QPU_INST_BYTES] :
		       NULL;
}

uint32_t *
machine_register(struct machine *machine, unsigned qpu, unsigned file,
		 unsigned number)
{
	return (uint32_t *)&machine->qpu[qpu].file[EMU_SLOT_B * file + number];
}

uint32_t *
machine_vpm(struct machine *machine, unsigned row)
{
	return (uint32_t *)&machine->vpm.row[row];
}

unsigned
machine_semaphore(const struct machine *machine, unsigned number)
{
	return machine->semaphore[number];
}

int
machine_mutex(const struct machine *machine)
{
	return machine->mutex;
}

void *
machine_memory(struct machine *machine, uint32_t bus_addr, uint32_t bytes)
{
	return emu_memory_at(&machine->memory, bus_addr, bytes);
}

/* The set-up word (the guide, VPM) that describes what is left of a block. */
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
		.faulty = machine->faulty == qpu,
		.stuck = qpu->running && qpu->page &&
			 (!machine->faulty || machine->faulty == qpu),
		.waits = qpu->running ? qpu->waits : MACHINE_STALL_NONE,
		.pc = qpu->page ? emu_qpu_pc(qpu) : 0,
		.z = emu_lanes_zero(&qpu->value),
		.n = emu_lanes(&qpu->value),
		.c = emu_lanes(&qpu->carry),
		.branch_slots = qpu->branch_slots,
		.target = qpu->target,
		.end_slots = qpu->end_slots,
		.uniforms = qpu->uniform_addr,
	};
	view->lookups[0] = qpu->tmu[emu_tmu_unit(number, qpu->noswap, 0)].count;
	view->lookups[1] = qpu->tmu[emu_tmu_unit(number, qpu->noswap, 1)].count;
	look_at_setups(qpu, view);
	if (view->waits)
		emu_wait_text(machine, number, view->wait);
	if (machine->timed && view->waits &&
	    machine->timed->when[number] != EMU_NEVER)
		view->until = machine->timed->when[number];
}
