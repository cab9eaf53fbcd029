/* SPDX-License-Identifier: MIT */
/*
 * thread_shapes: which messages share a thread.
 *
 * A message has a *pair* of pixels, (x, y) and (x, y + 1) with an even y; a
 * tile has 16 rows of 32 pairs.  A window of a tile is as wide as the tile and
 * some of these rows high.  Eight pairs make a thread; which ones is not
 * documented.  So a program is run in a window of each height (probe.m4), and
 * tells for each pixel the QPU, the element, where the thread's element 0 is,
 * and where it is itself:
 *
 *	sample 0	number of the QPU
 *	sample 1	element
 *	sample 2	x | y << 16 of element 0 of the thread
 *	sample 3	x | y << 16
 *
 * Results are right whatever it tells; messages of like length would only not
 * meet in a thread.
 */
#ifndef QPU_SHA_THREAD_SHAPES_H
#define QPU_SHA_THREAD_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/ways/way.h"
#include "src/base/diag.h"

enum {
	SHAPE_ROWS = TILE_PIXELS / 2, /* of pairs, in a tile */
	SHAPE_ROW_PAIRS = TILE_PIXELS,
	SHAPE_PAIRS = SHAPE_ROWS * SHAPE_ROW_PAIRS,
	THREAD_PAIRS = 8,
	SHAPE_ROW_THREADS = SHAPE_ROW_PAIRS / THREAD_PAIRS
};

struct thread_shapes {
	unsigned qpus; /* that have run threads */
	/* In a window of r rows, [r - 1], the place of a pair in the order of
	 * threads: eight successive places make a thread. */
	uint16_t places[SHAPE_ROWS][SHAPE_PAIRS];
};

/* The word of a pair's sample in the results of a tile: its upper pixel's; that
 * of its lower pixel is two words after it. */
static inline unsigned
shape_word(unsigned pair, unsigned sample)
{
	const unsigned x = pair % SHAPE_ROW_PAIRS;
	const unsigned y = pair / SHAPE_ROW_PAIRS * 2;

	return (unsigned)tile_word(1, x, y, sample);
}

/* From the results of a job of SHAPE_ROWS tiles, one below the other, which
 * have windows of 1, 2, ... rows.  False: pixels are not where they should
 * be. */
bool
thread_shapes_read(struct thread_shapes *, const uint32_t *results,
		   struct diag *why_not);

#endif
