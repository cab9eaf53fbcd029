/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/registers.h"
#include "qpu/emulator/stale.h"
#include "qpu/emulator/timed.h"

enum {
	NO_LIMIT = 0xfff,
	/* CTnCS */
	CS_RESET = 1 << 15,
	CS_SEMAPHORE_SHIFT = 12,
	CS_SUB_LISTS_SHIFT = 8,
	CS_RUNNING = 1 << 5,
	CS_WAITS = 1 << 4,
	CS_ERROR = 1 << 3,
	/* PCS */
	PCS_BINNING = 3,
	PCS_RENDERING = 12,
	PCS_OUT_OF_MEMORY = 1 << 8,
};

struct emu_pipe *
emu_pipe_create(void)
{
	struct emu_pipe *pipe =
		aligned_alloc(64, (sizeof(*pipe) + 63) & ~(size_t)63);

	if (!pipe)
		return NULL;
	memset(pipe, 0, sizeof(*pipe));
	emu_quad_order_init(&pipe->order[0], EMU_TILE_ONE / 2);
	emu_quad_order_init(&pipe->order[1], EMU_TILE_MS / 2);
	return pipe;
}

void
emu_pipe_destroy(struct emu_pipe *pipe)
{
	free(pipe);
}

void
emu_pipe_reset(struct emu_pipe *pipe)
{
	memset(pipe->list, 0, sizeof(pipe->list));
	memset(&pipe->binner, 0, sizeof(pipe->binner));
	memset(&pipe->render, 0, sizeof(pipe->render));
	memset(pipe->fragment, 0, sizeof(pipe->fragment));
	pipe->fragments = 0;
	pipe->ops_done = pipe->ops_queued;
	pipe->op_end = 0;
	pipe->interrupts = pipe->enabled = 0;
	pipe->flushes = pipe->frames = 0;
}

bool
emu_pipe_busy(const struct emu_pipe *pipe)
{
	return pipe->list[EMU_LIST_BIN].running ||
	       pipe->list[EMU_LIST_RENDER].running || pipe->fragments ||
	       pipe->ops_done != pipe->ops_queued;
}

void
emu_pipe_explain(const struct emu_pipe *pipe, struct diag *why)
{
	if (pipe->binner.out_of_memory)
		diag_set(why, "the binner waits for memory");
	else
		diag_set(why, "a control list waits for the other one, or for "
			      "a QPU that is not reserved");
}

struct emu_qpu *
emu_pipe_find(struct machine *machine, enum emu_shader shader)
{
	static const uint8_t kept[EMU_SHADERS] = { 1, 2, 3 };

	return emu_qpu_find(machine, kept[shader]);
}

bool
emu_pipe_shade(struct machine *machine, enum emu_shader shader,
	       const struct emu_record *record, struct emu_batch *batch)
{
	struct emu_qpu *qpu = emu_pipe_find(machine, shader);
	const struct emu_launch launch = {
		.kind = EMU_THREAD_VERTEX,
		.code = record->code[shader],
		.uniforms = record->uniforms[shader],
		.limit = NO_LIMIT,
	};

	if (!qpu)
		return false;
	batch->shading = true;
	qpu->batch = batch;
	emu_qpu_start(qpu, &launch);
	return true;
}

bool
emu_pipe_tile(struct machine *machine, const struct emu_tile_op *op)
{
	struct emu_pipe *pipe = machine->pipe;

	if (pipe->ops_queued - pipe->ops_done == EMU_TILE_OPS)
		return false;
	pipe->op[pipe->ops_queued++ % EMU_TILE_OPS] = *op;
	return true;
}

/* Have all threads ended that were started before an operation? */
static bool
is_its_turn(const struct emu_pipe *pipe, uint64_t op)
{
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		if (pipe->fragment[i].active && pipe->fragment[i].fence <= op)
			return false;
	return true;
}

static void
stored(void *context, uint32_t bus_addr, uint32_t bytes)
{
	struct machine *machine = context;

	emu_code_invalidate(&machine->code, bus_addr, bytes);
	if (machine->check)
		emu_stale_store(machine->stale, bus_addr, bytes);
}

bool
emu_pipe_is_time(struct machine *machine, uint64_t clock)
{
	struct emu_pipe *pipe = machine->pipe;

	if (pipe->now >= clock)
		return true;
	if (clock < pipe->wake)
		pipe->wake = clock;
	return false;
}

/* Bytes between the tile buffer and memory. */
static unsigned
op_bytes(const struct emu_pipe *pipe, const struct emu_tile_op *op)
{
	const unsigned side = emu_tile_side(&pipe->tile);

	switch (op->kind) {
	case EMU_TILE_NOTHING: return 0;
	case EMU_TILE_LOAD_FULL:
	case EMU_TILE_STORE_FULL: return EMU_TILE_WORDS * 4;
	default: return side * side * 4;
	}
}

/* Has the operation taken its time?  The first call begins it. */
static bool
op_is_over(struct machine *machine, const struct emu_tile_op *op)
{
	struct emu_pipe *pipe = machine->pipe;

	if (!machine->timed)
		return true;
	if (!pipe->op_end)
		pipe->op_end = pipe->now + emu_timed_tile(machine->timed,
							  op_bytes(pipe, op));
	if (!emu_pipe_is_time(machine, pipe->op_end))
		return false;
	pipe->op_end = 0;
	return true;
}

