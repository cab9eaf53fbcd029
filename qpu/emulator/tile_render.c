/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

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

/* The lane of the batch that has a vertex; it may be a new one. */
static int
find_lane(struct emu_batch *batch, uint32_t index)
{
	for (unsigned i = 0; i < batch->n; i++)
		if (batch->index[i] == index)
			return (int)i;
	if (batch->n == EMU_LANES)
		return -1;
	batch->index[batch->n] = index;
	return (int)batch->n++;
}

/* Add a triangle to those that wait; false if it does not fit. */
static bool
add(struct emu_render *render, const uint8_t *index)
{
	const unsigned n = render->batch.n;

	if (render->batch.phase != EMU_PHASE_EMPTY ||
	    render->triangles == EMU_TRIANGLES)
		return false;
	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		const int lane =
			find_lane(&render->batch, emu_word_at(index + 4 * i));

		if (lane < 0) {
			render->batch.n = n;
			return false;
		}
		render->lane[render->triangles][i] = (uint8_t)lane;
	}
	render->triangles++;
	return true;
}

/* Collect a triangle; first draw those that wait if it does not fit. */
static enum emu_progress
collect(struct machine *machine, const uint8_t *bytes)
{
	struct emu_render *render = &machine->pipe->render;
	enum emu_progress progress;

	if (*bytes != EMU_CORNERS)
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "it has %u corners", *bytes);
	if (add(render, bytes + 1))
		return EMU_PROGRESS_DONE;
	progress = emu_render_flush(machine);
	if (progress == EMU_PROGRESS_DONE)
		add(render, bytes + 1);
	return progress;
}

/* What of a triangle may be drawn: its tile and the clip window. */
static struct emu_box
drawable(const struct emu_render *render)
{
	const struct emu_state *state = &render->state;
	struct emu_box box;

	for (unsigned i = 0; i < 2; i++) {
		const int32_t low =
			emu_state_half(state, EMU_STATE_CLIP_WINDOW, i);
		const int32_t high =
			low +
			emu_state_half(state, EMU_STATE_CLIP_WINDOW, i + 2);

		box.low[i] = render->raster.tile[i];
		box.high[i] = box.low[i] + EMU_TILE_SIDE;
		if (state->changed[EMU_STATE_CLIP_WINDOW]) {
			box.low[i] = low > box.low[i] ? low : box.low[i];
			box.high[i] = high < box.high[i] ? high : box.high[i];
		}
	}
	return box;
}

/* The next triangle that waits; false if it covers nothing of the tile. */
static bool
begin_triangle(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	const uint8_t *lane = render->lane[render->triangle_next++];
	struct emu_triangle *triangle = &render->triangle;
	const bool shuffled = machine->options.shuffle;
	const uint32_t config = emu_state_configuration(&render->state);

	/* Where the vertex shader put them. */
	for (unsigned i = 0; i < EMU_CORNERS; i++)
		for (unsigned k = 0; k < 2; k++)
			triangle->corner[i].at[k] =
				(int16_t)(render->batch.out
						  .row[EMU_ROW_XY][lane[i]] >>
					  16 * k) +
				(int16_t)emu_state_half(&render->state,
							EMU_STATE_VIEWPORT, k);
	triangle->back = (emu_twice_area(triangle->corner) > 0) ==
			 !!(config & EMU_CONFIG_CLOCKWISE);
	render->raster.tile[0] = (int32_t)render->tile_x * EMU_TILE_SIDE;
	render->raster.tile[1] = (int32_t)render->tile_y * EMU_TILE_SIDE;
	render->raster.box = drawable(render);
	render->raster.first = shuffled ? emu_random(machine) : 0;
	render->raster.step = shuffled ? emu_random(machine) | 1 : 1;
	return emu_raster_begin(&render->raster, triangle);
}

/* Start a thread for the quads that wait, if a QPU is free. */
static bool
start_thread(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;
	struct emu_pipe *pipe = machine->pipe;
	struct emu_qpu *qpu = emu_qpu_find(machine, 1 + EMU_SHADER_FRAGMENT);
	const struct emu_fragment_work work = {
		.record = &render->record,
		.triangle = &render->triangle,
		.raster = &render->raster,
		.quads = &render->quads,
	};

	if (!qpu || !emu_pipe_is_time(machine, pipe->quads_free))
		return false;
	if (machine->timed)
		pipe->quads_free = pipe->now + COST_FRAGMENT_QUADS;
	emu_fragment_start(machine, qpu, &work);
	return true;
}

static enum emu_progress
draw_triangles(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;

	while (!machine->dead) {
		if (render->quads.n && !start_thread(machine))
			return EMU_PROGRESS_WAIT;
		if (render->rastering) {
			render->rastering = emu_raster_next(&render->raster,
							    &render->quads);
			continue;
		}
		if (render->triangle_next == render->triangles)
			return EMU_PROGRESS_DONE;
		render->rastering = begin_triangle(machine);
	}
	return EMU_PROGRESS_FAULT;
}

static bool
fetch(struct machine *machine)
{
	struct emu_render *render = &machine->pipe->render;

	if (!render->active || !render->state.changed[EMU_STATE_SHADER]) {
		emu_list_fault(
			machine, EMU_LIST_RENDER,
			"primitives without a rendering mode or shaders");
		return false;
	}
	return emu_record_read(machine, EMU_LIST_RENDER, &render->state,
			       &render->record) &&
	       emu_batch_fetch(machine, EMU_LIST_RENDER, &render->record,
			       EMU_SHADER_VERTEX, &render->batch);
}

enum emu_progress
emu_render_flush(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_render *render = &pipe->render;
	enum emu_progress progress;

	if (!render->triangles)
		return EMU_PROGRESS_DONE;
	/* Not too far ahead of a tile that is not stored yet. */
	if (pipe->ops_done != pipe->ops_queued &&
	    render->tile_serial -
			    pipe->op[pipe->ops_done % EMU_TILE_OPS].serial >
		    TILES_AHEAD)
		return EMU_PROGRESS_WAIT;
	if (render->batch.phase == EMU_PHASE_EMPTY && !fetch(machine))
		return EMU_PROGRESS_FAULT;
	progress = emu_batch_shade(machine, EMU_SHADER_VERTEX, &render->record,
				   &render->batch);
	if (!progress)
		progress = draw_triangles(machine);
	if (progress)
		return progress;
	render->triangles = render->triangle_next = 0;
	render->batch.n = 0;
	render->batch.phase = EMU_PHASE_EMPTY;
	return EMU_PROGRESS_DONE;
}

enum emu_progress
emu_render_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes)
{
	struct emu_render *render = &machine->pipe->render;
	enum emu_progress progress = EMU_PROGRESS_DONE;

	if (packet == PACKET_COMPRESSED_PRIMITIVE)
		return collect(machine, bytes);
	progress = emu_render_flush(machine);
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
	case PACKET_STORE_FULL: return store_full(machine, bytes);
	case PACKET_STORE_GENERAL: return store_general(machine, bytes);
	default:
		return emu_list_fault(machine, EMU_LIST_RENDER,
				      "it is not modelled");
	}
}
