/* SPDX-License-Identifier: MIT */
/*
 * tile_times: how long things take on a tile device: threads side by side,
 * tiles one after the other, jobs that do nothing, memory, and another program's job
 * beside ours.  What a job of known length takes shows the clock.
 */
#ifndef QPU_CHECK_TILE_TIMES_H
#define QPU_CHECK_TILE_TIMES_H

#include <stdio.h>

#include "qpu/check/tile_rig.h"

/* `words` open the device once more, as another program would.  False when the
 * device failed. */
bool
tile_times_print(struct tile_rig *, const char *words, bool quick,
		 FILE *report);

#endif
