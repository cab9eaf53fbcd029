/* SPDX-License-Identifier: MIT */
/*
 * window: triangles become windows, windows become threads of quads, and the tile
 * buffer is stored (pipe.h).
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/base/timing.h"
#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"

enum {
	TILES_AHEAD = 1, /* that may be drawn before a tile is stored */
	/* Bits of the binner's configuration. */
	CONFIG_CLOCKWISE = 1 << 2, /* are the front */
};

/* --- From triangles ----------------------------------------------------------- */

/* Shrink what is drawn to the clip window and to whole tiles; return whether
 * anything is left. */
static bool
find_box(const struct emu_binner *binner, struct emu_window *window)
{
	const unsigned size[2] = { binner->tiles_x * EMU_TILE_SIDE,
				   binner->tiles_y * EMU_TILE_SIDE };
	bool any = true;

	for (unsigned i = 0; i < 2; i++) {
		const unsigned high = binner->clip[i] + binner->clip[i + 2];

		window->low[i] = binner->clip[i];
		window->high[i] = (uint16_t)(high < size[i] ? high : size[i]);
		any = any && window->low[i] < window->high[i];
	}
	return any;
}

static int64_t
side_of(const int32_t a[2], const int32_t b[2], const int32_t at[2])
{
	return (int64_t)(b[0] - a[0]) * (at[1] - a[1]) -
	       (int64_t)(b[1] - a[1]) * (at[0] - a[0]);
}

/* Return true if the triangle covers its window: the window's corners are on one
 * side of each edge.  The side that it is seen from is kept. */
static bool
covers(struct emu_window *window, const struct emu_binner *binner)
{
	int32_t corner[EMU_CORNERS][2];
	unsigned inside[2] = { 0, 0 };

	for (unsigned i = 0; i < EMU_CORNERS; i++)
		for (unsigned k = 0; k < 2; k++)
			corner[i][k] = (int16_t)(window->xy[i] >> 16 * k) +
				       binner->centre[k];
	for (unsigned i = 0; i < 4 * EMU_CORNERS; i++) {
		const unsigned edge = i / 4;
		const int32_t at[2] = {
			EMU_PIXEL * (i & 1 ? window->high[0] : window->low[0]),
			EMU_PIXEL * (i & 2 ? window->high[1] : window->low[1]),
		};
		const int64_t side = side_of(
			corner[edge], corner[(edge + 1) % EMU_CORNERS], at);

		inside[0] += side <= 0;
		inside[1] += side >= 0;
	}
	window->back = (side_of(corner[0], corner[1], corner[2]) > 0) ==
		       !!(binner->configuration & CONFIG_CLOCKWISE);
	return inside[0] == 4 * EMU_CORNERS || inside[1] == 4 * EMU_CORNERS;
}

/* A corner as the coordinate shader left it: X, Y, Z, W, then the place. */
static bool
is_cut(const struct emu_vpm *out, unsigned lane)
{
	float z, w;

	memcpy(&z, (const uint32_t *)&out->row[2] + lane, sizeof(z));
	memcpy(&w, (const uint32_t *)&out->row[3] + lane, sizeof(w));
	return !(w > 0 && z <= w && -z <= w);
}

enum emu_progress
emu_window_add(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const struct emu_vpm *out = &binner->batch.out;
	struct emu_window window = { .shader = binner->shader,
				     .first = binner->batch.first };
	const uint32_t at = binner->windows + binner->nwindows * sizeof(window);
	void *host;

	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		window.xy[i] = out->row[EMU_ROW_CLIP][i];
		if (binner->batch.clipping && is_cut(out, i))
			return emu_list_fault(machine, EMU_LIST_BIN,
					      "triangles that have to be cut "
					      "are not modelled");
	}
	if (!find_box(binner, &window))
		return EMU_PROGRESS_DONE;
	if (!covers(&window, binner))
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "only triangles that cover their window "
				      "are modelled");
	if (binner->left < sizeof(window))
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "memory for lists is too small");
	host = emu_memory_at(&machine->memory, at, sizeof(window));
	if (!host)
		return emu_list_fault(
			machine, EMU_LIST_BIN,
			"the list of a tile, at 0x%08x, is outside memory", at);
	memcpy(host, &window, sizeof(window));
	binner->left -= sizeof(window);
	binner->nwindows++;
	return EMU_PROGRESS_DONE;
}

/* --- To quads ----------------------------------------------------------------- */

/* Take the next window that waits; it is drawn if it touches the tile. */
static enum emu_progress
begin_window(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	const unsigned tile[2] = { render->tile_x * EMU_TILE_SIDE,
				   render->tile_y * EMU_TILE_SIDE };
	struct emu_window *window = &render->window;
	const void *host = emu_memory_at(&machine->memory, render->windows,
					 sizeof(*window));

	if (!host || !render->active)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "primitives outside memory, or without a "
				      "rendering mode");
	memcpy(window, host, sizeof(*window));
	render->windows += sizeof(*window);
	render->nwindows--;
	render->shading = true;
	for (unsigned i = 0; i < 2; i++)
		render->shading &= window->low[i] < tile[i] + EMU_TILE_SIDE &&
				   window->high[i] > tile[i];
	return EMU_PROGRESS_DONE;
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
	render->shading = false;
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

	if (!qpu || !emu_pipe_reached(machine, pipe->quads_free))
		return false;
	if (machine->timed)
		pipe->quads_free = pipe->now + COST_FRAGMENT_QUADS;
	emu_fragment_start(machine, qpu);
	return true;
}

/* Return true if a tile that is not stored yet is too far behind. */
static bool
is_ahead(const struct emu_pipe *pipe)
{
	return pipe->ops_done != pipe->ops_queued &&
	       pipe->render.tile_serial -
			       pipe->op[pipe->ops_done % EMU_TILE_OPS].serial >
		       TILES_AHEAD;
}

enum emu_progress
emu_windows_draw(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_render *render = &pipe->render;
	enum emu_progress progress = EMU_PROGRESS_DONE;

	while (!progress && !machine->dead) {
		if (render->drawing) {
			if (render->quads.n && !start_thread(machine))
				return EMU_PROGRESS_WAIT;
			render->drawing = find_quads(render);
		} else if (!render->shading && !render->nwindows) {
			return EMU_PROGRESS_DONE;
		} else if (is_ahead(pipe)) {
			return EMU_PROGRESS_WAIT;
		} else if (!render->shading) {
			progress = begin_window(machine);
		} else {
			progress = emu_batch_shade(machine, EMU_LIST_RENDER,
						   render->window.shader,
						   render->window.first,
						   EMU_SHADER_VERTEX,
						   &render->batch);
			if (!progress)
				progress = begin_quads(machine);
		}
	}
	return machine->dead ? EMU_PROGRESS_FAULT : progress;
}

/* --- The tile buffer ------------------------------------------------------------ */

enum emu_progress
emu_tile_queue(struct machine *machine, struct emu_tile_op op)
{
	struct emu_pipe *pipe = machine->pipe;

	if (pipe->ops_queued - pipe->ops_done == EMU_TILE_OPS)
		return EMU_PROGRESS_WAIT;
	op.packet = pipe->list[EMU_LIST_RENDER].at;
	op.clear = pipe->render.clear;
	op.serial = pipe->render.tile_serial;
	pipe->op[pipe->ops_queued++ % EMU_TILE_OPS] = op;
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
	if (!emu_pipe_reached(machine, pipe->op_end))
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

bool
emu_tile_step(struct machine *machine)
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
