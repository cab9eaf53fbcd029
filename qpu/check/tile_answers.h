/* SPDX-License-Identifier: MIT */
/*
 * tile_answers: what programs that run for the pixels of a tile leave in four
 * samples of each pixel, which pixels share a thread, and on which QPUs they
 * are.
 */
#ifndef QPU_CHECK_TILE_ANSWERS_H
#define QPU_CHECK_TILE_ANSWERS_H

#include <stdio.h>

#include "qpu/check/tile_rig.h"

/* False when the device failed. */
bool
tile_answers_print(struct tile_rig *, FILE *report);

#endif
