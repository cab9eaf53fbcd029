/* SPDX-License-Identifier: MIT */
/*
 * tilelists: the lists of tiles in memory, which the binner writes (binner.h
 * says what they look like).
 */
#ifndef QPU_EMULATOR_TILELISTS_H
#define QPU_EMULATOR_TILELISTS_H

#include "qpu/emulator/binner.h"

/* Empty lists, an initial block for each tile. */
enum emu_progress
emu_tile_lists_begin(struct machine *machine);

/* Let a triangle wait for all tiles that it may touch. */
void
emu_tile_lists_add(struct emu_binner *binner,
		   const struct emu_bin_vertex corner[EMU_CORNERS]);

/* Put the triangle that waits into the lists of its tiles. */
enum emu_progress
emu_tile_lists_put(struct machine *machine);

/* All lists end with a return. */
enum emu_progress
emu_tile_lists_end(struct machine *machine);

#endif
