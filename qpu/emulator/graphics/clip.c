/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/clip.h"

#include <string.h>

/* A corner this near to the eye would be divided by almost nothing. */
static const float LEAST_W = 1e-6f;

bool
emu_clip_rejects(const float positions[3][4])
{
	for (unsigned side = 0; side < 4; side++) {
		const float sign = side & 1 ? -1 : 1;
		bool outside = true;

		for (unsigned i = 0; i < 3; i++)
			outside &= sign * positions[i][side / 2] >
				   positions[i][3];
		if (outside)
			return true;
	}
	return false;
}

/* How far inside of a plane a position is. */
static float
inside(unsigned plane, const float guard[2], const float *position)
{
	const float sign = plane & 1 ? -1 : 1;

	if (plane < 4)
		return guard[plane / 2] * position[3] -
		       sign * position[plane / 2];
	return plane < 6 ? position[3] - sign * position[2] :
			   position[3] - LEAST_W;
}

static void
add_between(struct emu_clip_polygon *to, const struct emu_clip_corner *a,
	    const struct emu_clip_corner *b, float of_b)
{
	struct emu_clip_corner *corner = &to->corner[to->n];

	if (to->n == EMU_CLIP_CORNERS)
		return;
	to->n++;
	for (unsigned i = 0; i < 4; i++)
		corner->position[i] = a->position[i] +
				      (b->position[i] - a->position[i]) * of_b;
	for (unsigned i = 0; i < 3; i++)
		corner->weight[i] =
			a->weight[i] + (b->weight[i] - a->weight[i]) * of_b;
}

static void
clip_plane(struct emu_clip_polygon *polygon, unsigned plane,
	   const float guard[2])
{
	const struct emu_clip_polygon from = *polygon;

	polygon->n = 0;
	for (unsigned i = 0; i < from.n; i++) {
		const struct emu_clip_corner *a = &from.corner[i];
		const struct emu_clip_corner *b =
			&from.corner[(i + 1) % from.n];
		const float at_a = inside(plane, guard, a->position);
		const float at_b = inside(plane, guard, b->position);

		if (at_a >= 0)
			add_between(polygon, a, b, 0);
		if ((at_a >= 0) != (at_b >= 0))
			add_between(polygon, a, b, at_a / (at_a - at_b));
	}
}

void
emu_clip(const float positions[3][4], const float guard[2],
	 struct emu_clip_polygon *polygon)
{
	*polygon = (struct emu_clip_polygon){ .n = 3 };
	for (unsigned i = 0; i < 3; i++) {
		memcpy(polygon->corner[i].position, positions[i],
		       sizeof(positions[i]));
		polygon->corner[i].weight[i] = 1;
	}
	for (unsigned plane = 0; plane < EMU_CLIP_PLANES && polygon->n; plane++)
		clip_plane(polygon, plane, guard);
}
