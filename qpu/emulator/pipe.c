/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/emulator/base/timing.h"
#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"
#include "qpu/isa/packet.h"

enum {
	TURN = 4096, /* packets of a list in a row */
	/* CTnCS */
	CS_RESET = 1 << 15,
	CS_SEMAPHORE_SHIFT = 12,
	CS_SUB_LISTS_SHIFT = 8,
	CS_RUNNING = 1 << 5,
	CS_ERROR = 1 << 3,
	/* PCS */
	PCS_BINNING = 3,
	PCS_RENDERING = 12,
};

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

enum emu_progress
emu_pipe_tile(struct emu_pipe *pipe, const struct emu_tile_op *op)
{
	if (pipe->ops_queued - pipe->ops_done == EMU_TILE_OPS)
		return EMU_PROGRESS_WAIT;
	pipe->op[pipe->ops_queued++ % EMU_TILE_OPS] = *op;
	return EMU_PROGRESS_DONE;
}

/* Return true if all threads have ended that were started before an operation. */
static bool
is_its_turn(const struct emu_pipe *pipe, uint64_t op)
{
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		if (pipe->fragment[i].active && pipe->fragment[i].fence <= op)
			return false;
	return true;
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

/* Return true when the operation has taken its time.  The first call begins it. */
static bool
op_is_over(struct machine *machine, const struct emu_tile_op *op)
{
	enum { LINES = sizeof(machine->pipe->tile) / EMU_CACHE_LINE };
	struct emu_pipe *pipe = machine->pipe;

	if (!machine->timed)
		return true;
	if (!pipe->op_end) {
		pipe->op_end = pipe->now;
		if (op->dumps)
			pipe->op_end += COST_TILE_FIXED +
					(LINES * COST_TILE_LINE_X10 + 9) / 10;
	}
	if (!emu_pipe_is_time(machine, pipe->op_end))
		return false;
	pipe->op_end = 0;
	return true;
}

/* All words of the tile, as they are; false: outside of memory. */
static bool
dump(struct machine *machine, uint32_t addr)
{
	const struct emu_pipe *pipe = machine->pipe;
	uint8_t *host =
		emu_memory_at(&machine->memory, addr, sizeof(pipe->tile));

	if (!host)
		return false;
	memcpy(host, pipe->tile, sizeof(pipe->tile));
	emu_code_invalidate(&machine->code, addr, sizeof(pipe->tile));
	if (machine->check)
		emu_stale_store(machine->stale, addr, sizeof(pipe->tile));
	return true;
}

/* The next operation of the tile, if it can take place. */
static bool
do_op(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	const struct emu_tile_op *op = &pipe->op[pipe->ops_done % EMU_TILE_OPS];

	if (pipe->ops_done == pipe->ops_queued ||
	    !is_its_turn(pipe, pipe->ops_done) || !op_is_over(machine, op))
		return false;
	if (op->dumps && !dump(machine, op->addr)) {
		pipe->list[EMU_LIST_RENDER].at = op->packet;
		emu_list_fault(machine, EMU_LIST_RENDER,
			       "the tile, at 0x%08x, is outside memory",
			       op->addr);
		return false;
	}
	for (unsigned i = 0; op->clears && i < EMU_TILE_WORDS; i++)
		pipe->tile[i] = op->clear;
	pipe->ops_done++;
	if (op->end_of_frame) {
		pipe->frames++;
		pipe->interrupts |= V3D_INT_FRAME_DONE;
		pipe->render.active = false;
	}
	return true;
}

/* --- Control lists -------------------------------------------------------- */

static const struct row {
	uint8_t bytes;
	const char *lists, *name;
} rows[256] = {
#define PACKET(name, code, bytes, lists) [code] = { bytes, lists, #name },
#include "qpu/isa/packet.def"
};

static const char *const list_names[EMU_LISTS] = { "binning", "rendering" };

enum emu_progress
emu_list_fault(struct machine *machine, enum emu_list_number number,
	       const char *format, ...)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *code = emu_memory_at(&machine->memory, list->at, 1);
	char packet[64] = "", reason[160];
	va_list args;

	if (machine->dead)
		return EMU_PROGRESS_FAULT;
	machine->dead = true;
	machine->faulty = NULL;
	list->failed = true;
	list->running = false;
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (code)
		snprintf(packet, sizeof(packet), " packet %u%s%s%s:", *code,
			 rows[*code].name ? " (" : "",
			 rows[*code].name ? rows[*code].name : "",
			 rows[*code].name ? ")" : "");
	diag_set(&machine->fault, "%s list at 0x%08x:%s %s", list_names[number],
		 list->at, packet, reason);
	return EMU_PROGRESS_FAULT;
}

