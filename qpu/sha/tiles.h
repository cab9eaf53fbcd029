/* SPDX-License-Identifier: MIT */
/*
 * tiles: launches of fragment shaders, in which two pixels share a message and
 * eight messages a thread.  Its devices are struct tile_device.
 */
#ifndef QPU_SHA_TILES_H
#define QPU_SHA_TILES_H

#include "qpu/sha/launcher.h"

enum { TILES_MB = 310 };

extern const struct launcher launcher_tiles;

#endif
