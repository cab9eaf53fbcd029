/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/machine.h"
#include "qpu/isa/packet.h"

enum {
	LEAST_BLOCK = 128,
	FLAG_SAMPLES = 1,
	FLAG_64_BIT = 2,
	FLAG_DOUBLE_BUFFER = 128,
	TRIANGLES = 4,	  /* of the modes of OpenGL */
	EXTENDED = 8,	  /* of the address of a shader record */
	GUARD = 32000,	  /* sixteenths of a pixel that 16 bits can hold */
	BRANCH_BYTES = 5, /* kept at the end of each block */
	STATE_BYTES = 48,
};

/* --- The lists of tiles in memory ------------------------------------------ */

/* What the binner knows of the list of a tile, as it lies in memory. */
struct tile_state {
	uint32_t next, left, serial;
};

/* Where the state of a tile is, or null after a fault. */
static void *
state_at(struct machine *machine, unsigned tile)
{
	const uint32_t addr = machine->pipe->binner.states + tile * STATE_BYTES;
	void *host = emu_memory_at(&machine->memory, addr,
				   sizeof(struct tile_state));

	if (!host)
		emu_list_fault(
			machine, EMU_LIST_BIN,
			"the state of a tile, at 0x%08x, is outside memory",
			addr);
	return host;
}

/* Empty lists, an initial block for each tile. */
static enum emu_progress
lists_begin(struct machine *machine)
{
	const struct emu_binner *binner = &machine->pipe->binner;

	for (unsigned i = 0; i < binner->tiles_x * binner->tiles_y; i++) {
		const struct tile_state state = {
			.next = binner->lists + i * binner->initial,
			.left = binner->initial,
		};

		void *host = state_at(machine, i);

		if (!host)
			return EMU_PROGRESS_FAULT;
		memcpy(host, &state, sizeof(state));
	}
	return EMU_PROGRESS_DONE;
}

static enum emu_progress
put_bytes(struct machine *machine, struct tile_state *tile,
	  const uint8_t *bytes, unsigned n)
{
	void *host = emu_memory_at(&machine->memory, tile->next, n);

	if (!host)
		return emu_list_fault(
			machine, EMU_LIST_BIN,
			"the list of a tile, at 0x%08x, is outside memory",
			tile->next);
	memcpy(host, bytes, n);
	tile->next += n;
	tile->left -= n;
	return EMU_PROGRESS_DONE;
}

/* A packet of a tile's list, in a new block if this one is full. */
static enum emu_progress
put_packet(struct machine *machine, struct tile_state *tile,
	   const uint8_t *bytes, unsigned n)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_binner *binner = &pipe->binner;
	uint8_t branch[BRANCH_BYTES] = { PACKET_BRANCH };

	if (tile->left < n + BRANCH_BYTES) {
		if (binner->left < binner->block) {
			binner->out_of_memory = true;
			pipe->interrupts |= V3D_INT_OUT_OF_MEMORY;
			return EMU_PROGRESS_WAIT;
		}
		memcpy(branch + 1, &binner->next, sizeof(binner->next));
		if (put_bytes(machine, tile, branch, BRANCH_BYTES))
			return EMU_PROGRESS_FAULT;
		tile->next = binner->next;
		tile->left = binner->block;
		binner->next += binner->block;
		binner->left -= binner->block;
	}
	return put_bytes(machine, tile, bytes, n);
}

/* The state that the tile has not seen, then the triangle. */
static enum emu_progress
put_item(struct machine *machine, unsigned number,
	 const struct emu_bin_item *item)
{
	uint8_t triangle[PACKET_BYTES_COMPRESSED_PRIMITIVE] = {
		PACKET_COMPRESSED_PRIMITIVE, EMU_CORNERS
	};
	const struct emu_state *state = &machine->pipe->binner.state;
	enum emu_progress progress = EMU_PROGRESS_DONE;
	void *host = state_at(machine, number);
	struct tile_state tile;

	if (!host)
		return EMU_PROGRESS_FAULT;
	memcpy(&tile, host, sizeof(tile));
	for (unsigned i = 0; i < EMU_STATE_RENDERED && !progress; i++) {
		if (state->changed[i] > tile.serial)
			progress = put_packet(machine, &tile, state->packet[i],
					      state->bytes[i]);
	}
	if (!progress) {
		tile.serial = state->serial;
		memcpy(triangle + 2, item->index, sizeof(item->index));
		progress =
			put_packet(machine, &tile, triangle, sizeof(triangle));
	}
	/* What was written before memory ran out stays; it is harmless. */
	memcpy(host, &tile, sizeof(tile));
	return progress;
}

