/* SPDX-License-Identifier: MIT */
/* tiles_plan: which messages share a thread. */
#include "config.h"

#include "qpu/sha/tiles_plan.h"

#include <string.h>

enum { NONE = UINT16_MAX, LOWER = 2, ELEMENTS = 16 };

/* Return true if a pixel's words name its place, and its element is the right
 * one of a quad. */
static bool
is_in_place(const uint32_t *word, unsigned x, unsigned y)
{
	const uint32_t element = word[1 * TILE_SAMPLES];

	return word[3 * TILE_SAMPLES] == (x | y << 16) && element < ELEMENTS &&
	       element % 4 == (x & 1) + 2 * (y & 1);
}

static bool
are_in_place(const uint32_t *tile, unsigned number, unsigned rows)
{
	for (unsigned pair = 0; pair < rows * SHAPE_ROW_PAIRS; pair++) {
		const uint32_t *word = tile + shape_word(pair, 0);
		const unsigned x = pair % SHAPE_ROW_PAIRS;
		const unsigned y =
			pair / SHAPE_ROW_PAIRS * 2 + number * TILE_PIXELS;

		if (!is_in_place(word, x, y) ||
		    !is_in_place(word + LOWER, x, y + 1))
			return false;
	}
	return true;
}

/* Pairs whose element 0 is the same are one thread; threads are in the order of
 * their first pairs. */
static void
order_pairs(const uint32_t *tile, unsigned rows, uint16_t *places)
{
	const unsigned n = rows * SHAPE_ROW_PAIRS;
	unsigned place = 0;

	memset(places, 0xff, n * sizeof(*places));
	for (unsigned first = 0; first < n; first++) {
		const uint32_t thread = tile[shape_word(first, 2)];

		if (places[first] != NONE)
			continue;
		for (unsigned pair = first; pair < n; pair++)
			if (tile[shape_word(pair, 2)] == thread &&
			    places[pair] == NONE)
				places[pair] = (uint16_t)place++;
	}
}

bool
thread_shapes_read(struct thread_shapes *shapes, const uint32_t *results,
		   struct diag *why_not)
{
	uint32_t seen = 0;

	for (unsigned i = 0; i < SHAPE_ROWS; i++) {
		const uint32_t *tile = results + (size_t)i * TILE_BYTES / 4;

		if (!are_in_place(tile, i, i + 1)) {
			diag_set(why_not, "the GPU's test picture is wrong");
			return false;
		}
		order_pairs(tile, i + 1, shapes->places[i]);
		for (unsigned pair = 0; pair < (i + 1) * SHAPE_ROW_PAIRS;
		     pair++)
			seen |= UINT32_C(1) << (tile[shape_word(pair, 0)] & 31);
	}
	shapes->qpus = (unsigned)__builtin_popcount(seen);
	return true;
}
