/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

/* The places of samples, from the corner of their pixel. */
static const uint8_t sample_places[EMU_SAMPLES][2] = {
	{ 6, 2 },
	{ 14, 6 },
	{ 2, 10 },
	{ 10, 14 },
};

int64_t
emu_twice_area(const struct emu_corner *c)
{
	return (int64_t)(c[1].x - c[0].x) * (c[2].y - c[0].y) -
	       (int64_t)(c[1].y - c[0].y) * (c[2].x - c[0].x);
}

static int32_t
least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t
greatest(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* The pixels that the triangle may touch, and that are in the box. */
static void
shrink(struct emu_box *box, const struct emu_corner *c)
{
	const int32_t left = least(c[0].x, least(c[1].x, c[2].x));
	const int32_t right = greatest(c[0].x, greatest(c[1].x, c[2].x));
	const int32_t top = least(c[0].y, least(c[1].y, c[2].y));
	const int32_t bottom = greatest(c[0].y, greatest(c[1].y, c[2].y));

	/* A division would round negative positions up. */
	box->x0 = greatest(box->x0, left >> 4);
	box->x1 = least(box->x1, (right >> 4) + 1);
	box->y0 = greatest(box->y0, top >> 4);
	box->y1 = least(box->y1, (bottom >> 4) + 1);
}

bool
emu_raster_begin(struct emu_raster *raster, struct emu_triangle *triangle)
{
	struct emu_corner *corner = triangle->corner;
	const int64_t area = emu_twice_area(corner);

	if (!area)
		return false;
	if (area < 0) {
		const struct emu_corner swapped = corner[1];

		corner[1] = corner[2];
		corner[2] = swapped;
	}
	shrink(&raster->box, corner);
	for (unsigned i = 0; i < 3; i++) {
		const struct emu_corner *from = &corner[(i + 1) % 3];
		const struct emu_corner *to = &corner[(i + 2) % 3];

		raster->a[i] = -(int64_t)(to->y - from->y);
		raster->b[i] = to->x - from->x;
		raster->c[i] =
			-(raster->a[i] * from->x + raster->b[i] * from->y);
	}
	raster->next = 0;
	return raster->box.x0 < raster->box.x1 &&
	       raster->box.y0 < raster->box.y1;
}

static bool
is_inside(const struct emu_raster *raster, int64_t x, int64_t y)
{
	for (unsigned i = 0; i < 3; i++) {
		const int64_t a = raster->a[i], b = raster->b[i];
		const int64_t value = a * x + b * y + raster->c[i];
		const bool is_left_or_top = a > 0 || (a == 0 && b > 0);

		if (value < 0 || (!value && !is_left_or_top))
			return false;
	}
	return true;
}

/* The samples of a pixel that are covered, as bits. */
static unsigned
pixel_mask(const struct emu_raster *raster, int32_t x, int32_t y)
{
	const struct emu_box *box = &raster->box;
	unsigned mask = 0;

	if (x < box->x0 || x >= box->x1 || y < box->y0 || y >= box->y1)
		return 0;
	x *= EMU_PIXEL;
	y *= EMU_PIXEL;
	for (unsigned i = 0; i < EMU_SAMPLES; i++)
		mask |= (unsigned)is_inside(raster, x + sample_places[i][0],
					    y + sample_places[i][1])
			<< i;
	return mask;
}

/* Add a quad if any of its samples is covered. */
static void
add_quad(const struct emu_raster *raster, int32_t x, int32_t y,
	 struct emu_quads *quads)
{
	uint8_t *mask = &quads->mask[4 * quads->n];
	unsigned any = 0;

	for (unsigned i = 0; i < 4; i++) {
		mask[i] = pixel_mask(raster, x + (i & 1), y + (i >> 1));
		any |= mask[i];
	}
	if (!any)
		return;
	quads->x[quads->n] = x;
	quads->y[quads->n++] = y;
}

/* The quads of a tile are asked two by two, and these by rows; with another odd step
 * than 1 in an order that has all of them, too. */
bool
emu_raster_next(struct emu_raster *raster, struct emu_quads *quads)
{
	enum { ACROSS = EMU_TILE_SIDE / 4, ALL = 4 * ACROSS * ACROSS };
	const struct emu_box *box = &raster->box;

	memset(quads, 0, sizeof(*quads));
	while (raster->next < ALL && quads->n < EMU_QUADS) {
		const unsigned place =
			raster->next++ * raster->step + raster->first;
		const int32_t quad = (int32_t)(place % ALL);
		const int32_t x = raster->tile_x + 4 * (quad / 4 % ACROSS) +
				  2 * (quad & 1);
		const int32_t y =
			raster->tile_y + 4 * (quad / 4 / ACROSS) + (quad & 2);

		/* This spares most quads of a small triangle the edges. */
		if (x + 1 >= box->x0 && x < box->x1 && y + 1 >= box->y0 &&
		    y < box->y1)
			add_quad(raster, x, y, quads);
	}
	return quads->n;
}