static int32_t
clamp(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* The tiles from one pixel to another, both in sixteenths around the viewport's
 * centre, in one direction; false if there are none. */
static bool
find_tiles(const struct emu_binner *binner, unsigned i, int32_t low,
	   int32_t high, unsigned *first, unsigned *last)
{
	const struct emu_state *state = &binner->state;
	const int32_t side = EMU_PIXEL * EMU_TILE_SIDE;
	const int32_t centre =
		(int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, i);
	int32_t from = 0;
	int32_t to = (int32_t)(i ? binner->tiles_y : binner->tiles_x) * side;

	if (state->changed[EMU_STATE_CLIP_WINDOW]) {
		from = EMU_PIXEL *
		       emu_state_half(state, EMU_STATE_CLIP_WINDOW, i);
		to = clamp(from + EMU_PIXEL *
					   emu_state_half(state,
							  EMU_STATE_CLIP_WINDOW,
							  i + 2),
			   0, to);
	}
	low = clamp(low + centre, from, INT32_MAX);
	high = clamp(high + centre, INT32_MIN, to - 1);
	if (low > high)
		return false;
	*first = (unsigned)(low / side);
	*last = (unsigned)(high / side);
	return true;
}

/* Let a triangle wait for all tiles that it may touch. */
static void
lists_add(struct emu_binner *binner,
	  const struct emu_bin_vertex corner[EMU_CORNERS])
{
	struct emu_bin_item *item = &binner->item;
	int32_t left = corner->x, right = left, top = corner->y, bottom = top;

	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		left = clamp(corner[i].x, INT32_MIN, left);
		right = clamp(corner[i].x, right, INT32_MAX);
		top = clamp(corner[i].y, INT32_MIN, top);
		bottom = clamp(corner[i].y, bottom, INT32_MAX);
		item->index[i] = corner[i].index;
	}
	item->waits = find_tiles(binner, 0, left - 1, right + 1, &item->x0,
				 &item->x1) &&
		      find_tiles(binner, 1, top - 1, bottom + 1, &item->y0,
				 &item->y1);
	binner->tile_x = item->x0;
	binner->tile_y = item->y0;
}

/* Put the triangle that waits into the lists of its tiles. */
static enum emu_progress
lists_put(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_bin_item *item = &binner->item;

	while (item->waits) {
		const enum emu_progress progress = put_item(
			machine,
			binner->tile_y * binner->tiles_x + binner->tile_x,
			item);

		if (progress)
			return progress;
		if (binner->tile_x++ < item->x1)
			continue;
		binner->tile_x = item->x0;
		item->waits = binner->tile_y++ < item->y1;
	}
	return EMU_PROGRESS_DONE;
}

/* All lists end with a return. */
static enum emu_progress
lists_end(struct machine *machine)
{
	static const uint8_t end = PACKET_RETURN;
	const struct emu_binner *binner = &machine->pipe->binner;

	for (unsigned i = 0; i < binner->tiles_x * binner->tiles_y; i++) {
		const void *host = state_at(machine, i);
		struct tile_state tile;

		if (!host)
			return EMU_PROGRESS_FAULT;
		memcpy(&tile, host, sizeof(tile));
		if (put_bytes(machine, &tile, &end, 1))
			return EMU_PROGRESS_FAULT;
	}
	return EMU_PROGRESS_DONE;
}

/* --- The binning list ------------------------------------------------------- */

static enum emu_progress
configure(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const unsigned flags = bytes[14];

	if ((flags & (FLAG_SAMPLES | FLAG_64_BIT | FLAG_DOUBLE_BUFFER)) !=
	    FLAG_SAMPLES)
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "flags 0x%02x are not modelled", flags);
	if (!bytes[12] || !bytes[13])
		return emu_list_fault(machine, EMU_LIST_BIN, "it has no tiles");
	binner->configured = true;
	binner->lists = emu_word_at(bytes);
	binner->states = emu_word_at(bytes + 8);
	binner->tiles_x = bytes[12];
	binner->tiles_y = bytes[13];
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

/* How many times W positions may be away before 16 bits are too few. */
static float
guard_band(const struct emu_state *state, unsigned i)
{
	const float scale = __builtin_fabsf(
		emu_state_float(state, EMU_STATE_CLIPPER_XY, i));

	return scale > 0 ? GUARD / scale : 1;
}

/* Are all corners beyond one side of what can be seen, -W <= X, Y <= W? */
static bool
is_outside(const struct emu_bin_vertex corner[EMU_CORNERS])
{
	for (unsigned side = 0; side < 4; side++) {
		const float sign = side & 1 ? -1 : 1;
		bool outside = true;

		for (unsigned i = 0; i < EMU_CORNERS; i++)
			outside &= sign * corner[i].position[side / 2] >
				   corner[i].position[3];
		if (outside)
			return true;
	}
	return false;
}

/* A vertex as the coordinate shader left it. */
static struct emu_bin_vertex
shaded(const struct emu_binner *binner, unsigned lane)
{
	const struct emu_vpm *out = &binner->batch.out;
	const uint32_t xy = out->row[EMU_ROW_CLIP + EMU_ROW_XY][lane];
	struct emu_bin_vertex vertex = {
		.index = binner->batch.index[lane],
		.x = (int16_t)(xy & 0xffff),
		.y = (int16_t)(xy >> 16),
	};

	for (unsigned i = 0; i < 4; i++)
		memcpy(&vertex.position[i], (uint32_t *)&out->row[i] + lane, 4);
	return vertex;
}

