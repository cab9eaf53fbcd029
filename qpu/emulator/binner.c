/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/binner.h"

#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"
#include "qpu/emulator/tilelists.h"
#include "qpu/isa/packet.h"

enum {
	LEAST_BLOCK = 128,
	FLAG_SAMPLES = 1,
	FLAG_64_BIT = 2,
	FLAG_DOUBLE_BUFFER = 128,
	GUARD = 32000, /* sixteenths of a pixel that 16 bits can hold */
};

enum mode {
	MODE_POINTS,
	MODE_LINES,
	MODE_LINE_LOOP,
	MODE_LINE_STRIP,
	MODE_TRIANGLES,
	MODE_TRIANGLE_STRIP,
	MODE_TRIANGLE_FAN,
	MODES
};

static enum emu_progress
configure(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const unsigned flags = bytes[14];

	if (flags & (FLAG_64_BIT | FLAG_DOUBLE_BUFFER))
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "flags 0x%02x are not modelled", flags);
	if (!bytes[12] || !bytes[13])
		return emu_list_fault(machine, EMU_LIST_BIN, "it has no tiles");
	binner->configured = true;
	binner->lists = emu_word_at(bytes);
	binner->states = emu_word_at(bytes + 8);
	binner->tiles_x = bytes[12];
	binner->tiles_y = bytes[13];
	binner->samples = flags & FLAG_SAMPLES;
	binner->initial = 32u << (flags >> 3 & 3);
	binner->block = 32u << (flags >> 5 & 3);
	if (binner->block < LEAST_BLOCK)
		binner->block = LEAST_BLOCK;
	const uint32_t first =
		binner->tiles_x * binner->tiles_y * binner->initial;
	const uint32_t bytes_of_lists = emu_word_at(bytes + 4);
	if (bytes_of_lists < first)
		return emu_list_fault(
			machine, EMU_LIST_BIN,
			"memory for lists (%u bytes) is too small for the "
			"first blocks",
			bytes_of_lists);
	binner->next = binner->lists + first;
	binner->left = bytes_of_lists - first;
	return EMU_PROGRESS_DONE;
}

static void
add_plain(struct emu_binner *binner, const struct emu_bin_vertex *const *corner,
	  unsigned n, int32_t margin)
{
	struct emu_bin_item item = {
		.bytes = { PACKET_COMPRESSED_PRIMITIVE, (uint8_t)n },
		.len = 2 + 4 * n,
	};

	for (unsigned i = 0; i < n; i++)
		memcpy(item.bytes + 2 + 4 * i, &corner[i]->index, 4);
	emu_tile_lists_add(binner, &item, corner, n, margin);
}

static int32_t
to_place(float value)
{
	if (!(value > -INT16_MAX))
		return -INT16_MAX;
	if (!(value < INT16_MAX))
		return INT16_MAX;
	return (int32_t)(value < 0 ? value - 0.5f : value + 0.5f);
}

/* A corner of a clipped triangle where the clipper's scales put it. */
static void
place_corner(const struct emu_state *state,
	     const struct emu_clip_corner *corner, struct emu_bin_vertex *to)
{
	const float *position = corner->position;

	to->w = 1 / position[3];
	to->x = to_place(position[0] * to->w *
			 emu_state_float(state, EMU_STATE_CLIPPER_XY, 0));
	to->y = to_place(position[1] * to->w *
			 emu_state_float(state, EMU_STATE_CLIPPER_XY, 1));
	to->z = position[2] * to->w *
			emu_state_float(state, EMU_STATE_CLIPPER_Z, 0) +
		emu_state_float(state, EMU_STATE_CLIPPER_Z, 1);
}

static void
put_corner(uint8_t *to, const struct emu_bin_vertex *at,
	   const struct emu_clip_corner *corner)
{
	const int16_t place[2] = { (int16_t)at->x, (int16_t)at->y };

	memcpy(to, place, 4);
	memcpy(to + 4, &at->z, 4);
	memcpy(to + 8, &at->w, 4);
	memcpy(to + 12, corner->weight, 8);
}

static float
magnitude(float value)
{
	return value < 0 ? -value : value;
}

