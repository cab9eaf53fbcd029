/* SPDX-License-Identifier: MIT */
/*
 * tile: the tile buffer, and what stores it in memory.
 *
 * It holds the colours of one tile: 32 x 32 pixels of four samples.  Stores of
 * the render list are full dumps: all words, in the order of
 * qpu/ways/way.h.  They are put into a queue; each takes its turn when all fragment threads that were started
 * before it have ended, while threads of the next tile may run already (the
 * guide, section 8: "the change from one tile to the next is pipelined").
 */
#ifndef QPU_EMULATOR_GRAPHICS_TILE_H
#define QPU_EMULATOR_GRAPHICS_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	EMU_SAMPLES = 4,
	EMU_TILE_SIDE = 32, /* pixels */
	EMU_TILE_WORDS = EMU_TILE_SIDE * EMU_TILE_SIDE * EMU_SAMPLES,
	EMU_TILE_OPS = 16,
};

/* A full dump, or nothing; then it may clear, and end the frame. */
struct emu_tile_op {
	bool dumps, clears, end_of_frame;
	uint32_t addr;	 /* of the dump */
	uint32_t packet; /* where the list asks for it */
	uint32_t clear;
	unsigned serial; /* of the tile */
};

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(unsigned x, unsigned y, unsigned sample)
{
	return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + (y & 1) * 2 +
	       (x & 1);
}

#endif
