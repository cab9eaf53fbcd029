/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/tile.h"

#include <string.h>

enum {
	FULL_BYTES = EMU_TILE_WORDS * 4,
	PIXEL_BYTES = 4,
	/* Pixels of a row are made up to whole blocks of 4 x 4. */
	UTILE = 4,
};

/* Bytes from the start of a surface to a pixel. */
static uint32_t
pixel_offset(const struct emu_surface *surface, unsigned x, unsigned y)
{
	const unsigned across = (surface->width + UTILE - 1) / UTILE * UTILE;

	return PIXEL_BYTES * (y * across + x);
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
store_full(const struct emu_tile *tile, struct emu_memory *memory,
	   const struct emu_tile_op *op, emu_tile_stored *stored, void *context)
{
	uint8_t *host = emu_memory_at(memory, op->surface.addr, FULL_BYTES);

	if (!host)
		return false;
	memcpy(host, tile->colour, FULL_BYTES);
	stored(context, op->surface.addr, FULL_BYTES);
	return true;
}

bool
emu_tile_do(struct emu_tile *tile, struct emu_memory *memory,
	    const struct emu_tile_op *op, emu_tile_stored *stored,
	    void *context, uint32_t *bad)
{
	bool good = true;

	*bad = op->surface.addr;
	if (op->kind == EMU_TILE_STORE_FULL)
		good = store_full(tile, memory, op, stored, context);
	else if (op->kind == EMU_TILE_STORE)
		good = store_pixels(tile, memory, op, stored, context, bad);
	for (unsigned i = 0; op->clears && i < EMU_TILE_WORDS; i++)
		tile->colour[i] = op->clear;
	return good;
}
