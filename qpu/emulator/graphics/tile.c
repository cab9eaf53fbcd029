/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/tile.h"

#include <string.h>

enum {
	FULL_BYTES = EMU_TILE_WORDS * 4,
	UTILE_BYTES = 64,
	/* T-format: a square of 4 x 4 utiles, and 2 x 2 of these. */
	SUBTILE_BYTES = 1024,
	TTILE_BYTES = 4096,
};

static unsigned
utile_width(unsigned bytes)
{
	return bytes == 4 ? 4 : 8;
}

static unsigned
utile_height(unsigned bytes)
{
	return bytes == 1 ? 8 : 4;
}

/* Inside of a utile, pixels lie by rows. */
static uint32_t
utile_offset(unsigned bytes, unsigned x, unsigned y)
{
	const unsigned width = utile_width(bytes);

	return (y % utile_height(bytes) * width + x % width) * bytes;
}

/*
 * Even rows of tiles go from left to right, and their subtiles around from the
 * first one down; odd rows go back, and their subtiles the other way.
 */
static uint32_t
t_offset(unsigned width, unsigned bytes, unsigned x, unsigned y)
{
	static const uint8_t even[2][2] = { { 0, 3 }, { 1, 2 } };
	static const uint8_t odd[2][2] = { { 2, 1 }, { 3, 0 } };
	const unsigned across = utile_width(bytes) * 8;
	const unsigned down = utile_height(bytes) * 8;
	const unsigned tiles = (width + across - 1) / across;
	const unsigned row = y / down, column = x / across;
	const unsigned sub_x = x / (across / 2) % 2, sub_y = y / (down / 2) % 2;
	const unsigned utile =
		y / utile_height(bytes) % 4 * 4 + x / utile_width(bytes) % 4;
	const uint32_t tile =
		row * tiles + (row & 1 ? tiles - 1 - column : column);
	const uint32_t subtile = row & 1 ? odd[sub_y][sub_x] :
					   even[sub_y][sub_x];

	return tile * TTILE_BYTES + subtile * SUBTILE_BYTES +
	       utile * UTILE_BYTES + utile_offset(bytes, x, y);
}

static uint32_t
lt_offset(unsigned width, unsigned bytes, unsigned x, unsigned y)
{
	const unsigned across = utile_width(bytes);
	const unsigned utiles = (width + across - 1) / across;

	return (y / utile_height(bytes) * utiles + x / across) * UTILE_BYTES +
	       utile_offset(bytes, x, y);
}

uint32_t
emu_surface_offset(enum emu_tiling tiling, unsigned width, unsigned bytes,
		   unsigned x, unsigned y)
{
	const unsigned across = utile_width(bytes);

	switch (tiling) {
	case EMU_TILING_T: return t_offset(width, bytes, x, y);
	case EMU_TILING_LT: return lt_offset(width, bytes, x, y);
	default:
		return (y * ((width + across - 1) / across * across) + x) *
		       bytes;
	}
}

/* RGBA8888 has red in its lowest byte, BGR565 blue in its lowest bits. */
static uint32_t
to_565(uint32_t colour)
{
	return (colour & 0xf8) << 8 | (colour >> 5 & 0x7e0) |
	       (colour >> 19 & 0x1f);
}

static uint32_t
from_565(uint32_t pixel)
{
	const uint32_t red = pixel >> 11 & 31, green = pixel >> 5 & 63;
	const uint32_t blue = pixel & 31;

	return (red << 3 | red >> 2) | (green << 2 | green >> 4) << 8 |
	       (blue << 3 | blue >> 2) << 16 | 0xff000000;
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
load_pixel(struct emu_tile *tile, const struct emu_tile_op *op, unsigned x,
	   unsigned y, const uint8_t *from)
{
	const unsigned samples = tile->samples ? EMU_SAMPLES : 1;
	uint32_t word = 0;

	memcpy(&word, from, emu_surface_bytes(&op->surface));
	if (op->colour && op->surface.format == EMU_FORMAT_BGR565)
		word = from_565(word);
	for (unsigned i = 0; i < samples; i++)
		(op->colour ? tile->colour :
			      tile->zs)[emu_tile_word(tile, x, y, i)] = word;
}

static void
store_pixel(const struct emu_tile *tile, const struct emu_tile_op *op,
	    unsigned x, unsigned y, uint8_t *to)
{
	const unsigned at = emu_tile_word(tile, x, y, 0);
	uint32_t word = op->colour ? tile->colour[at] : tile->zs[at];

	if (op->colour && op->average && tile->samples)
		word = mean(tile, x, y);
	if (op->colour && op->surface.format == EMU_FORMAT_BGR565)
		word = to_565(word);
	memcpy(to, &word, emu_surface_bytes(&op->surface));
}

/* All pixels of the tile that the surface has. */
static bool
move_pixels(struct emu_tile *tile, struct emu_memory *memory,
	    const struct emu_tile_op *op, emu_tile_stored *stored,
	    void *context, uint32_t *bad)
{
	const struct emu_surface *surface = &op->surface;
	const unsigned side = emu_tile_side(tile);
	const unsigned bytes = emu_surface_bytes(surface);
	const bool store = op->kind == EMU_TILE_STORE;

	for (unsigned y = 0; y < side; y++)
		for (unsigned x = 0; x < side; x++) {
			const unsigned px = op->x * side + x;
			const unsigned py = op->y * side + y;
			uint8_t *host;

			if (px >= surface->width || py >= surface->height)
				continue;
			*bad = surface->addr +
			       emu_surface_offset(surface->tiling,
						  surface->width, bytes, px,
						  py);
			host = emu_memory_at(memory, *bad, bytes);
			if (!host)
				return false;
			if (store) {
				store_pixel(tile, op, x, y, host);
				stored(context, *bad, bytes);
			} else {
				load_pixel(tile, op, x, y, host);
			}
		}
	return true;
}

/* Raw words, in the order of the tile buffer; depth follows colour. */
static bool
move_full(struct emu_tile *tile, struct emu_memory *memory,
	  const struct emu_tile_op *op, emu_tile_stored *stored, void *context,
	  uint32_t *bad)
{
	const bool store = op->kind == EMU_TILE_STORE_FULL;
	uint32_t addr = op->surface.addr;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t *words = i ? tile->zs : tile->colour;
		uint8_t *host;

		if (!(i ? op->depth : op->colour))
			continue;
		*bad = addr;
		host = emu_memory_at(memory, addr, FULL_BYTES);
		if (!host)
			return false;
		if (store) {
			memcpy(host, words, FULL_BYTES);
			stored(context, addr, FULL_BYTES);
		} else {
			memcpy(words, host, FULL_BYTES);
		}
		addr += FULL_BYTES;
	}
	return true;
}

static void
fill(uint32_t *words, uint32_t value)
{
	for (unsigned i = 0; i < EMU_TILE_WORDS; i++)
		words[i] = value;
}

bool
emu_tile_do(struct emu_tile *tile, struct emu_memory *memory,
	    const struct emu_tile_op *op, emu_tile_stored *stored,
	    void *context, uint32_t *bad)
{
	const bool full = op->kind == EMU_TILE_LOAD_FULL ||
			  op->kind == EMU_TILE_STORE_FULL;

	if (op->kind != EMU_TILE_NOTHING &&
	    !(full ? move_full(tile, memory, op, stored, context, bad) :
		     move_pixels(tile, memory, op, stored, context, bad)))
		return false;
	if (op->clear_colour)
		fill(tile->colour, op->clear);
	if (op->clear_depth)
		fill(tile->zs, op->clear_zs);
	return true;
}
