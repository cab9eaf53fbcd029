/* SPDX-License-Identifier: MIT */
/*
 * The engine that uses what this CPU is best at, for as many lanes as are
 * occupied.  Its option words hide CPU features; see features.h.
 */
#ifndef CPU_ENGINE_CPU_H
#define CPU_ENGINE_CPU_H

#include "src/base/engine.h"

extern const struct engine engine_cpu;

#endif
