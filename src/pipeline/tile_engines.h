/* SPDX-License-Identifier: MIT */
/*
 * tile_engines: the engines that use the QPUs through the kernel's driver vc4:
 * that of this machine, and an emulated one.
 */
#ifndef SRC_PIPELINE_TILE_ENGINES_H
#define SRC_PIPELINE_TILE_ENGINES_H

#include "src/base/engine.h"
#include "src/pipeline/engines.h"

extern const struct engine engine_drm;
extern const struct engine engine_emulated_tiles;

enum engine_prospect
prospect_of_drm(void);

#endif
