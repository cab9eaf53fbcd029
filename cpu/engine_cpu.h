/* SPDX-License-Identifier: MIT */
/*
 * engine_cpu: the engine that runs the best kernel of this CPU for the occupied
 * lanes.  Its options hide CPU features; see features.h.
 */
#ifndef CPU_ENGINE_CPU_H
#define CPU_ENGINE_CPU_H

#include "src/base/engine.h"

extern const struct engine engine_cpu;

#endif
