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
	return (int64_t)(c[1].at[0] - c[0].at[0]) * (c[2].at[1] - c[0].at[1]) -
	       (int64_t)(c[1].at[1] - c[0].at[1]) * (c[2].at[0] - c[0].at[0]);
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
	for (unsigned i = 0; i < 2; i++) {
		const int32_t a = c[0].at[i], b = c[1].at[i], d = c[2].at[i];

		/* A division would round negative positions up. */
		box->low[i] = greatest(box->low[i], least(a, least(b, d)) >> 4);
		box->high[i] = least(box->high[i],
				     (greatest(a, greatest(b, d)) >> 4) + 1);
	}
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

		raster->a[i] = -(int64_t)(to->at[1] - from->at[1]);
		raster->b[i] = to->at[0] - from->at[0];
		raster->c[i] = -(raster->a[i] * from->at[0] +
				 raster->b[i] * from->at[1]);
	}
	raster->next = 0;
	return raster->box.low[0] < raster->box.high[0] &&
	       raster->box.low[1] < raster->box.high[1];
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

	if (x < box->low[0] || x >= box->high[0] || y < box->low[1] ||
	    y >= box->high[1])
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
		const int32_t x = raster->tile[0] + 4 * (quad / 4 % ACROSS) +
				  2 * (quad & 1);
		const int32_t y =
			raster->tile[1] + 4 * (quad / 4 / ACROSS) + (quad & 2);

		/* This spares most quads of a small triangle the edges. */
		if (x + 1 >= box->low[0] && x < box->high[0] &&
		    y + 1 >= box->low[1] && y < box->high[1])
			add_quad(raster, x, y, quads);
	}
	return quads->n;
}
