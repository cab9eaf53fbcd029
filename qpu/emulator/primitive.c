/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/primitive.h"

#include <string.h>

static float
shaded_float(const struct emu_batch *batch, unsigned row, unsigned lane)
{
	const uint32_t word = batch->out.row[row][lane];
	float value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

/* Position and varyings of a vertex; `more` is the row of the first varying. */
static void
plain_corner(const struct emu_render *render, unsigned lane, unsigned more,
	     unsigned skip, struct emu_corner *corner)
{
	const struct emu_state *state = &render->state;
	const uint32_t xy = render->batch.out.row[EMU_ROW_XY][lane];

	corner->x = (int16_t)(xy & 0xffff) +
		    (int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, 0);
	corner->y = (int16_t)(xy >> 16) +
		    (int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, 1);
	corner->z = shaded_float(&render->batch, EMU_ROW_Z, lane);
	corner->w = shaded_float(&render->batch, EMU_ROW_W, lane);
	for (unsigned i = 0;
	     i < render->record.varyings && skip + i < EMU_VARYINGS; i++)
		corner->varying[skip + i] =
			shaded_float(&render->batch, more + i, lane);
}

static void
clipped_corner(const struct emu_render *render,
	       const struct emu_clipped_corner *from,
	       const struct emu_corner *whole, struct emu_corner *corner)
{
	const struct emu_state *state = &render->state;

	corner->x =
		from->x + (int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, 0);
	corner->y =
		from->y + (int16_t)emu_state_half(state, EMU_STATE_VIEWPORT, 1);
	corner->z = from->z;
	corner->w = from->w;
	for (unsigned i = 0; i < render->record.varyings; i++) {
		corner->varying[i] = 0;
		for (unsigned k = 0; k < 3; k++)
			corner->varying[i] +=
				from->weight[k] * whole[k].varying[i];
	}
}

static unsigned
more_row(const struct emu_render *render)
{
	return EMU_ROW_MORE + render->record.point_size;
}

/* Two triangles between four corners in the order of a strip. */
static void
make_square(struct emu_render *render, const struct emu_corner corner[4],
	    unsigned varyings)
{
	for (unsigned i = 0; i < 2; i++) {
		struct emu_triangle *triangle = &render->triangle[i];

		memcpy(triangle->corner, corner + i, sizeof(triangle->corner));
		memcpy(triangle->flat, corner[2].varying,
		       sizeof(triangle->flat));
		triangle->varyings = varyings;
	}
	render->triangles = 2;
}

static int32_t
half_size(float size)
{
	return size > 0 && size < 1024 ? (int32_t)(size * (EMU_PIXEL / 2)) : 0;
}

/* A point is a square; its first two varyings are the place in it. */
static void
make_point(struct emu_render *render, const struct emu_primitive *primitive)
{
	const unsigned lane = primitive->lane[0];
	const float size =
		render->record.point_size ?
			shaded_float(&render->batch, EMU_ROW_MORE, lane) :
			emu_state_float(&render->state, EMU_STATE_POINT_SIZE,
					0);
	const int32_t half = half_size(size);
	struct emu_corner corner[4];

	for (unsigned i = 0; i < 4; i++) {
		plain_corner(render, lane, more_row(render), 2, &corner[i]);
		corner[i].x += i & 1 ? half : -half;
		corner[i].y += i & 2 ? half : -half;
		corner[i].varying[0] = i & 1;
		corner[i].varying[1] = i >> 1;
	}
	make_square(render, corner, render->record.varyings + 2);
}

/* A line is as wide in the direction that it goes less; its first varying is
 * the place across it. */
static void
make_line(struct emu_render *render, const struct emu_primitive *primitive)
{
	const int32_t half = half_size(
		emu_state_float(&render->state, EMU_STATE_LINE_WIDTH, 0));
	struct emu_corner corner[4];
	int32_t across, down;

	for (unsigned i = 0; i < 4; i++)
		plain_corner(render, primitive->lane[i / 2], more_row(render),
			     1, &corner[i]);
	across = corner[2].x - corner[0].x;
	down = corner[2].y - corner[0].y;
	for (unsigned i = 0; i < 4; i++) {
		const int32_t move = i & 1 ? half : -half;

		if (across * (int64_t)across > down * (int64_t)down)
			corner[i].y += move;
		else
			corner[i].x += move;
		corner[i].varying[0] = i & 1;
	}
	make_square(render, corner, render->record.varyings + 1);
}

static void
make_triangle(struct emu_render *render, const struct emu_primitive *primitive)
{
	struct emu_triangle *triangle = &render->triangle[0];
	struct emu_corner whole[3];

	for (unsigned i = 0; i < 3; i++)
		plain_corner(render, primitive->lane[i], more_row(render), 0,
			     &whole[i]);
	memcpy(triangle->corner, whole, sizeof(whole));
	for (unsigned i = 0; i < 3 && primitive->clipped; i++)
		clipped_corner(render, &primitive->corner[i], whole,
			       &triangle->corner[i]);
	/* Clipping makes new corners, but no new flat varyings. */
	memcpy(triangle->flat, whole[2].varying, sizeof(triangle->flat));
	triangle->varyings = render->record.varyings;
	render->triangles = 1;
}

void
emu_primitive_triangles(struct emu_render *render,
			const struct emu_primitive *primitive)
{
	if (primitive->corners == 1)
		make_point(render, primitive);
	else if (primitive->corners == 2)
		make_line(render, primitive);
	else
		make_triangle(render, primitive);
}
