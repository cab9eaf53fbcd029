/* SPDX-License-Identifier: MIT */
/*
 * tiles_stage: how many blocks of each piece are hashed at a time.
 *
 * Where most threads are long and there are few of them, QPUs that take one
 * more than others would keep all waiting.  So a first stage has threads of one
 * length, as many for each QPU: the longest pieces, cut to the shortest of
 * these.  A later stage hashes what is left, in threads made anew from the
 * states of the first.
 *
 *	one stage	QPU 0 |----------------|---------|
 *			QPU 1 |--------------|
 *	two stages	QPU 0 |---------|---|--
 *			QPU 1 |---------|----|-
 */
#ifndef QPU_SHA_TILES_STAGE_H
#define QPU_SHA_TILES_STAGE_H

#include <stdint.h>

#include "qpu/sha/piece.h"

/* Set `now` of n pieces, those of the next stage, to blocks that are left.
 * Returns how many pieces have some; 0: all are hashed.  None has more than
 * `most`, so that a job can be short. */
unsigned
tiles_stage_choose(struct piece *, unsigned n, unsigned qpus, uint32_t most);

#endif