/* The next triangle of the batch waits for its tiles, if it has any. */
static enum emu_progress
add_triangle(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const float guard[2] = { guard_band(&binner->state, 0),
				 guard_band(&binner->state, 1) };
	struct emu_bin_vertex corner[EMU_CORNERS];
	bool clip = false;

	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		const float *p = corner[i].position;

		corner[i] = shaded(binner, binner->vertex++);
		clip |= !(p[3] > 0 && __builtin_fabsf(p[2]) <= p[3] &&
			  __builtin_fabsf(p[0]) <= guard[0] * p[3] &&
			  __builtin_fabsf(p[1]) <= guard[1] * p[3]);
	}
	if (binner->draw.record.clipping) {
		if (is_outside(corner))
			return EMU_PROGRESS_DONE;
		if (clip)
			return emu_list_fault(
				machine, EMU_LIST_BIN,
				"triangles that have to be cut are not "
				"modelled");
	}
	/* Without an area it covers nothing. */
	if ((int64_t)(corner[1].x - corner[0].x) *
		    (corner[2].y - corner[0].y) !=
	    (int64_t)(corner[1].y - corner[0].y) * (corner[2].x - corner[0].x))
		lists_add(binner, corner);
	return EMU_PROGRESS_DONE;
}

/* The vertices of the next batch: whole triangles. */
static bool
fetch(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	struct emu_batch *batch = &binner->batch;

	binner->vertex = 0;
	for (batch->n = 0; batch->n < EMU_LANES / EMU_CORNERS * EMU_CORNERS &&
			   draw->next < draw->count;
	     batch->n++)
		batch->index[batch->n] = draw->first + draw->next++;
	return emu_batch_fetch(machine, EMU_LIST_BIN, &draw->record,
			       EMU_SHADER_COORDINATE, batch);
}

/* Go on with the triangles of a draw. */
static enum emu_progress
draw_on(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	struct emu_batch *batch = &binner->batch;
	enum emu_progress progress = lists_put(machine);

	while (!progress) {
		if (batch->phase == EMU_PHASE_SHADED &&
		    binner->vertex < batch->n) {
			progress = add_triangle(machine);
			if (!progress)
				progress = lists_put(machine);
			continue;
		}
		if (batch->phase == EMU_PHASE_EMPTY ||
		    batch->phase == EMU_PHASE_SHADED) {
			if (draw->next == draw->count)
				return EMU_PROGRESS_DONE;
			if (!fetch(machine))
				return EMU_PROGRESS_FAULT;
		}
		progress = emu_batch_shade(machine, EMU_SHADER_COORDINATE,
					   &draw->record, batch);
	}
	return progress;
}

/* Is a draw of the only kind that is modelled? */
static bool
is_modelled(const struct emu_binner *binner, unsigned mode)
{
	const uint32_t both = EMU_CONFIG_FRONT | EMU_CONFIG_BACK |
			      EMU_CONFIG_OVERSAMPLE_4X;
	const uint32_t config = emu_state_configuration(&binner->state);

	return mode == TRIANGLES &&
	       !(emu_state_word(&binner->state, EMU_STATE_SHADER, 0) &
		 EXTENDED) &&
	       (config & (both | EMU_CONFIG_DEPTH_OFFSET)) == both;
}

static enum emu_progress
draw_begin(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_draw *draw = &binner->draw;
	const uint32_t count = emu_word_at(bytes + 1);

	memset(draw, 0, sizeof(*draw));
	draw->count = count - count % EMU_CORNERS;
	draw->first = emu_word_at(bytes + 5);
	if (!binner->active || !binner->state.changed[EMU_STATE_SHADER])
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "the shaders are not set, or binning has "
				      "not begun");
	if (!is_modelled(binner, bytes[0] & 15))
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "only separate triangles are modelled, "
				      "both sides, with four samples");
	if (!emu_record_read(machine, EMU_LIST_BIN, &binner->state,
			     &draw->record))
		return EMU_PROGRESS_FAULT;
	draw->active = true;
	binner->batch.phase = EMU_PHASE_EMPTY;
	binner->item.waits = false;
	return EMU_PROGRESS_DONE;
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

	if (binner->active && lists_end(machine))
		return EMU_PROGRESS_FAULT;
	binner->active = false;
	pipe->list[EMU_LIST_RENDER].semaphore += binner->increments;
	binner->increments = 0;
	pipe->flushes++;
	pipe->interrupts |= V3D_INT_FLUSH_DONE;
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
		return lists_begin(machine);
	case PACKET_FLUSH:
	case PACKET_FLUSH_ALL: return flush(machine);
	case PACKET_ARRAY_PRIMITIVE:
		if (!binner->draw.active && draw_begin(machine, bytes))
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
