/* SPDX-License-Identifier: MIT */
/*
 * The reference engine: the readable compression run over the 16 lanes of a
 * batch, one lane after the other.  Every machine has it.
 */
#ifndef CPU_ENGINE_REFERENCE_H
#define CPU_ENGINE_REFERENCE_H

#include "src/base/engine.h"

extern const struct engine engine_reference;

#endif
