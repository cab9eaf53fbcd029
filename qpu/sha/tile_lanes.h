/* SPDX-License-Identifier: MIT */
/*
 * tile_lanes: what the pixels of a tile find when they start (struct
 * pair_lane), and whether what they leave are the results of this job.
 */
#ifndef QPU_TILES_TILE_LANES_H
#define QPU_TILES_TILE_LANES_H

#include "qpu/sha/tile_launch.h"

/* Bytes of the rows of a tile. */
enum { TILE_LANES_BYTES = TILE_PIXELS * TILE_PIXELS * 32 };

/* Writes the rows of a tile of the plan, in their order; batches have the
 * states from which pieces go on. */
void
tile_lanes_write(const struct tile_launch *, const struct plan_tile *,
		 const struct batch *batches, uint8_t *to);

/*
 * Copies the results of a tile, of a job with these patterns, checks the copy,
 * and keeps the states of its pieces.  A word that looks like a pattern may be
 * a result: the reference says which.
 */
enum tile_verdict
tile_lanes_read(struct tile_launch *, const struct plan_tile *,
		const struct batch *batches, const uint8_t *results,
		const uint32_t patterns[2]);

#endif
