/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/tilelists.h"

#include <string.h>

#include "qpu/abi/v3d.h"
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
			pipe->interrupts |= V3D_INT_OUT_OF_MEMORY;
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
		uint8_t packet[1 + EMU_STATE_BYTES] = { emu_state_packet(i) };

		if (state->changed[i] <= tile.serial)
			continue;
		memcpy(packet + 1, state->bytes[i], EMU_STATE_BYTES);
		progress = put_packet(machine, &tile, packet,
				      emu_state_packet_bytes(i));
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
	const int32_t side =
		EMU_PIXEL * (binner->samples ? EMU_TILE_MS : EMU_TILE_ONE);
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

void
emu_tile_lists_add(struct emu_binner *binner,
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

enum emu_progress
emu_tile_lists_put(struct machine *machine)
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
