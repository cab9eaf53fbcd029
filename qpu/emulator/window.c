/* SPDX-License-Identifier: MIT */
/*
 * window: triangles become windows, windows become threads of quads, and the tile
 * buffer is stored (pipe.h).
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/abi/v3d.h"

enum {
	PIXEL = 16,   /* units of coordinates in a pixel */
	ROW_CLIP = 4, /* that a coordinate shader writes a corner's place to */
};

/* --- From triangles ----------------------------------------------------------- */

/* Shrink what is drawn to the clip window and to whole tiles, which may leave
 * nothing.  Return true if quads are whole. */
static bool
find_box(const struct emu_binner *binner, struct emu_window *window)
{
	const unsigned size[2] = { binner->tiles_x * EMU_TILE_SIDE,
				   binner->tiles_y * EMU_TILE_SIDE };
	unsigned edges = 0;

	for (unsigned i = 0; i < 2; i++) {
		const unsigned high = binner->clip[i] + binner->clip[i + 2];

		window->low[i] = binner->clip[i];
		window->high[i] = (uint16_t)(high < size[i] ? high : size[i]);
		edges |= window->low[i] | window->high[i];
	}
	return !(edges & 1);
}

/* Return true if the triangle covers its window: the window's corners are on one
 * side of each edge. */
static bool
covers(const struct emu_window *window, const struct emu_binner *binner)
{
	const uint16_t *box[2] = { window->low, window->high };
	int32_t corner[EMU_CORNERS][2];
	bool left = false, right = false;

	for (unsigned i = 0; i < EMU_CORNERS; i++)
		for (unsigned k = 0; k < 2; k++)
			corner[i][k] = (int16_t)(window->xy[i] >> 16 * k) +
				       binner->centre[k];
	for (unsigned i = 0; i < 4 * EMU_CORNERS; i++) {
		const int32_t *a = corner[i / 4];
		const int32_t *b = corner[(i / 4 + 1) % EMU_CORNERS];
		const int64_t x = PIXEL * box[i & 1][0];
		const int64_t y = PIXEL * box[i >> 1 & 1][1];
		const int64_t side =
			(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);

		left |= side < 0;
		right |= side > 0;
	}
	return !(left && right);
}

/* Return true if a corner is outside of the view, before or behind it.  Of each
 * the coordinate shader has written X, Y, Z, W, then its place on the screen. */
static bool
is_cut(const struct emu_vpm *out, unsigned lane)
{
	float z, w;

	memcpy(&z, (const uint32_t *)&out->row[2] + lane, sizeof(z));
	memcpy(&w, (const uint32_t *)&out->row[3] + lane, sizeof(w));
	return !(w > 0 && z <= w && -z <= w);
}

bool
emu_window_add(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const struct emu_vpm *out = &machine->pipe->batch[EMU_BIN].out;
	struct emu_window window = { .shader = binner->shader };
	void *host;

	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		window.xy[i] = out->row[ROW_CLIP][i];
		if (is_cut(out, i))
			return emu_refuse(machine, EMU_BIN,
					  "triangles that have to be cut are "
					  "not modelled");
	}
	if (!find_box(binner, &window) || !covers(&window, binner))
		return emu_refuse(machine, EMU_BIN,
				  "only triangles that cover their window, of "
				  "whole quads, are modelled");
	if (binner->left < sizeof(window))
		return emu_refuse(machine, EMU_BIN,
				  "memory for lists is too small");
	host = emu_named(machine, EMU_BIN, "the list of a tile",
			 binner->windows + binner->nwindows * sizeof(window),
			 sizeof(window));
	if (!host)
		return false;
	memcpy(host, &window, sizeof(window));
	binner->left -= sizeof(window);
	binner->nwindows++;
	return true;
}

/* --- To quads ----------------------------------------------------------------- */

/* Take the next window that waits; it is drawn if it touches the tile. */
static bool
begin_window(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	const unsigned x = render->tile_x * EMU_TILE_SIDE;
	const unsigned y = render->tile_y * EMU_TILE_SIDE;
	struct emu_window *window = &render->window;
	const void *host = emu_named(machine, EMU_RENDER, "a window",
				     render->windows, sizeof(*window));

	if (!host)
		return false;
	memcpy(window, host, sizeof(*window));
	render->windows += sizeof(*window);
	render->nwindows--;
	render->shading =
		window->low[0] < x + EMU_TILE_SIDE && window->high[0] > x &&
		window->low[1] < y + EMU_TILE_SIDE && window->high[1] > y;
	return true;
}

