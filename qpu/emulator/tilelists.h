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

/* Put the primitives that wait into the lists of their tiles. */
enum emu_progress
emu_tile_lists_put(struct machine *machine);

/* All lists end with a return. */
enum emu_progress
emu_tile_lists_end(struct machine *machine);

#endif