/* Return the bytes of a packet with its code, or 0 if this list does not know
 * it. */
static unsigned
packet_bytes(struct machine *machine, enum emu_list_number number,
	     const uint8_t *at)
{
	const struct row *row = &rows[*at];
	const struct emu_list *list = &machine->pipe->list[number];

	if (!row->name ||
	    !(strchr(row->lists, number == EMU_LIST_BIN ? 'B' : 'R') ||
	      (number == EMU_LIST_RENDER && list->depth &&
	       strchr(row->lists, 'T'))))
		return 0;
	return row->bytes;
}

/* Execute branches and the semaphores between both lists. */
static enum emu_progress
control(struct machine *machine, enum emu_list_number number, unsigned packet,
	const uint8_t *bytes, uint32_t *next)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_list *list = &pipe->list[number];

	switch (packet) {
	case PACKET_HALT:
		list->end = *next;
		list->depth = 0;
		return EMU_PROGRESS_DONE;
	case PACKET_BRANCH:
		*next = emu_word_at(bytes);
		return EMU_PROGRESS_DONE;
	case PACKET_BRANCH_TO_SUB_LIST:
		if (list->depth == EMU_LIST_DEPTH)
			return emu_list_fault(
				machine, number,
				"sub-lists are nested too deeply");
		list->back[list->depth++] = *next;
		*next = emu_word_at(bytes);
		return EMU_PROGRESS_DONE;
	case PACKET_RETURN:
		if (!list->depth)
			return emu_list_fault(machine, number,
					      "there is no list to return to");
		*next = list->back[--list->depth];
		return EMU_PROGRESS_DONE;
	case PACKET_INCREMENT_SEMAPHORE:
		if (number == EMU_LIST_BIN)
			pipe->binner.increments++;
		else
			pipe->list[EMU_LIST_BIN].semaphore++;
		return EMU_PROGRESS_DONE;
	case PACKET_WAIT_ON_SEMAPHORE:
		if (!list->semaphore)
			return EMU_PROGRESS_WAIT;
		list->semaphore--;
		return EMU_PROGRESS_DONE;
	default: return EMU_PROGRESS_DONE; /* a nop */
	}
}

/* One packet whose bytes are in memory. */
static enum emu_progress
execute(struct machine *machine, enum emu_list_number number,
	const uint8_t *bytes, uint32_t *next)
{
	const unsigned packet = *bytes;

	if (packet <= PACKET_NOP || packet == PACKET_INCREMENT_SEMAPHORE ||
	    packet == PACKET_WAIT_ON_SEMAPHORE ||
	    (packet >= PACKET_BRANCH && packet <= PACKET_RETURN))
		return control(machine, number, packet, bytes + 1, next);
	return number == EMU_LIST_BIN ?
		       emu_binner_packet(machine, packet, bytes + 1) :
		       emu_render_packet(machine, packet, bytes + 1);
}

/* The packet that the list is at; EMU_PROGRESS_DONE: it is at the next. */
static enum emu_progress
step(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *at = emu_memory_at(&machine->memory, list->at, 1);
	enum emu_progress progress;
	uint8_t packet[EMU_PACKET_BYTES];
	unsigned bytes;
	uint32_t next;

	if (!at)
		return emu_list_fault(machine, number, "it is outside memory");
	bytes = packet_bytes(machine, number, at);
	if (!bytes)
		return emu_list_fault(machine, number, "it is not known here");
	at = emu_memory_at(&machine->memory, list->at, bytes);
	if (!at)
		return emu_list_fault(machine, number,
				      "it ends outside memory");
	/* This is a copy, since the binner may write where it is read. */
	memcpy(packet, at, bytes);
	next = list->at + bytes;
	progress = execute(machine, number, packet, &next);
	if (progress == EMU_PROGRESS_DONE)
		list->at = next;
	return progress;
}

