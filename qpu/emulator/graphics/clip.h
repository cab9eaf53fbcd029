/* SPDX-License-Identifier: MIT */
/*
 * clip: triangles against the volume that can be drawn, as the binner does it
 * before it looks for tiles (the guide, section 5, primitive tile binner).
 */
#ifndef QPU_EMULATOR_GRAPHICS_CLIP_H
#define QPU_EMULATOR_GRAPHICS_CLIP_H

#include <stdbool.h>

enum {
	EMU_CLIP_PLANES = 7,
	EMU_CLIP_CORNERS = 3 + EMU_CLIP_PLANES,
};

/* A position before the division by W, and the weights of the corners of the
 * whole triangle that it has. */
struct emu_clip_corner {
	float position[4]; /* x, y, z, w */
	float weight[3];
};

struct emu_clip_polygon {
	unsigned n;
	struct emu_clip_corner corner[EMU_CLIP_CORNERS];
};

/* Are all corners beyond one side of what can be seen, -W <= X, Y <= W? */
bool
emu_clip_rejects(const float positions[3][4]);

/*
 * The part of a triangle with -W <= Z <= W and -g W <= X, Y <= g W, where g is
 * the width of the guard band.  No W is 0 or less, since the eye is there.  Less
 * than three corners: nothing is left.
 */
void
emu_clip(const float positions[3][4], const float guard[2],
	 struct emu_clip_polygon *polygon);

#endif
