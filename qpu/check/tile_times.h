/* SPDX-License-Identifier: MIT */
/*
 * tile_times: how long things take on a tile device: threads side by side,
 * tiles one after the other, jobs that do nothing, lookups, and memory.  What a
 * job of known length takes shows the clock.
 */
#ifndef QPU_CHECK_TILE_TIMES_H
#define QPU_CHECK_TILE_TIMES_H

#include <stdio.h>

#include "qpu/check/tile_rig.h"

/* False when the device failed. */
bool
tile_times_print(struct tile_rig *, bool quick, FILE *report);

/*
 * The kernel looks once a second whether a job goes on, and resets the GPU if
 * not.  Longer and longer jobs find the shortest one that it takes for a hang;
 * the first reset ends this, so it is the last question.
 */
bool
tile_times_print_hang(struct tile_rig *, bool quick, FILE *report);

#endif
