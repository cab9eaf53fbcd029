/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/surface.h"

#include <errno.h>

#include "qpu/vc4/texture.h"

enum {
	/* Bits of loads and stores. */
	BUFFER_MASK = 0x0007,
	BUFFER_COLOR = 1,
	BUFFER_ZS = 2,
	TILING_SHIFT = 4,
	FORMAT_SHIFT = 8,
	GENERAL_MASK = 0x0337,
	/* Bits of a rendering mode. */
	MODE_FORMAT_SHIFT = 2,
	MODE_TILING_SHIFT = 6,
	MODE_MASK = 0x00dd /* with 4x samples and decimation */
};

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

/* As the kernel has it, the last tile may lie behind the buffer. */
static bool
samples_fit(const struct vc4_job *job, const struct vc4_buffer *buffer,
	    uint32_t offset)
{
	const struct vc4_submit_cl *args = job->args;

	return offset <= buffer->pages.bytes &&
	       (buffer->pages.bytes - offset) / SURFACE_TILE_BYTES >=
		       surface_tiles_across(args) * args->max_y_tile +
			       args->max_x_tile;
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
	return !*buffer ||
	       (mode_bytes[format] &&
		texture_image_fits(*buffer, surface->offset,
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
	       texture_image_fits(*buffer, surface->offset,
				  surface->bits >> TILING_SHIFT & 3,
				  job->args->width, job->args->height, bytes);
}

int
surface_check_all(struct vc4_job *job, struct surfaces *surfaces)
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
