/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/render_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/packet.h"
#include "qpu/vc4/fault.h"

enum {
	/* Bits of loads and stores. */
	BUFFER_MASK = 0x0007,
	BUFFER_COLOR = 1,
	BUFFER_ZS = 2,
	TILING_T = 1, /* 0 is by rows, 2 is LT */
	TILING_LT = 2,
	IMAGE_MOST = 4096, /* pixels of a side */
	TILING_SHIFT = 4,
	FORMAT_SHIFT = 8,
	GENERAL_MASK = 0x0337,
	/* Bits of a rendering mode. */
	MODE_FORMAT_SHIFT = 2,
	MODE_TILING_SHIFT = 6,
	MODE_MASK = 0x00dd, /* with 4x samples and decimation */
	/* Low bits of the address of a full-resolution load or store. */
	FULL_NO_COLOR = 1,
	FULL_NO_ZS = 2,
	FULL_NO_CLEAR = 4,
	/* ... and of any store. */
	END_OF_FRAME = 8,
	/* Bits of a general store. */
	STORE_NOTHING = 0,
	KEEP_COLOR = 0x2000,
	KEEP_ALL = 0xe000,
	/* Packets of one tile, with all surfaces. */
	TILE_BYTES_MOST = 80,
	HEAD_BYTES = 64,
	/* All samples of a tile. */
	TILE_SAMPLE_BYTES = 32 * 32 * 4 * 4
};

/* The buffers of a job's surfaces; NULL: there is none. */
struct surfaces {
	struct vc4_buffer *color_read, *color_write, *zs_read, *zs_write;
	struct vc4_buffer *msaa_color_write, *msaa_zs_write;
};

/* ---- surfaces ---- */

/* Tiles of the job's width. */
static uint32_t
tiles_across(const struct vc4_submit_cl *args)
{
	return (args->width + 31u) / 32;
}

/* Bytes of a pixel by format; 0: none. */
static const uint8_t general_bytes[4] = { 4, 2, 2, 0 };
static const uint8_t mode_bytes[4] = { 2, 4, 2, 0 };

/* The surface's buffer; false if it is not valid.  NULL: no surface. */
static bool
look_up(struct vc4_job *job, const struct vc4_surface *surface, bool written,
	struct vc4_buffer **buffer)
{
	if (surface->hindex == VC4_NO_SURFACE)
		return true;
	*buffer = job_buffer(job, surface->hindex);
	if (*buffer && written)
		job->writes[job->nwrites++] = *buffer;
	return *buffer;
}

static uint32_t
round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* An image of 2 or 4 bytes a pixel at an offset (vc4_check_tex_size). */
static bool
image_fits(const struct vc4_buffer *buffer, uint32_t offset, unsigned tiling,
	   uint32_t width, uint32_t height, unsigned bytes)
{
	const uint32_t across = tiling == TILING_T ? 8 : 1;
	const uint32_t row = round_up(width, (bytes == 2 ? 8 : 4) * across);
	uint32_t size;

	if (width > IMAGE_MOST || height > IMAGE_MOST || tiling > TILING_LT)
		return false;
	size = row * bytes * (tiling ? round_up(height, 4 * across) : height);
	return size + offset >= size && size + offset <= buffer->pages.bytes;
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
	if (surface->flags || surface->bits ||
	    !look_up(job, surface, true, buffer))
		return false;
	return !*buffer || (surface->offset % 16 == 0 &&
			    samples_fit(job, *buffer, surface->offset));
}

static bool
check_mode(struct vc4_job *job, const struct vc4_surface *surface,
	   struct vc4_buffer **buffer)
{
	const unsigned format = surface->bits >> MODE_FORMAT_SHIFT & 3;

	if (surface->flags || surface->bits & ~MODE_MASK ||
	    !look_up(job, surface, true, buffer))
		return false;
	return !*buffer || (mode_bytes[format] &&
			    image_fits(*buffer, surface->offset,
				       surface->bits >> MODE_TILING_SHIFT & 3,
				       job->args->width, job->args->height,
				       mode_bytes[format]));
}

/* Bytes of a pixel of a load or store; 0: not valid. */
static unsigned
general_pixel(uint16_t bits)
{
	const unsigned format = bits >> FORMAT_SHIFT & 3;

	switch (bits & BUFFER_MASK) {
	case BUFFER_ZS: return format == 0 ? 4 : 0;
	case BUFFER_COLOR: return general_bytes[format];
	default: return 0;
	}
}

static bool
check_general(struct vc4_job *job, const struct vc4_surface *surface,
	      bool written, struct vc4_buffer **buffer)
{
	unsigned bytes;

	if (surface->flags & ~VC4_SURFACE_IS_FULL_RES ||
	    !look_up(job, surface, written, buffer))
		return false;
	if (!*buffer)
		return true;
	if (surface->flags)
		return !written && surface->bits == 0 &&
		       samples_fit(job, *buffer, surface->offset);
	bytes = general_pixel(surface->bits);
	return bytes && !(surface->bits & ~GENERAL_MASK) &&
	       surface->offset % 16 == 0 &&
	       image_fits(*buffer, surface->offset,
			  surface->bits >> TILING_SHIFT & 3, job->args->width,
			  job->args->height, bytes);
}

