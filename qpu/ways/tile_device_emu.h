/* SPDX-License-Identifier: MIT */
/*
 * tile_device_emu: an emulated VideoCore IV as a tile device: the driver of a
 * real one (qpu/ways) on a model of the kernel's driver (qpu/vc4) in this
 * process.  Its times are modelled.
 */
#ifndef QPU_ENGINE_TILE_DEVICE_EMU_H
#define QPU_ENGINE_TILE_DEVICE_EMU_H

#include "src/base/option.h"

struct tile_device;

extern const struct tile_device device_tiles_emulated;

/* The words that it is opened with: "tiles", which chooses it among emulated
 * devices, and most of those of emulated_options.h. */
extern const struct option_row tiles_emulated_option_rows[];

#endif
