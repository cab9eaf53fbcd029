/* SPDX-License-Identifier: MIT */
/*
 * tile_answers: questions about programs that run for the pixels of a tile, one
 * line of text each.  A program leaves four samples of each pixel; an answer
 * says what they are.
 */
#ifndef QPU_CHECK_TILE_ANSWERS_H
#define QPU_CHECK_TILE_ANSWERS_H

#include <stdio.h>

#include "qpu/check/tile_rig.h"

/* Verdicts go to `report`, the words of the first pixels to `raw`.  False when
 * the device failed. */
bool
tile_answers_print(struct tile_rig *, FILE *report, FILE *raw);

/* Which pixels share a thread, and which QPUs run them. */
bool
tile_threads_print(struct tile_rig *, FILE *report, FILE *raw);

#endif