/* Begin the quads of a window whose vertices are shaded. */
static bool
begin_quads(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_render *render = &pipe->render;
	const emu_vec *xy = &pipe->batch[EMU_RENDER].out.row[0];

	for (unsigned i = 0; i < EMU_CORNERS; i++)
		if ((*xy)[i] != render->window.xy[i])
			return emu_refuse(machine, EMU_RENDER,
					  "the vertex shader puts a corner "
					  "elsewhere than the coordinate "
					  "shader");
	render->shading = false;
	render->drawing = true;
	render->next = render->thread.quads = 0;
	return true;
}

/* Add a quad of the tile to the next thread if it is in the window. */
static void
add_quad(struct emu_render *render, unsigned x, unsigned y)
{
	const struct emu_window *window = &render->window;
	struct emu_fragment *thread = &render->thread;
	const unsigned at[2] = { render->tile_x * EMU_TILE_SIDE + x,
				 render->tile_y * EMU_TILE_SIDE + y };

	thread->x[thread->quads] = x;
	thread->y[thread->quads] = y;
	thread->quads += at[0] >= window->low[0] && at[0] < window->high[0] &&
			 at[1] >= window->low[1] && at[1] < window->high[1];
}

/* Find the quads of the next thread: blocks of two by two, by rows. */
static void
find_quads(struct emu_render *render)
{
	enum { ACROSS = EMU_TILE_SIDE / 4, ALL = 4 * ACROSS * ACROSS };
	struct emu_fragment *thread = &render->thread;

	thread->quads = 0;
	while (render->next < ALL && thread->quads < EMU_THREAD_QUADS) {
		const unsigned quad = render->next++;

		add_quad(render, 4 * (quad / 4 % ACROSS) + 2 * (quad & 1),
			 4 * (quad / 4 / ACROSS) + (quad & 2));
	}
	for (unsigned i = thread->quads; i < EMU_THREAD_QUADS; i++) {
		thread->x[i] = thread->x[0];
		thread->y[i] = thread->y[0];
	}
	render->drawing = thread->quads;
}

/* Start the thread that waits, if a QPU is free. */
static bool
start_thread(struct machine *machine)
{
	struct emu_qpu *qpu = emu_qpu_find(machine, 1 + EMU_SHADER_FRAGMENT);

	if (qpu)
		emu_fragment_start(machine, qpu);
	return qpu;
}

bool
emu_windows_draw(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	bool done = true;

	while (done && !machine->dead) {
		if (render->drawing) {
			if (render->thread.quads && !start_thread(machine))
				return false;
			find_quads(render);
		} else if (!render->shading && !render->nwindows) {
			return true;
		} else if (!render->shading) {
			done = begin_window(machine);
		} else {
			done = emu_batch_shade(machine, EMU_RENDER,
					       render->window.shader) &&
			       begin_quads(machine);
		}
	}
	return false;
}

/* --- The tile buffer ------------------------------------------------------------ */

/* Return true if all threads have ended that were started before the operation. */
static bool
is_its_turn(const struct emu_pipe *pipe)
{
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		if (pipe->fragment[i].active &&
		    pipe->fragment[i].ops < pipe->ops)
			return false;
	return true;
}

/* Store all words of the tile, as they are, where there is memory still. */
static void
dump(struct machine *machine, uint32_t addr)
{
	const uint32_t *tile = machine->pipe->tile;
	const size_t bytes = sizeof(machine->pipe->tile);
	void *host = emu_memory_at(&machine->memory, addr, bytes);

	if (!host)
		return;
	memcpy(host, tile, bytes);
	emu_stored(machine, addr, bytes);
}

bool
emu_tile_step(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	const struct emu_tile_op *op = &pipe->op;

	if (!pipe->op_waits || !is_its_turn(pipe))
		return false;
	if (op->dumps)
		dump(machine, op->addr);
	for (unsigned i = 0; i < EMU_TILE_WORDS; i++)
		pipe->tile[i] = op->clear;
	pipe->op_waits = false;
	if (op->end_of_frame) {
		pipe->frames++;
		pipe->interrupts |= V3D_INT_FRAME_DONE;
	}
	return true;
}
