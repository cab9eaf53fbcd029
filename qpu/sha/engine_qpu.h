/* SPDX-License-Identifier: MIT */
/*
 * engine_qpu: batches on the QPUs of a device, one batch each.
 */
#ifndef QPU_ENGINE_ENGINE_QPU_H
#define QPU_ENGINE_ENGINE_QPU_H

#include "src/base/engine.h"

/* On the VideoCore IV of a Raspberry Pi. */
extern const struct engine engine_qpu;

/* On an emulated VideoCore IV. */
extern const struct engine engine_emulator;

#endif
