/* SPDX-License-Identifier: MIT */
/*
 * tile_result: are the results of a tile those of this job?
 */
#ifndef QPU_TILES_TILE_RESULT_H
#define QPU_TILES_TILE_RESULT_H

#include "qpu/tiles/tile_launch.h"

/*
 * Copy the results of a tile, of a job with these patterns, check the copy, and
 * keep the states of its pieces.  A word that looks like a pattern may be a
 * result: the reference says which.
 */
enum tile_verdict
tile_result_take(struct tile_launch *, const struct plan_tile *,
		 const struct batch *batches, const uint8_t *results,
		 const uint32_t patterns[2]);

#endif
