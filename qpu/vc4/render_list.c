/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/vc4_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/packet.h"

enum {
	IMAGE_MOST = 4096, /* pixels of a side */
	/* Bits of a rendering mode. */
	MODE_FORMAT = 0x0c,
	MODE_RGBA8888 = 0x04,
	MODE_TILING = 0xc0,
	MODE_MASK = 0x00dd, /* with 4x samples and decimation */
	/* Low bits of the address of a full-resolution store. */
	FULL_NO_ZS = 2,
	FULL_NO_CLEAR = 4,
	/* ... and of any store. */
	END_OF_FRAME = 8,
	/* These bits belong to a general store. */
	STORE_NOTHING = 0,
	/* Packets of one tile, with all surfaces. */
	TILE_BYTES_MOST = 32,
	HEAD_BYTES = 64,
	/* All samples of a tile. */
	TILE_SAMPLE_BYTES = 32 * 32 * 4 * 4
};

/* The buffers of a job's surfaces; NULL: there is none. */
struct surfaces {
	struct vc4_buffer *color, *samples;
};

/* ---- surfaces ---- */

/* Tiles of the job's width. */
static uint32_t
tiles_across(const struct vc4_submit_cl *args)
{
	return (args->width + 31u) / 32;
}

/* The surface's buffer; false if it is not valid.  NULL: no surface. */
static bool
look_up(struct vc4_job *job, const struct vc4_surface *surface,
	struct vc4_buffer **buffer)
{
	if (surface->hindex == VC4_NO_SURFACE)
		return true;
	*buffer = job_buffer(job, surface->hindex);
	if (*buffer)
		job->writes[job->nwrites++] = *buffer;
	return *buffer;
}

/* As the kernel has it, the last tile may lie after the buffer. */
static bool
samples_fit(const struct vc4_job *job, const struct vc4_buffer *buffer,
	    uint32_t offset)
{
	const struct vc4_submit_cl *args = job->args;

	return offset <= buffer->pages.bytes &&
	       (buffer->pages.bytes - offset) / TILE_SAMPLE_BYTES >=
		       tiles_across(args) * args->max_y_tile + args->max_x_tile;
}

static bool
check_samples(struct vc4_job *job, const struct vc4_surface *surface,
	      struct vc4_buffer **buffer)
{
	if (surface->flags || surface->bits || !look_up(job, surface, buffer))
		return false;
	return !*buffer || (surface->offset % 16 == 0 &&
			    samples_fit(job, *buffer, surface->offset));
}

/* The image of the rendering mode: RGBA8888 by rows (vc4_check_tex_size). */
static bool
check_image(struct vc4_job *job, const struct vc4_surface *surface,
	    struct vc4_buffer **buffer)
{
	const struct vc4_submit_cl *args = job->args;
	const uint32_t bytes = (args->width + 3u) / 4 * 16 * args->height;

	if (surface->flags || surface->bits & ~MODE_MASK ||
	    !look_up(job, surface, buffer))
		return false;
	return !*buffer ||
	       ((surface->bits & MODE_FORMAT) == MODE_RGBA8888 &&
		!(surface->bits & MODE_TILING) && args->width <= IMAGE_MOST &&
		args->height <= IMAGE_MOST &&
		bytes + surface->offset >= bytes &&
		bytes + surface->offset <= (*buffer)->pages.bytes);
}

/* Loads, and stores of depth, are not modelled. */
static bool
is_absent(const struct vc4_surface *surface)
{
	return surface->hindex == VC4_NO_SURFACE &&
	       !(surface->flags & ~VC4_SURFACE_IS_FULL_RES);
}

/* 0 or -EINVAL; adds those that are written to job->writes. */
static int
check_surfaces(struct vc4_job *job, struct surfaces *surfaces)
{
	const struct vc4_submit_cl *args = job->args;

	if (!check_image(job, &args->color_write, &surfaces->color) ||
	    !is_absent(&args->color_read) || !is_absent(&args->zs_read) ||
	    !is_absent(&args->zs_write) || !is_absent(&args->msaa_zs_write) ||
	    !check_samples(job, &args->msaa_color_write, &surfaces->samples))
		return -EINVAL;
	return job->nwrites ? 0 : -EINVAL;
}

