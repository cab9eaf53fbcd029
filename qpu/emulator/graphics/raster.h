/* SPDX-License-Identifier: MIT */
/*
 * raster: which pixels and samples of a tile a triangle covers, as quads of
 * 2 x 2 pixels in groups of up to four, one group for each fragment thread.
 *
 * Positions are in sixteenths of a pixel.  A sample on an edge belongs to the
 * triangle if the edge is its left or its top one.  Samples lie on a rotated
 * grid, UNSURE(U15).
 *
 * Lanes 4q .. 4q + 3 of quad q are (x, y), (x + 1, y), (x, y + 1) and
 * (x + 1, y + 1) (Mesa's vc4 driver takes derivatives so).
 */
#ifndef QPU_EMULATOR_GRAPHICS_RASTER_H
#define QPU_EMULATOR_GRAPHICS_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/vector.h"

enum {
	EMU_SAMPLES = 4,    /* of a pixel */
	EMU_TILE_SIDE = 32, /* pixels */
	EMU_QUADS = 4,	    /* of a fragment thread */
	EMU_PIXEL = 16,	    /* units of a pixel */
};

struct emu_corner {
	int32_t x, y;
};

struct emu_triangle {
	struct emu_corner corner[3];
	bool back; /* it is seen from behind */
};

/* Pixels from (x0, y0) up to, and without, (x1, y1). */
struct emu_box {
	int32_t x0, y0, x1, y1;
};

struct emu_raster {
	int64_t a[3], b[3], c[3]; /* a x + b y + c >= 0 inside of edge i */
	struct emu_box box;
	int32_t tile_x, tile_y; /* first pixel of the tile */
	unsigned next;		/* place in the order of quads */
	unsigned first, step;	/* of that order: the first quad, an odd step */
};

/* The quads of a thread; those that are not there have the mask 0. */
struct emu_quads {
	unsigned n;
	int32_t x[EMU_QUADS], y[EMU_QUADS];
	uint8_t mask[EMU_LANES]; /* samples, 4 bits */
};

/* Twice the area of the triangle of three corners; the sign is their order's. */
int64_t
emu_twice_area(const struct emu_corner *c);

/*
 * Prepare a triangle, whose corners are put into order, and shrink the box to
 * it; false if it covers nothing of the box.  Box, tile and order of the
 * raster are set.
 */
bool
emu_raster_begin(struct emu_raster *raster, struct emu_triangle *triangle);

/* The next quads that are covered; false at the end. */
bool
emu_raster_next(struct emu_raster *raster, struct emu_quads *quads);

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(unsigned x, unsigned y, unsigned sample)
{
	return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + (y & 1) * 2 +
	       (x & 1);
}

#endif