/* 0 or -EINVAL; adds those that are written to job->writes. */
static int
check_surfaces(struct vc4_job *job, struct surfaces *surfaces)
{
	const struct vc4_submit_cl *args = job->args;

	if (!check_mode(job, &args->color_write, &surfaces->color_write) ||
	    !check_general(job, &args->color_read, false,
			   &surfaces->color_read) ||
	    !check_general(job, &args->zs_read, false, &surfaces->zs_read) ||
	    !check_general(job, &args->zs_write, true, &surfaces->zs_write) ||
	    !check_samples(job, &args->msaa_color_write,
			   &surfaces->msaa_color_write) ||
	    !check_samples(job, &args->msaa_zs_write, &surfaces->msaa_zs_write))
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

/* A general load or store. */
static void
put_general(struct writing *writing, unsigned packet, unsigned bits,
	    uint32_t address)
{
	put(writing, packet, 1);
	put(writing, bits, 2);
	put(writing, address, 4);
}

static uint32_t
surface_address(const struct vc4_buffer *buffer,
		const struct vc4_surface *surface)
{
	return job_address(&buffer->pages) + surface->offset;
}

/* All samples of a tile, which lie at an address of their own. */
static void
put_full(struct writing *writing, unsigned packet,
	 const struct vc4_buffer *buffer, const struct vc4_surface *surface,
	 const struct place *at, unsigned bits)
{
	const uint32_t tile = tiles_across(writing->args) * at->y + at->x;

	put(writing, packet, 1);
	put(writing,
	    (surface_address(buffer, surface) + TILE_SAMPLE_BYTES * tile) |
		    bits,
	    4);
}

static void
put_load(struct writing *writing, const struct vc4_buffer *buffer,
	 const struct vc4_surface *surface, const struct place *at,
	 unsigned full_bits)
{
	if (surface->flags & VC4_SURFACE_IS_FULL_RES)
		put_full(writing, PACKET_LOAD_FULL, buffer, surface, at,
			 full_bits);
	else
		put_general(writing, PACKET_LOAD_GENERAL, surface->bits,
			    surface_address(buffer, surface));
}

static void
put_loads(struct writing *writing, const struct place *at)
{
	const struct vc4_submit_cl *args = writing->args;
	const struct surfaces *of = &writing->surfaces;

	if (of->color_read)
		put_load(writing, of->color_read, &args->color_read, at,
			 FULL_NO_ZS);
	if (!of->zs_read)
		return;
	if (of->color_read) {
		/* Coordinates start a load; a store must come before the next
		 * one. */
		put_coordinates(writing, at->x, at->y);
		put_general(writing, PACKET_STORE_GENERAL, KEEP_ALL, 0);
	}
	put_load(writing, of->zs_read, &args->zs_read, at, FULL_NO_COLOR);
}

/* Only the last store of a tile clears the tile buffer, only that of the last
 * tile ends the frame. */
static void
put_stores(struct writing *writing, const struct place *at)
{
	const struct vc4_submit_cl *args = writing->args;
	const struct surfaces *of = &writing->surfaces;
	const uint32_t end = at->last ? END_OF_FRAME : 0;
	bool stored = false, last;

	if (of->msaa_color_write) {
		last = !of->msaa_zs_write && !of->zs_write && !of->color_write;
		put_full(writing, PACKET_STORE_FULL, of->msaa_color_write,
			 &args->msaa_color_write, at,
			 FULL_NO_ZS | (last ? end : FULL_NO_CLEAR));
		stored = true;
	}
	if (of->msaa_zs_write) {
		last = !of->zs_write && !of->color_write;
		if (stored)
			put_coordinates(writing, at->x, at->y);
		put_full(writing, PACKET_STORE_FULL, of->msaa_zs_write,
			 &args->msaa_zs_write, at,
			 FULL_NO_COLOR | (last ? end : FULL_NO_CLEAR));
		stored = true;
	}
	if (of->zs_write) {
		last = !of->color_write;
		if (stored)
			put_coordinates(writing, at->x, at->y);
		put_general(writing, PACKET_STORE_GENERAL,
			    args->zs_write.bits | (last ? 0 : KEEP_COLOR),
			    surface_address(of->zs_write, &args->zs_write) |
				    (last ? end : 0));
		stored = true;
	}
	if (of->color_write) {
		if (stored)
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

	put_loads(writing, at);
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
		put_general(writing, PACKET_STORE_GENERAL, STORE_NOTHING,
			    at->last ? END_OF_FRAME : 0);
	else
		put_stores(writing, at);
}

/* The mode, after the clear colours; storing nothing makes them valid. */
static void
put_head(struct writing *writing)
{
	const struct vc4_submit_cl *args = writing->args;
	const struct vc4_buffer *color = writing->surfaces.color_write;

	if (args->flags & VC4_USE_CLEAR_COLOR) {
		put(writing, PACKET_CLEAR_COLORS, 1);
		put(writing, args->clear_color[0], 4);
		put(writing, args->clear_color[1], 4);
		put(writing, args->clear_z, 4);
		put(writing, args->clear_s, 1);
		put_coordinates(writing, 0, 0);
		put_general(writing, PACKET_STORE_GENERAL, STORE_NOTHING, 0);
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
	const unsigned across = args->max_x_tile - args->min_x_tile + 1u;
	const unsigned down = args->max_y_tile - args->min_y_tile + 1u;
	const unsigned n = across * down;
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

	if (surfaces->msaa_color_write &&
	    fault_strikes(vc4, VC4_EXCHANGED, vc4->emitted + 1))
		job->exchanged = surface_address(surfaces->msaa_color_write,
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
