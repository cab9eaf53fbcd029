/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"
#include "qpu/isa/packet.h"

enum {
	TILES_AHEAD = 1, /* that may be drawn before a tile is stored */
	/* Rendering mode; the rest is about images, which are not stored. */
	TARGET_SAMPLES = 1 << 0,
	TARGET_MODELLED = 0x4dd & ~TARGET_SAMPLES,
	/* General stores. */
	GENERAL_BUFFER = 7,
	GENERAL_KEEP_COLOUR = 1 << 13,
	GENERAL_END = 8,
	/* Full dumps. */
	FULL_NO_COLOUR = 1,
	FULL_NO_DEPTH = 2,
	FULL_KEEP = 4,
	FULL_END = 8,
};

static unsigned
half_at(const uint8_t *bytes)
{
	return bytes[0] | bytes[1] << 8;
}

static enum emu_progress
set_mode(struct machine *machine, const uint8_t *bytes)
{
	struct emu_pipe *pipe = machine->pipe;
	const unsigned bits = half_at(bytes + 8);

	if ((bits & ~TARGET_MODELLED) != TARGET_SAMPLES)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "bits 0x%04x are not modelled", bits);
	/* The tile buffer must not change while threads draw. */
	if (pipe->fragments || pipe->ops_done != pipe->ops_queued)
		return EMU_PROGRESS_WAIT;
	pipe->render.active = true;
	return EMU_PROGRESS_DONE;
}

static struct emu_tile_op
new_op(const struct machine *machine)
{
	const struct emu_pipe *pipe = machine->pipe;
	const struct emu_render *render = &pipe->render;

	return (struct emu_tile_op){
		.packet = pipe->list[EMU_LIST_RENDER].at,
		.clear = render->clear,
		.serial = render->tile_serial,
	};
}

static enum emu_progress
store_full(struct machine *machine, const uint8_t *bytes)
{
	const uint32_t word = emu_word_at(bytes);
	struct emu_tile_op op = new_op(machine);

	if ((word & (FULL_NO_COLOUR | FULL_NO_DEPTH)) != FULL_NO_DEPTH)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "bits %u are not modelled", word & 15);
	op.dumps = true;
	op.addr = word & ~15u;
	op.clears = !(word & FULL_KEEP);
	op.end_of_frame = word & FULL_END;
	return emu_pipe_tile(machine->pipe, &op);
}

/* A store of nothing, as the kernel's driver has it after the clear colours. */
static enum emu_progress
store_general(struct machine *machine, const uint8_t *bytes)
{
	const unsigned bits = half_at(bytes);
	struct emu_tile_op op = new_op(machine);

	if (bits & GENERAL_BUFFER)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "bits 0x%04x are not modelled", bits);
	op.clears = !(bits & GENERAL_KEEP_COLOUR);
	op.end_of_frame = emu_word_at(bytes + 2) & GENERAL_END;
	return emu_pipe_tile(machine->pipe, &op);
}

/* Begin the next window that waits, if it touches the tile.  Returns false after a
 * fault. */
static bool
begin_window(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	const unsigned tile[2] = { render->tile_x * EMU_TILE_SIDE,
				   render->tile_y * EMU_TILE_SIDE };
	struct emu_window *window = &render->window;
	const void *host = emu_memory_at(&machine->memory, render->windows,
					 sizeof(*window));

	if (!host || !render->active) {
		emu_list_fault(machine, EMU_LIST_RENDER,
			       "primitives outside memory, or without a "
			       "rendering mode");
		return false;
	}
	memcpy(window, host, sizeof(*window));
	render->windows += sizeof(*window);
	render->nwindows--;
	for (unsigned i = 0; i < 2; i++)
		if (window->low[i] >= tile[i] + EMU_TILE_SIDE ||
		    window->high[i] <= tile[i])
			return true;
	return emu_record_read(machine, EMU_LIST_RENDER, window->shader,
			       &render->record) &&
	       emu_batch_fetch(machine, EMU_LIST_RENDER, &render->record,
			       EMU_SHADER_VERTEX, window->first,
			       &render->batch);
}

/* The vertices of the window are shaded: its quads begin. */
static enum emu_progress
begin_quads(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_render *render = &pipe->render;
	const bool shuffled = machine->options.shuffle;

	for (unsigned i = 0; i < EMU_CORNERS; i++)
		if (render->batch.out.row[0][i] != render->window.xy[i])
			return emu_list_fault(
				machine, EMU_LIST_RENDER,
				"the vertex shader puts a corner elsewhere "
				"than the coordinate shader");
	render->drawing = true;
	render->next = 0;
	render->first = shuffled ? emu_random(machine) : 0;
	render->step = shuffled ? emu_random(machine) | 1 : 1;
	if (machine->timed)
		pipe->quads_free = pipe->now + COST_FRAGMENT_QUADS;
	return EMU_PROGRESS_DONE;
}

