/* SPDX-License-Identifier: MIT */
/*
 * primitive: points, lines and triangles, from shaded vertices to triangles
 * that can be drawn.
 */
#ifndef QPU_EMULATOR_PRIMITIVE_H
#define QPU_EMULATOR_PRIMITIVE_H

#include "qpu/emulator/render.h"

/* Make the one or two triangles of a primitive, render->triangle. */
void
emu_primitive_triangles(struct emu_render *render,
			const struct emu_primitive *primitive);

#endif
