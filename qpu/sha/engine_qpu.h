/* SPDX-License-Identifier: MIT */
/*
 * engine_qpu: lanes on the QPUs of a device.
 *
 * The four engines are one: they differ in their launcher and way, which are their
 * context.
 */
#ifndef QPU_SHA_ENGINE_QPU_H
#define QPU_SHA_ENGINE_QPU_H

#include "src/base/engine.h"

struct launcher;
struct way;

struct engine_qpu_context {
	const struct launcher *launcher;
	const struct way *way; /* of the launcher's kind */
};

/* On the VideoCore IV of a Raspberry Pi: by the firmware, and by the kernel's
 * driver vc4. */
extern const struct engine engine_qpu;
extern const struct engine engine_drm;

/* The same, emulated. */
extern const struct engine engine_emulator;
extern const struct engine engine_emulated_tiles;

#endif
