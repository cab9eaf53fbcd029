/* SPDX-License-Identifier: MIT */
/*
 * texture: checks the parameters of a lookup against its buffer (reloc_tex of
 * vc4_validate.c).
 *
 * A direct lookup reads a word at base + x with x from 0 to a clamp: all of
 * them must lie in the buffer.  A texture must lie there with all its levels,
 * the smaller of which are before it.
 */
#ifndef QPU_VC4_TEXTURE_H
#define QPU_VC4_TEXTURE_H

#include "qpu/validate/drm.h"
#include "qpu/vc4/buffer.h"

/* uniforms are the words of the program's stream. */
bool
texture_check(const struct vc4_buffer *, const struct qpu_drm_load *,
	      const uint8_t *uniforms);

/* An image of that shape at an offset; tiling: 0 in raster order, 1 T, 2 LT
 * (vc4_check_tex_size). */
bool
texture_image_fits(const struct vc4_buffer *, uint32_t offset, unsigned tiling,
		   uint32_t width, uint32_t height, unsigned pixel_bytes);

#endif
