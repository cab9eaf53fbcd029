/* SPDX-License-Identifier: MIT */
/*
 * tile: the tile buffer, and what stores it in memory.
 *
 * It holds the colours of one tile: 32 x 32 pixels of four samples, or
 * 64 x 64 pixels of one.  Stores of the render list are put into a
 * queue; each takes its turn when all fragment threads that were started
 * before it have ended, while threads of the next tile may run already (the
 * guide, section 8: "the change from one tile to the next is pipelined").
 *
 * Layouts: of packets, Linux 6.1, drivers/gpu/drm/vc4/vc4_packet.h; of a full
 * dump, qpu/ways/way.h.
 */
#ifndef QPU_EMULATOR_GRAPHICS_TILE_H
#define QPU_EMULATOR_GRAPHICS_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/memory.h"

enum {
	EMU_SAMPLES = 4,
	EMU_TILE_WORDS = 4096,
	EMU_TILE_MS = 32, /* pixels of a side, with four samples */
	EMU_TILE_ONE = 64,
	EMU_TILE_OPS = 16,
};

/* An image in memory, of RGBA8888 by rows. */
struct emu_surface {
	uint32_t addr;
	unsigned width, height;
};

enum emu_tile_op_kind {
	EMU_TILE_STORE_FULL,
	EMU_TILE_STORE,
	EMU_TILE_NOTHING, /* clears, perhaps ends the frame */
};

struct emu_tile_op {
	enum emu_tile_op_kind kind;
	bool clears;  /* afterwards */
	bool average; /* of the four samples; else the first */
	bool end_of_frame;
	struct emu_surface surface; /* of a full dump the address alone */
	unsigned x, y;		    /* of the tile, in tiles */
	uint32_t packet;	    /* where the list asks for it */
	uint32_t clear;
	unsigned serial; /* of the tile */
};

struct emu_tile {
	uint32_t colour[EMU_TILE_WORDS];
	bool samples; /* four for each pixel */
};

static inline unsigned
emu_tile_side(const struct emu_tile *tile)
{
	return tile->samples ? EMU_TILE_MS : EMU_TILE_ONE;
}

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(const struct emu_tile *tile, unsigned x, unsigned y,
	      unsigned sample)
{
	const unsigned inside = (y & 1) * 2 + (x & 1);

	if (tile->samples)
		return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + inside;
	return (y & 62) * 64 + (x & 62) * 2 + inside;
}

/*
 * Do what the list asked for; false and the address outside of memory.
 * `stored` is told of each range of bytes that was written.
 */
typedef void
emu_tile_stored(void *context, uint32_t bus_addr, uint32_t bytes);

bool
emu_tile_do(struct emu_tile *tile, struct emu_memory *memory,
	    const struct emu_tile_op *op, emu_tile_stored *stored,
	    void *context, uint32_t *bad);

#endif
