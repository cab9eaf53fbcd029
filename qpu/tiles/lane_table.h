/* SPDX-License-Identifier: MIT */
/*
 * lane_table: what the pixels of a tile find when they start
 * (struct pair_lane).
 */
#ifndef QPU_TILES_LANE_TABLE_H
#define QPU_TILES_LANE_TABLE_H

#include "qpu/tiles/tile_launch.h"

/* Bytes of the rows of a tile. */
enum { LANE_TABLE_TILE_BYTES = TILE_PIXELS * TILE_PIXELS * 32 };

/* Write the rows of a tile of the plan, in their order; batches have the states
 * from which pieces go on. */
void
lane_table_write(const struct tile_launch *, const struct plan_tile *,
		 const struct batch *batches, uint8_t *to);

/* The slot of the plan that a pair of a tile has. */
static inline const struct plan_slot *
lane_table_slot(const struct tile_launch *launch, const struct plan_tile *tile,
		unsigned pair)
{
	return &launch->plan.slots[tile->first_slot +
				   launch->shapes.places[tile->rows - 1][pair]];
}

/* The state of a slot's known answer before (after = false) or after it. */
void
lane_table_known(const struct tile_launch *, const struct plan_slot *,
		 bool after, uint32_t state[SHA256_STATE_WORDS]);

#endif