/* Execute packets of a list until it waits or ends; returns how many. */
static uint64_t
list_run(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	uint64_t done = 0;

	while (list->running && done < TURN && !machine->dead) {
		if (list->at == list->end && !list->depth) {
			if (number == EMU_LIST_RENDER &&
			    emu_render_flush(machine) != EMU_PROGRESS_DONE)
				break;
			list->running = false;
			machine->pipe->list[EMU_LIST_RENDER].semaphore +=
				machine->pipe->binner.increments;
			machine->pipe->binner.increments = 0;
			return done + 1;
		}
		if (!emu_pipe_is_time(machine,
				      machine->pipe->list_free[number]) ||
		    step(machine, number) != EMU_PROGRESS_DONE)
			break;
		if (machine->timed)
			machine->pipe->list_free[number] =
				machine->pipe->now + COST_LIST_PACKET;
		done++;
	}
	return done;
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
		done += list_run(machine, EMU_LIST_BIN);
		done += list_run(machine, EMU_LIST_RENDER);
	} while (done != before && done < 4096 && !machine->dead);
	return done;
}

void
emu_pipe_ended(struct emu_qpu *qpu)
{
	struct emu_pipe *pipe = qpu->machine->pipe;

	if (qpu->kind == EMU_THREAD_VERTEX) {
		qpu->batch->phase = EMU_PHASE_SHADED;
		return;
	}
	qpu->fragment->active = false;
	pipe->fragments--;
	emu_timed_unlocked(qpu->machine);
}

/* The registers of both lists have the names of the binning list's. */
static uint32_t
of_both_lists(uint32_t offset)
{
	return offset >= V3D_CT0CS && offset < V3D_PCS ? offset & ~4u : offset;
}

uint32_t
emu_pipe_read(const struct machine *machine, uint32_t offset)
{
	const struct emu_pipe *pipe = machine->pipe;
	const struct emu_list *list = &pipe->list[offset >> 2 & 1];

	switch (of_both_lists(offset)) {
	case V3D_INTCTL: return pipe->interrupts;
	case V3D_INTENA:
	case V3D_INTDIS: return pipe->enabled;
	case V3D_CT0CS:
		return (list->semaphore & 7) << CS_SEMAPHORE_SHIFT |
		       list->depth << CS_SUB_LISTS_SHIFT |
		       (list->running ? CS_RUNNING : 0) |
		       (list->failed ? CS_ERROR : 0);
	case V3D_CT0EA: return list->end;
	case V3D_CT0CA: return list->at;
	case V3D_CT00RA0: return list->back[0];
	case V3D_PCS:
		return (pipe->binner.active ? PCS_BINNING : 0) |
		       (pipe->render.active ? PCS_RENDERING : 0);
	case V3D_BFC: return pipe->flushes & 0xff;
	case V3D_RFC: return pipe->frames & 0xff;
	case V3D_BPCA:
		return pipe->binner.windows +
		       pipe->binner.nwindows * sizeof(struct emu_window);
	case V3D_BPCS: return pipe->binner.left;
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
		if (number == EMU_LIST_BIN) {
			pipe->binner.has_shader = pipe->binner.clips = false;
			pipe->binner.configuration = 0;
		}
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

	switch (of_both_lists(offset)) {
	case V3D_INTCTL: pipe->interrupts &= ~value; break;
	case V3D_INTENA: pipe->enabled |= value & 15; break;
	case V3D_INTDIS: pipe->enabled &= ~value; break;
	case V3D_CT0CS:
		if (value & CS_RESET)
			memset(list, 0, sizeof(*list));
		break;
	case V3D_CT0EA: start_list(machine, number, value); break;
	case V3D_CT0CA: list->at = value; break;
	case V3D_BFC:
		if (value & 1)
			pipe->flushes = 0;
		break;
	case V3D_RFC:
		if (value & 1)
			pipe->frames = 0;
		break;
	default: break;
	}
}