/* The next load or store of the tile, if it can take place. */
static bool
do_op(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	const struct emu_tile_op *op = &pipe->op[pipe->ops_done % EMU_TILE_OPS];
	uint32_t bad;

	if (pipe->ops_done == pipe->ops_queued ||
	    !is_its_turn(pipe, pipe->ops_done) || !op_is_over(machine, op))
		return false;
	if (!emu_tile_do(&pipe->tile, &machine->memory, op, stored, machine,
			 &bad)) {
		pipe->list[EMU_LIST_RENDER].at = op->packet;
		emu_list_fault(machine, EMU_LIST_RENDER,
			       "tile (%u, %u), at 0x%08x, is outside memory",
			       op->x, op->y, bad);
		return false;
	}
	pipe->ops_done++;
	if (op->end_of_frame) {
		pipe->frames++;
		pipe->interrupts |= V3D_INT_FRAME_DONE;
		pipe->render.active = false;
	}
	return true;
}

uint64_t
emu_pipe_advance(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	uint64_t done = 0, before;

	pipe->wake = EMU_PIPE_NEVER;
	do {
		before = done;
		while (!machine->dead && do_op(machine))
			done++;
		done += emu_list_run(machine, EMU_LIST_BIN);
		done += emu_list_run(machine, EMU_LIST_RENDER);
	} while (done != before && done < 4096 && !machine->dead);
	return done;
}

void
emu_pipe_unlocked(struct machine *machine)
{
	if (machine->timed)
		emu_timed_unlocked(machine);
}

void
emu_pipe_ended(struct emu_qpu *qpu)
{
	struct emu_pipe *pipe = qpu->machine->pipe;

	if (qpu->kind == EMU_THREAD_VERTEX) {
		qpu->batch->shading = false;
		return;
	}
	qpu->fragment->active = false;
	pipe->fragments--;
	emu_pipe_unlocked(qpu->machine);
}

static uint32_t
control_status(const struct emu_list *list)
{
	return (list->semaphore & 7) << CS_SEMAPHORE_SHIFT |
	       list->depth << CS_SUB_LISTS_SHIFT |
	       (list->running ? CS_RUNNING : 0) | (list->failed ? CS_ERROR : 0);
}

uint32_t
emu_pipe_read(const struct machine *machine, uint32_t offset)
{
	const struct emu_pipe *pipe = machine->pipe;
	const struct emu_list *list = &pipe->list[offset >> 2 & 1];

	switch (offset) {
	case V3D_INTCTL: return pipe->interrupts;
	case V3D_INTENA: return pipe->enabled;
	case V3D_INTDIS: return pipe->enabled;
	case V3D_CT0CS:
	case V3D_CT0CS + 4: return control_status(list);
	case V3D_CT0EA:
	case V3D_CT0EA + 4: return list->end;
	case V3D_CT0CA:
	case V3D_CT0CA + 4: return list->at;
	case V3D_CT00RA0:
	case V3D_CT00RA0 + 4: return list->back[0];
	case V3D_PCS:
		return (pipe->binner.active ? PCS_BINNING : 0) |
		       (pipe->render.active ? PCS_RENDERING : 0) |
		       (pipe->binner.out_of_memory ? PCS_OUT_OF_MEMORY : 0);
	case V3D_BFC: return pipe->flushes & 0xff;
	case V3D_RFC: return pipe->frames & 0xff;
	case V3D_BPCA: return pipe->binner.next;
	case V3D_BPCS: return pipe->binner.left;
	case V3D_BPOA: return pipe->binner.more;
	default: return 0;
	}
}

/* Writing the end starts the list. */
static void
start_list(struct machine *machine, enum emu_list_number number, uint32_t end)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_list *list = &pipe->list[number];

	if (machine->dead)
		return;
	if (!list->running) {
		if (number == EMU_LIST_BIN)
			memset(&pipe->binner.state, 0,
			       sizeof(pipe->binner.state));
		else
			memset(&pipe->render.state, 0,
			       sizeof(pipe->render.state));
		emu_code_revalidate(&machine->code, &machine->memory);
	}
	list->end = end;
	list->depth = 0;
	list->running = true;
	list->failed = false;
}

void
emu_pipe_write(struct machine *machine, uint32_t offset, uint32_t value)
{
	struct emu_pipe *pipe = machine->pipe;
	const enum emu_list_number number = offset >> 2 & 1;
	struct emu_list *list = &pipe->list[number];

	switch (offset) {
	case V3D_INTCTL:
		pipe->interrupts &= ~value;
		/* It stays while its reason does. */
		if (pipe->binner.out_of_memory)
			pipe->interrupts |= V3D_INT_OUT_OF_MEMORY;
		break;
	case V3D_INTENA: pipe->enabled |= value & 15; break;
	case V3D_INTDIS: pipe->enabled &= ~value; break;
	case V3D_CT0CS:
	case V3D_CT0CS + 4:
		if (value & CS_RESET)
			memset(list, 0, sizeof(*list));
		break;
	case V3D_CT0EA:
	case V3D_CT0EA + 4: start_list(machine, number, value); break;
	case V3D_CT0CA:
	case V3D_CT0CA + 4: list->at = value; break;
	case V3D_BFC:
		if (value & 1)
			pipe->flushes = 0;
		break;
	case V3D_RFC:
		if (value & 1)
			pipe->frames = 0;
		break;
	case V3D_BPOA: pipe->binner.more = value; break;
	case V3D_BPOS: emu_binner_memory(&pipe->binner, value); break;
	default: break;
	}
}