/* ---- the list ---- */

struct writing {
	const struct vc4_submit_cl *args;
	const struct vc4_job *job;
	struct surfaces surfaces;
	uint8_t *start, *to;
};

/* Where a tile is in the order of the list. */
struct place {
	uint8_t x, y;
	bool first, last;
	bool skipped;	/* by a fault: it is cleared and not stored */
	bool not_drawn; /* by a fault */
};

static void
put(struct writing *writing, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*writing->to++ = (uint8_t)(value >> 8 * i);
}

static void
put_coordinates(struct writing *writing, unsigned x, unsigned y)
{
	put(writing, PACKET_TILE_COORDINATES, 1);
	put(writing, x, 1);
	put(writing, y, 1);
}

static void
put_nothing(struct writing *writing, uint32_t end)
{
	put(writing, PACKET_STORE_GENERAL, 1);
	put(writing, STORE_NOTHING, 2);
	put(writing, end, 4);
}

static uint32_t
surface_address(const struct vc4_buffer *buffer,
		const struct vc4_surface *surface)
{
	return job_address(&buffer->pages) + surface->offset;
}

/* All samples of a tile, which lie at an address of their own. */
static void
put_full(struct writing *writing, const struct vc4_buffer *buffer,
	 const struct vc4_surface *surface, const struct place *at,
	 unsigned bits)
{
	const uint32_t tile = tiles_across(writing->args) * at->y + at->x;

	put(writing, PACKET_STORE_FULL, 1);
	put(writing,
	    (surface_address(buffer, surface) + TILE_SAMPLE_BYTES * tile) |
		    bits,
	    4);
}

/* Only the last store of a tile clears the tile buffer, only that of the last
 * tile ends the frame.  Coordinates come before each store. */
static void
put_stores(struct writing *writing, const struct place *at)
{
	const struct vc4_submit_cl *args = writing->args;
	const struct surfaces *of = &writing->surfaces;
	const uint32_t end = at->last ? END_OF_FRAME : 0;

	if (of->samples)
		put_full(writing, of->samples, &args->msaa_color_write, at,
			 FULL_NO_ZS | (of->color ? FULL_NO_CLEAR : end));
	if (of->color) {
		if (of->samples)
			put_coordinates(writing, at->x, at->y);
		put(writing,
		    at->last ? PACKET_STORE_RESOLVED_END :
			       PACKET_STORE_RESOLVED,
		    1);
	}
}

static void
put_tile(struct writing *writing, const struct place *at)
{
	const struct vc4_job *job = writing->job;
	const bool binned = writing->args->bin_cl_size != 0;

	put_coordinates(writing, at->x, at->y);
	if (at->first && binned)
		put(writing, PACKET_WAIT_ON_SEMAPHORE, 1);
	if (binned && !at->not_drawn) {
		put(writing, PACKET_BRANCH_TO_SUB_LIST, 1);
		put(writing,
		    job->tile_alloc + 32u * (at->y * job->bin_tiles_x + at->x),
		    4);
	}
	if (at->skipped)
		put_nothing(writing, at->last ? END_OF_FRAME : 0);
	else
		put_stores(writing, at);
}

/* The mode, after the clear colours; storing nothing makes them valid. */
static void
put_head(struct writing *writing)
{
	const struct vc4_submit_cl *args = writing->args;
	const struct vc4_buffer *color = writing->surfaces.color;

	if (args->flags & VC4_USE_CLEAR_COLOR) {
		put(writing, PACKET_CLEAR_COLORS, 1);
		put(writing, args->clear_color[0], 4);
		put(writing, args->clear_color[1], 4);
		put(writing, args->clear_z, 4);
		put(writing, args->clear_s, 1);
		put_coordinates(writing, 0, 0);
		put_nothing(writing, 0);
	}
	put(writing, PACKET_RENDERING_MODE, 1);
	put(writing, color ? surface_address(color, &args->color_write) : 0, 4);
	put(writing, args->width, 2);
	put(writing, args->height, 2);
	put(writing, args->color_write.bits, 2);
}