/* How many times W positions may be away before 16 bits are too few. */
static float
guard_band(const struct emu_state *state, unsigned i)
{
	const float scale =
		magnitude(emu_state_float(state, EMU_STATE_CLIPPER_XY, i));

	return scale > 0 ? GUARD / scale : 1;
}

static bool
needs_clipping(const struct emu_bin_vertex *vertex, const float guard[2])
{
	const float *p = vertex->position;

	return !(p[3] > 0 && magnitude(p[2]) <= p[3] &&
		 magnitude(p[0]) <= guard[0] * p[3] &&
		 magnitude(p[1]) <= guard[1] * p[3]);
}

/* Is a triangle turned to a side that is not drawn, or is it a line? */
static bool
is_culled(const struct emu_state *state,
	  const struct emu_bin_vertex *const *corner)
{
	const uint32_t config = emu_state_configuration(state);
	const int64_t area = (int64_t)(corner[1]->x - corner[0]->x) *
				     (corner[2]->y - corner[0]->y) -
			     (int64_t)(corner[1]->y - corner[0]->y) *
				     (corner[2]->x - corner[0]->x);
	const bool front = (area > 0) != !!(config & EMU_CONFIG_CLOCKWISE);

	return !area ||
	       !(config & (front ? EMU_CONFIG_FRONT : EMU_CONFIG_BACK));
}

/* Add what clipping leaves of a triangle, as triangles around one corner. */
static void
add_clipped(struct emu_binner *binner,
	    const struct emu_bin_vertex *const *corner,
	    const float positions[3][4], const float guard[2])
{
	struct emu_clip_polygon polygon;
	struct emu_bin_vertex at[EMU_CLIP_CORNERS];

	emu_clip(positions, guard, &polygon);
	for (unsigned i = 0; i < polygon.n; i++)
		place_corner(&binner->state, &polygon.corner[i], &at[i]);
	for (unsigned i = 2; i < polygon.n; i++) {
		const unsigned fan[3] = { 0, i - 1, i };
		const struct emu_bin_vertex *around[3];
		struct emu_bin_item item = {
			.bytes = { PACKET_CLIPPED_PRIMITIVE },
			.len = EMU_CLIPPED_BYTES,
		};

		for (unsigned k = 0; k < 3; k++) {
			around[k] = &at[fan[k]];
			memcpy(item.bytes + 1 + 4 * k, &corner[k]->index, 4);
			put_corner(item.bytes + 13 + EMU_CORNER_BYTES * k,
				   around[k], &polygon.corner[fan[k]]);
		}
		if (!is_culled(&binner->state, around))
			emu_tile_lists_add(binner, &item, around, 3, 1);
	}
}

static void
add_triangle(struct emu_binner *binner,
	     const struct emu_bin_vertex *const *corner)
{
	const struct emu_state *state = &binner->state;
	const float guard[2] = { guard_band(state, 0), guard_band(state, 1) };
	float positions[3][4];
	bool clip = false;

	for (unsigned i = 0; i < 3; i++) {
		memcpy(positions[i], corner[i]->position, sizeof(positions[i]));
		clip |= needs_clipping(corner[i], guard);
	}
	if (!binner->draw.record.clipping)
		clip = false;
	else if (emu_clip_rejects((const float(*)[4])positions))
		return;
	if (clip)
		add_clipped(binner, corner, (const float(*)[4])positions,
			    guard);
	else if (!is_culled(state, corner))
		add_plain(binner, corner, 3, 1);
}

