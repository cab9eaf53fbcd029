/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/tilelists.h"

#include <string.h>

#include "qpu/emulator/graphics/raster.h"
#include "qpu/emulator/graphics/tile.h"
#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"
#include "qpu/isa/packet.h"

enum {
	BRANCH_BYTES = 5, /* kept at the end of each block */
	STATE_BYTES = 48,
};

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

enum emu_progress
emu_tile_lists_begin(struct machine *machine)
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

static bool
put_bytes(struct machine *machine, struct tile_state *tile,
	  const uint8_t *bytes, unsigned n)
{
	void *host = emu_memory_at(&machine->memory, tile->next, n);

	if (!host) {
		emu_list_fault(
			machine, EMU_LIST_BIN,
			"the list of a tile, at 0x%08x, is outside memory",
			tile->next);
		return false;
	}
	memcpy(host, bytes, n);
	tile->next += n;
	tile->left -= n;
	return true;
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
			pipe->interrupts |= EMU_INT_OUT_OF_MEMORY;
			return EMU_PROGRESS_WAIT;
		}
		memcpy(branch + 1, &binner->next, sizeof(binner->next));
		if (!put_bytes(machine, tile, branch, BRANCH_BYTES))
			return EMU_PROGRESS_FAULT;
		tile->next = binner->next;
		tile->left = binner->block;
		binner->next += binner->block;
		binner->left -= binner->block;
	}
	return put_bytes(machine, tile, bytes, n) ? EMU_PROGRESS_DONE :
						    EMU_PROGRESS_FAULT;
}

static unsigned
state_bytes(enum emu_state_item item)
{
	static const uint8_t bytes[EMU_STATE_RENDERED] = {
		[EMU_STATE_SHADER] = PACKET_BYTES_GL_SHADER_STATE,
		[EMU_STATE_CONFIGURATION] = PACKET_BYTES_CONFIGURATION_BITS,
		[EMU_STATE_FLAT_SHADE] = PACKET_BYTES_FLAT_SHADE,
		[EMU_STATE_POINT_SIZE] = PACKET_BYTES_POINT_SIZE,
		[EMU_STATE_LINE_WIDTH] = PACKET_BYTES_LINE_WIDTH,
		[EMU_STATE_DEPTH_OFFSET] = PACKET_BYTES_DEPTH_OFFSET,
		[EMU_STATE_CLIP_WINDOW] = PACKET_BYTES_CLIP_WINDOW,
		[EMU_STATE_VIEWPORT] = PACKET_BYTES_VIEWPORT_OFFSET,
	};

	return bytes[item];
}

/* The state that the tile has not seen, then the primitive. */
static enum emu_progress
put_item(struct machine *machine, unsigned number,
	 const struct emu_bin_item *item)
{
	const struct emu_state *state = &machine->pipe->binner.state;
	enum emu_progress progress = EMU_PROGRESS_DONE;
	void *host = state_at(machine, number);
	struct tile_state tile;

	if (!host)
		return EMU_PROGRESS_FAULT;
	memcpy(&tile, host, sizeof(tile));
	for (unsigned i = 0; i < EMU_STATE_RENDERED && !progress; i++) {
		uint8_t packet[1 + EMU_STATE_BYTES] = { emu_state_packet(i) };

		if (state->changed[i] <= tile.serial)
			continue;
		memcpy(packet + 1, state->bytes[i], EMU_STATE_BYTES);
		progress = put_packet(machine, &tile, packet, state_bytes(i));
	}
	if (!progress) {
		tile.serial = state->serial;
		progress = put_packet(machine, &tile, item->bytes, item->len);
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

/*
 * The tiles of a box in sixteenths of a pixel, around the viewport's centre;
 * false if it has none.
 */
static bool
find_tiles(const struct emu_binner *binner, const int32_t box[4],
	   struct emu_bin_item *item)
{
	const struct emu_state *state = &binner->state;
	const int32_t side =
		EMU_PIXEL * (binner->samples ? EMU_TILE_MS : EMU_TILE_ONE);
	const int32_t tiles[2] = { binner->tiles_x, binner->tiles_y };
	int32_t low[2], high[2];

	for (unsigned i = 0; i < 2; i++) {
		const int32_t centre =
			(int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, i);
		int32_t from = 0, to = tiles[i] * side;

		if (state->changed[EMU_STATE_CLIP_WINDOW]) {
			from = EMU_PIXEL *
			       emu_state_half(state, EMU_STATE_CLIP_WINDOW, i);
			to = clamp(
				from + EMU_PIXEL *
						emu_state_half(
							state,
							EMU_STATE_CLIP_WINDOW,
							i + 2),
				0, to);
		}
		low[i] = clamp(box[i] + centre, from, INT32_MAX);
		high[i] = clamp(box[i + 2] + centre, INT32_MIN, to - 1);
		if (low[i] > high[i])
			return false;
		low[i] /= side;
		high[i] /= side;
	}
	item->x0 = low[0];
	item->y0 = low[1];
	item->x1 = high[0];
	item->y1 = high[1];
	return true;
}

/* The box of positions, wider by a margin on all sides. */
static void
surround(const struct emu_bin_vertex *const *corner, unsigned n, int32_t margin,
	 int32_t box[4])
{
	box[0] = box[2] = corner[0]->x;
	box[1] = box[3] = corner[0]->y;
	for (unsigned i = 1; i < n; i++) {
		box[0] = clamp(corner[i]->x, INT32_MIN, box[0]);
		box[1] = clamp(corner[i]->y, INT32_MIN, box[1]);
		box[2] = clamp(corner[i]->x, box[2], INT32_MAX);
		box[3] = clamp(corner[i]->y, box[3], INT32_MAX);
	}
	box[0] -= margin;
	box[1] -= margin;
	box[2] += margin;
	box[3] += margin;
}

void
emu_tile_lists_add(struct emu_binner *binner, struct emu_bin_item *item,
		   const struct emu_bin_vertex *const *corner, unsigned n,
		   int32_t margin)
{
	int32_t box[4];

	surround(corner, n, margin, box);
	if (!find_tiles(binner, box, item))
		return;
	if (!binner->items) {
		binner->tile_x = item->x0;
		binner->tile_y = item->y0;
	}
	binner->item[binner->items++] = *item;
}

enum emu_progress
emu_tile_lists_put(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;

	while (binner->item_next < binner->items) {
		const struct emu_bin_item *item =
			&binner->item[binner->item_next];
		const enum emu_progress progress = put_item(
			machine,
			binner->tile_y * binner->tiles_x + binner->tile_x,
			item);

		if (progress)
			return progress;
		if (binner->tile_x++ < item->x1)
			continue;
		binner->tile_x = item->x0;
		if (binner->tile_y++ < item->y1)
			continue;
		if (++binner->item_next < binner->items) {
			binner->tile_x = item[1].x0;
			binner->tile_y = item[1].y0;
		}
	}
	binner->items = binner->item_next = 0;
	return EMU_PROGRESS_DONE;
}

enum emu_progress
emu_tile_lists_end(struct machine *machine)
{
	static const uint8_t end = PACKET_RETURN;
	const struct emu_binner *binner = &machine->pipe->binner;

	for (unsigned i = 0; i < binner->tiles_x * binner->tiles_y; i++) {
		const void *host = state_at(machine, i);
		struct tile_state tile;

		if (!host)
			return EMU_PROGRESS_FAULT;
		memcpy(&tile, host, sizeof(tile));
		if (!put_bytes(machine, &tile, &end, 1))
			return EMU_PROGRESS_FAULT;
	}
	return EMU_PROGRESS_DONE;
}