/* Add a quad if any of its pixels is in the window. */
static void
add_quad(const struct emu_window *window, unsigned x, unsigned y,
	 struct emu_quads *quads)
{
	if (x + 1 < window->low[0] || x >= window->high[0] ||
	    y + 1 < window->low[1] || y >= window->high[1])
		return;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned at_x = x + (i & 1), at_y = y + (i >> 1);

		quads->mask[4 * quads->n + i] =
			at_x >= window->low[0] && at_x < window->high[0] &&
					at_y >= window->low[1] &&
					at_y < window->high[1] ?
				(1 << EMU_SAMPLES) - 1 :
				0;
	}
	quads->x[quads->n] = x;
	quads->y[quads->n++] = y;
}

/* Find the quads of the next thread.  Those of a tile are asked two by two, and these
 * by rows; with another odd step than 1 in an order that has all of them as well. */
static bool
find_quads(struct emu_render *render)
{
	enum { ACROSS = EMU_TILE_SIDE / 4, ALL = 4 * ACROSS * ACROSS };
	struct emu_quads *quads = &render->quads;

	memset(quads, 0, sizeof(*quads));
	while (render->next < ALL && quads->n < EMU_QUADS) {
		const unsigned quad =
			(render->next++ * render->step + render->first) % ALL;

		add_quad(&render->window,
			 render->tile_x * EMU_TILE_SIDE +
				 4 * (quad / 4 % ACROSS) + 2 * (quad & 1),
			 render->tile_y * EMU_TILE_SIDE +
				 4 * (quad / 4 / ACROSS) + (quad & 2),
			 quads);
	}
	return quads->n;
}

/* Start a thread for the quads that wait, if a QPU is free. */
static bool
start_thread(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_qpu *qpu = emu_qpu_find(machine, 1 + EMU_SHADER_FRAGMENT);

	if (!qpu || !emu_pipe_is_time(machine, pipe->quads_free))
		return false;
	if (machine->timed)
		pipe->quads_free = pipe->now + COST_FRAGMENT_QUADS;
	emu_fragment_start(machine, qpu);
	return true;
}

enum emu_progress
emu_render_flush(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_render *render = &pipe->render;
	enum emu_progress progress;

	while (!machine->dead) {
		if (render->drawing) {
			if (render->quads.n && !start_thread(machine))
				return EMU_PROGRESS_WAIT;
			if (find_quads(render))
				continue;
			render->drawing = false;
			render->batch.phase = EMU_PHASE_EMPTY;
		}
		if (render->batch.phase == EMU_PHASE_EMPTY && !render->nwindows)
			return EMU_PROGRESS_DONE;
		/* Not too far ahead of a tile that is not stored yet. */
		if (pipe->ops_done != pipe->ops_queued &&
		    render->tile_serial -
				    pipe->op[pipe->ops_done % EMU_TILE_OPS]
					    .serial >
			    TILES_AHEAD)
			return EMU_PROGRESS_WAIT;
		if (render->batch.phase == EMU_PHASE_EMPTY) {
			if (!begin_window(machine))
				return EMU_PROGRESS_FAULT;
			continue;
		}
		progress = emu_batch_shade(machine, EMU_SHADER_VERTEX,
					   &render->record, &render->batch);
		if (!progress)
			progress = begin_quads(machine);
		if (progress)
			return progress;
	}
	return EMU_PROGRESS_FAULT;
}

/* The windows of a tile's list wait. */
static enum emu_progress
take_windows(struct machine *machine, const uint8_t *bytes)
{
	struct emu_render *render = &machine->pipe->render;

	if (*bytes != EMU_WINDOWS)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "it is not what the binner writes");
	render->windows = emu_word_at(bytes + 1);
	render->nwindows = emu_word_at(bytes + 5);
	return EMU_PROGRESS_DONE;
}

enum emu_progress
emu_render_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes)
{
	struct emu_render *render = &machine->pipe->render;
	enum emu_progress progress = emu_render_flush(machine);

	if (progress != EMU_PROGRESS_DONE)
		return progress;
	switch (packet) {
	case PACKET_RENDERING_MODE: return set_mode(machine, bytes);
	case PACKET_CLEAR_COLORS:
		render->clear = emu_word_at(bytes);
		return progress;
	case PACKET_TILE_COORDINATES:
		if (bytes[0] != render->tile_x || bytes[1] != render->tile_y)
			render->tile_serial++;
		render->tile_x = bytes[0];
		render->tile_y = bytes[1];
		return progress;
	case PACKET_COMPRESSED_PRIMITIVE: return take_windows(machine, bytes);
	case PACKET_STORE_FULL: return store_full(machine, bytes);
	case PACKET_STORE_GENERAL: return store_general(machine, bytes);
	default:
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "it is not modelled");
	}
}
