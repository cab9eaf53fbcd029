/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/tile.h"

#include <string.h>

enum {
	FULL_BYTES = EMU_TILE_WORDS * 4,
	PIXEL_BYTES = 4,
	/* T-format: squares of 4 x 4 pixels; 4 x 4 of these are a subtile, and
	 * 2 x 2 of those a tile. */
	UTILE = 4,
	SUBTILE = 16,
	TTILE = 32,
};

/*
 * Even rows of tiles go from left to right, and their subtiles around from the
 * first one down; odd rows go back, and their subtiles the other way.
 */
static uint32_t
t_pixel(unsigned width, unsigned x, unsigned y)
{
	static const uint8_t even[2][2] = { { 0, 3 }, { 1, 2 } };
	static const uint8_t odd[2][2] = { { 2, 1 }, { 3, 0 } };
	const unsigned tiles = (width + TTILE - 1) / TTILE;
	const unsigned row = y / TTILE, column = x / TTILE;
	const unsigned sub_x = x / SUBTILE % 2, sub_y = y / SUBTILE % 2;
	const unsigned utile = y / UTILE % 4 * 4 + x / UTILE % 4;
	const uint32_t tile =
		row * tiles + (row & 1 ? tiles - 1 - column : column);
	const uint32_t subtile = row & 1 ? odd[sub_y][sub_x] :
					   even[sub_y][sub_x];

	return tile * TTILE * TTILE + subtile * SUBTILE * SUBTILE +
	       utile * UTILE * UTILE + y % UTILE * UTILE + x % UTILE;
}

/* Bytes from the start of a surface to a pixel. */
static uint32_t
pixel_offset(const struct emu_surface *surface, unsigned x, unsigned y)
{
	const unsigned across = (surface->width + UTILE - 1) / UTILE * UTILE;

	return PIXEL_BYTES * (surface->tiling == EMU_TILING_T ?
				      t_pixel(surface->width, x, y) :
				      y * across + x);
}

/* The mean of the four samples of a pixel, byte by byte. */
static uint32_t
mean(const struct emu_tile *tile, unsigned x, unsigned y)
{
	uint32_t result = 0;

	for (unsigned shift = 0; shift < 32; shift += 8) {
		uint32_t sum = EMU_SAMPLES / 2;

		for (unsigned i = 0; i < EMU_SAMPLES; i++)
			sum += tile->colour[emu_tile_word(tile, x, y, i)] >>
				       shift &
			       0xff;
		result |= sum / EMU_SAMPLES << shift;
	}
	return result;
}

static void
store_pixel(const struct emu_tile *tile, const struct emu_tile_op *op,
	    unsigned x, unsigned y, uint8_t *to)
{
	const uint32_t word =
		op->average && tile->samples ?
			mean(tile, x, y) :
			tile->colour[emu_tile_word(tile, x, y, 0)];

	memcpy(to, &word, PIXEL_BYTES);
}

/* All pixels of the tile that the surface has. */
static bool
store_pixels(const struct emu_tile *tile, struct emu_memory *memory,
	     const struct emu_tile_op *op, emu_tile_stored *stored,
	     void *context, uint32_t *bad)
{
	const struct emu_surface *surface = &op->surface;
	const unsigned side = emu_tile_side(tile);

	for (unsigned y = 0; y < side; y++)
		for (unsigned x = 0; x < side; x++) {
			const unsigned px = op->x * side + x;
			const unsigned py = op->y * side + y;
			uint8_t *host;

			if (px >= surface->width || py >= surface->height)
				continue;
			*bad = surface->addr + pixel_offset(surface, px, py);
			host = emu_memory_at(memory, *bad, PIXEL_BYTES);
			if (!host)
				return false;
			store_pixel(tile, op, x, y, host);
			stored(context, *bad, PIXEL_BYTES);
		}
	return true;
}

/* Raw words, in the order of the tile buffer. */
static bool
move_full(struct emu_tile *tile, struct emu_memory *memory,
	  const struct emu_tile_op *op, emu_tile_stored *stored, void *context)
{
	uint8_t *host = emu_memory_at(memory, op->surface.addr, FULL_BYTES);

	if (!host)
		return false;
	if (op->kind == EMU_TILE_STORE_FULL) {
		memcpy(host, tile->colour, FULL_BYTES);
		stored(context, op->surface.addr, FULL_BYTES);
	} else {
		memcpy(tile->colour, host, FULL_BYTES);
	}
	return true;
}

bool
emu_tile_do(struct emu_tile *tile, struct emu_memory *memory,
	    const struct emu_tile_op *op, emu_tile_stored *stored,
	    void *context, uint32_t *bad)
{
	const bool full = op->kind == EMU_TILE_LOAD_FULL ||
			  op->kind == EMU_TILE_STORE_FULL;

	*bad = op->surface.addr;
	if (op->kind != EMU_TILE_NOTHING &&
	    !(full ? move_full(tile, memory, op, stored, context) :
		     store_pixels(tile, memory, op, stored, context, bad)))
		return false;
	for (unsigned i = 0; op->clears && i < EMU_TILE_WORDS; i++)
		tile->colour[i] = op->clear;
	return true;
}