static void
put_tiles(struct writing *writing, const struct vc4 *vc4)
{
	const struct vc4_submit_cl *args = writing->args;
	/* The kernel takes 256 tiles for none. */
	const uint8_t across =
		(uint8_t)(args->max_x_tile - args->min_x_tile + 1);
	const uint8_t down = (uint8_t)(args->max_y_tile - args->min_y_tile + 1);
	const unsigned n = (unsigned)across * down;
	const bool fixed = args->flags & VC4_FIXED_RCL_ORDER;
	const bool left = fixed && !(args->flags & VC4_INCREASING_X);
	const bool up = fixed && !(args->flags & VC4_INCREASING_Y);
	const uint64_t number = vc4->emitted + 1;
	const bool cut = fault_strikes(vc4, VC4_RESET, number);

	for (unsigned i = 0; i < n; i++) {
		const unsigned x = i % across, y = i / across;
		const struct place at = {
			.x = (uint8_t)(left ? args->max_x_tile - x :
					      args->min_x_tile + x),
			.y = (uint8_t)(up ? args->max_y_tile - y :
					    args->min_y_tile + y),
			.first = i == 0,
			.last = i == n - 1,
			.skipped = i == 0 &&
				   fault_strikes(vc4, VC4_TILE_LOST, number),
			.not_drawn = i == 0 &&
				     fault_strikes(vc4, VC4_CLEAR_LEFT, number)
		};

		/* A job that is reset in the middle never gets to the rest. */
		if (cut && i >= n / 2)
			return;
		put_tile(writing, &at);
	}
}

static bool
tiles_are_valid(const struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;

	if (args->min_x_tile > args->max_x_tile ||
	    args->min_y_tile > args->max_y_tile)
		return false;
	/* As the kernel has it, one more than there are passes. */
	return args->bin_cl_size == 0 ||
	       (args->max_x_tile <= job->bin_tiles_x &&
		args->max_y_tile <= job->bin_tiles_y);
}

/* For VC4_EXCHANGED: the first quad of the first tile. */
static void
remember_pixels(const struct vc4 *vc4, struct vc4_job *job,
		const struct surfaces *surfaces)
{
	const struct vc4_submit_cl *args = job->args;

	if (surfaces->samples &&
	    fault_strikes(vc4, VC4_EXCHANGED, vc4->emitted + 1))
		job->exchanged = surface_address(surfaces->samples,
						 &args->msaa_color_write) +
				 TILE_SAMPLE_BYTES * (tiles_across(args) *
							      args->min_y_tile +
						      args->min_x_tile);
}

int
render_list_make(struct vc4 *vc4, struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	struct writing writing = { .args = args, .job = job };
	uint32_t room, bytes;
	int error;

	if (!tiles_are_valid(job))
		return -EINVAL;
	error = check_surfaces(job, &writing.surfaces);
	if (error)
		return error;
	remember_pixels(vc4, job, &writing.surfaces);
	room = HEAD_BYTES + TILE_BYTES_MOST *
				    (args->max_x_tile - args->min_x_tile + 1u) *
				    (args->max_y_tile - args->min_y_tile + 1u);
	writing.start = writing.to = malloc(room);
	if (!writing.start)
		return -ENOMEM;
	put_head(&writing);
	put_tiles(&writing, vc4);
	bytes = (uint32_t)(writing.to - writing.start);
	error = buffer_take_pages(vc4,
				  (bytes + VC4_PAGE - 1) / VC4_PAGE * VC4_PAGE,
				  &job->render);
	if (!error) {
		memcpy(job->render.host, writing.start, bytes);
		job->render_start = job_address(&job->render);
		job->render_end = job->render_start + bytes;
	}
	free(writing.start);
	return error;
}