/* Points and lines are drawn if no part of them is behind the eye. */
static void
add_primitive(struct emu_binner *binner,
	      const struct emu_bin_vertex *const *corner, unsigned n)
{
	float size;

	if (n == 3) {
		add_triangle(binner, corner);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (binner->draw.record.clipping &&
		    !(corner[i]->position[3] > 0))
			return;
	size = n == 1 ?
		       corner[0]->size :
		       emu_state_float(&binner->state, EMU_STATE_LINE_WIDTH, 0);
	if (size > 0 && size < 1024)
		add_plain(binner, corner, n,
			  (int32_t)(size * (EMU_PIXEL / 2)) + EMU_PIXEL);
}

/* One more vertex of the draw. */
static void
assemble(struct emu_binner *binner, const struct emu_bin_vertex *vertex)
{
	struct emu_draw *draw = &binner->draw;
	const uint32_t k = draw->seen++;
	const struct emu_bin_vertex *corner[3] = { vertex };
	unsigned n = 0;

	switch (draw->mode) {
	case MODE_POINTS: n = 1; break;
	case MODE_LINES:
	case MODE_LINE_LOOP:
	case MODE_LINE_STRIP:
		if (k && (draw->mode != MODE_LINES || k & 1))
			n = 2;
		corner[0] = &draw->last;
		corner[1] = vertex;
		break;
	default:
		if (k >= 2 && (draw->mode != MODE_TRIANGLES || k % 3 == 2))
			n = 3;
		corner[0] = draw->mode == MODE_TRIANGLE_FAN ? &draw->start :
							      &draw->older;
		corner[1] = &draw->last;
		corner[2] = vertex;
		if (draw->mode == MODE_TRIANGLE_STRIP && k & 1) {
			corner[0] = &draw->last;
			corner[1] = &draw->older;
		}
		break;
	}
	if (n)
		add_primitive(binner, corner, n);
	if (!k)
		draw->start = *vertex;
	draw->older = draw->last;
	draw->last = *vertex;
}

static struct emu_bin_vertex
shaded(const struct emu_binner *binner, unsigned lane)
{
	const struct emu_vpm *out = &binner->batch.out;
	const uint32_t xy = out->row[EMU_ROW_CLIP + EMU_ROW_XY][lane];
	struct emu_bin_vertex vertex = {
		.index = binner->batch.index[lane],
		.x = (int16_t)(xy & 0xffff),
		.y = (int16_t)(xy >> 16),
		.size = emu_state_float(&binner->state, EMU_STATE_POINT_SIZE,
					0),
	};

	for (unsigned i = 0; i < 4; i++)
		memcpy(&vertex.position[i], (uint32_t *)&out->row[i] + lane, 4);
	if (binner->draw.record.point_size)
		memcpy(&vertex.size,
		       (uint32_t *)&out->row[EMU_ROW_CLIP + EMU_ROW_MORE] +
			       lane,
		       4);
	return vertex;
}

/* The indices of the next batch; false after a fault. */
static bool
next_vertices(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	struct emu_batch *batch = &binner->batch;

	batch->n = 0;
	while (batch->n < EMU_LANES && draw->next < draw->count) {
		uint32_t index = draw->first + draw->next;

		if (draw->index_bytes) {
			const uint32_t addr =
				draw->addr + draw->next * draw->index_bytes;
			const void *host = emu_memory_at(&machine->memory, addr,
							 draw->index_bytes);

			if (!host) {
				emu_list_fault(
					machine, EMU_LIST_BIN,
					"an index, at 0x%08x, is outside memory",
					addr);
				return false;
			}
			index = 0;
			memcpy(&index, host, draw->index_bytes);
		}
		batch->index[batch->n++] = index;
		draw->next++;
	}
	return true;
}

static bool
fetch(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	uint32_t bad;

	if (!next_vertices(machine))
		return false;
	if (emu_batch_fetch(&machine->memory, &binner->draw.record,
			    EMU_SHADER_COORDINATE, &binner->batch, &bad))
		return true;
	emu_list_fault(machine, EMU_LIST_BIN,
		       "an attribute, at 0x%08x, is outside memory", bad);
	return false;
}

/* Go on with the primitives of a draw. */
static enum emu_progress
draw_on(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	const struct emu_bin_vertex *loop[2] = { &draw->last, &draw->start };
	enum emu_progress progress = emu_tile_lists_put(machine);

	while (!progress && binner->vertex < binner->batch.n &&
	       binner->phase == EMU_PHASE_FETCH) {
		const struct emu_bin_vertex vertex =
			shaded(binner, binner->vertex++);

		assemble(binner, &vertex);
		progress = emu_tile_lists_put(machine);
	}
	if (progress)
		return progress;
	if (binner->phase == EMU_PHASE_FETCH && draw->next == draw->count) {
		if (draw->mode == MODE_LINE_LOOP && draw->seen > 2) {
			add_primitive(binner, loop, 2);
			draw->mode = MODE_LINE_STRIP;
			return emu_tile_lists_put(machine);
		}
		return EMU_PROGRESS_DONE;
	}
	if (binner->phase == EMU_PHASE_FETCH) {
		if (!fetch(machine))
			return EMU_PROGRESS_FAULT;
		binner->phase = EMU_PHASE_START;
	}
	if (binner->phase == EMU_PHASE_START) {
		if (!emu_pipe_shade(machine, EMU_SHADER_COORDINATE,
				    &draw->record, &binner->batch))
			return EMU_PROGRESS_WAIT;
		binner->phase = EMU_PHASE_SHADING;
	}
	if (binner->batch.shading)
		return EMU_PROGRESS_WAIT;
	binner->phase = EMU_PHASE_FETCH;
	binner->vertex = 0;
	return draw_on(machine);
}

static bool
draw_begin(struct machine *machine, unsigned packet, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	uint32_t bad;

	memset(draw, 0, sizeof(*draw));
	draw->mode = bytes[0] & 15;
	draw->count = emu_word_at(bytes + 1);
	if (packet == PACKET_INDEXED_PRIMITIVE) {
		draw->index_bytes = bytes[0] >> 4 ? 2 : 1;
		draw->addr = emu_word_at(bytes + 5);
	} else {
		draw->first = emu_word_at(bytes + 5);
	}
	if (draw->mode >= MODES) {
		emu_list_fault(machine, EMU_LIST_BIN, "mode %u is not known",
			       draw->mode);
		return false;
	}
	if (!binner->active || !binner->state.changed[EMU_STATE_SHADER]) {
		emu_list_fault(machine, EMU_LIST_BIN,
			       "the shaders are not set, or binning has not "
			       "begun");
		return false;
	}
	if (!emu_record_read(&machine->memory,
			     emu_state_word(&binner->state, EMU_STATE_SHADER,
					    0),
			     &draw->record, &bad)) {
		emu_list_fault(
			machine, EMU_LIST_BIN,
			"the shader record, at 0x%08x, is outside memory", bad);
		return false;
	}
	draw->active = true;
	binner->phase = EMU_PHASE_FETCH;
	binner->vertex = binner->batch.n = 0;
	binner->items = binner->item_next = 0;
	return true;
}

void
emu_binner_memory(struct emu_binner *binner, uint32_t bytes)
{
	if (!bytes)
		return;
	binner->next = binner->more;
	binner->left = bytes;
	binner->out_of_memory = false;
}

/* All lists end here, and the renderer may go on. */
static enum emu_progress
flush(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_binner *binner = &pipe->binner;

	if (binner->active && emu_tile_lists_end(machine))
		return EMU_PROGRESS_FAULT;
	binner->active = false;
	pipe->list[EMU_LIST_RENDER].semaphore += binner->increments;
	binner->increments = 0;
	pipe->flushes++;
	pipe->interrupts |= EMU_INT_FLUSH_DONE;
	return EMU_PROGRESS_DONE;
}

enum emu_progress
emu_binner_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	enum emu_progress progress;

	switch (packet) {
	case PACKET_BINNING_MODE: return configure(machine, bytes);
	case PACKET_START_TILE_BINNING:
		if (!binner->configured)
			return emu_list_fault(machine, EMU_LIST_BIN,
					      "the binning mode is not set");
		binner->active = true;
		return emu_tile_lists_begin(machine);
	case PACKET_FLUSH:
	case PACKET_FLUSH_ALL: return flush(machine);
	case PACKET_INDEXED_PRIMITIVE:
	case PACKET_ARRAY_PRIMITIVE:
		if (!binner->draw.active && !draw_begin(machine, packet, bytes))
			return EMU_PROGRESS_FAULT;
		progress = draw_on(machine);
		if (progress == EMU_PROGRESS_DONE)
			binner->draw.active = false;
		return progress;
	default:
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "it is not modelled");
	}
}
