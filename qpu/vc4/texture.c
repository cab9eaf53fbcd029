/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/texture.h"

#include "qpu/vc4/job.h"

enum {
	TILING_RASTER,
	TILING_T,
	TILING_LT,
	TYPE_ETC1 = 8,
	TYPE_RGBA32R = 16,
	TYPES = 18,
	IMAGE_MOST = 4096,
	SIZE_OF_0 = 2048,
	P2_CUBE_STRIDE = 1
};

/* Bytes of a pixel (of a block of 4 x 4 for ETC1) by type; 0: refused. */
static const uint8_t pixel_bytes[TYPES] = { 4, 4, 2, 2, 2, 1, 1, 2, 8,
					    2, 1, 2, 0, 0, 0, 0, 4, 0 };

/* Width and height in pixels of a microtile, which has 64 bytes. */
static uint32_t
tile_width(unsigned bytes)
{
	return bytes <= 2 ? 8 : bytes == 4 ? 4 : 2;
}

static uint32_t
tile_height(unsigned bytes)
{
	return bytes == 1 ? 8 : 4;
}

static uint32_t
round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* Small images have no T tiling. */
static bool
is_small(uint32_t width, uint32_t height, unsigned bytes)
{
	return width <= 4 * tile_width(bytes) ||
	       height <= 4 * tile_height(bytes);
}

static uint32_t
image_bytes(unsigned tiling, uint32_t width, uint32_t height, unsigned bytes)
{
	const uint32_t across = tiling == TILING_T ? 8 : 1;

	width = round_up(width, tile_width(bytes) * across);
	if (tiling != TILING_RASTER)
		height = round_up(height, tile_height(bytes) * across);
	return width * bytes * height;
}

bool
texture_image_fits(const struct vc4_buffer *buffer, uint32_t offset,
		   unsigned tiling, uint32_t width, uint32_t height,
		   unsigned bytes)
{
	uint32_t size;

	if (width > IMAGE_MOST || height > IMAGE_MOST || tiling > TILING_LT)
		return false;
	size = image_bytes(tiling, width, height, bytes);
	return size + offset >= size && size + offset <= buffer->pages.bytes;
}

static bool
direct_fits(const struct vc4_buffer *buffer, uint32_t base, uint32_t most)
{
	const uint32_t bytes = buffer->pages.bytes;

	return base <= bytes - 4 && most <= bytes - base - 4;
}

/* Smaller levels lie before an image, the largest of them next to it. */
static bool
levels_fit(uint32_t offset, unsigned levels, unsigned tiling, uint32_t width,
	   uint32_t height, unsigned bytes)
{
	for (unsigned i = 1; i <= levels; i++) {
		const uint32_t w = width >> i ? width >> i : 1;
		const uint32_t h = height >> i ? height >> i : 1;
		uint32_t size;

		if (tiling == TILING_T && is_small(w, h, bytes))
			tiling = TILING_LT;
		size = image_bytes(tiling, w, h, bytes);
		if (offset < size)
			return false;
		offset -= size;
	}
	return true;
}

/*
 * The distance of a cube map's faces is in one of the parameters 2 and 3, and
 * in one only; 0 where it is not.
 */
static uint32_t
cube_stride(uint32_t p2, uint32_t p3)
{
	const uint32_t mask = UINT32_C(0x3ffff000);
	const uint32_t of_2 = p2 >> 30 == P2_CUBE_STRIDE ? p2 & mask : 0;
	const uint32_t of_3 = p3 >> 30 == P2_CUBE_STRIDE ? p3 & mask : 0;

	if (of_2 && p3 >> 30 == P2_CUBE_STRIDE)
		return 0;
	return of_2 ? of_2 : of_3;
}

bool
texture_check(const struct vc4_buffer *buffer, const struct qpu_drm_load *load,
	      const uint8_t *uniforms)
{
	uint32_t p[QPU_DRM_PARAMETERS];
	uint32_t offset, width, height, stride = 0;
	unsigned type, bytes, tiling;

	for (unsigned i = 0; i < QPU_DRM_PARAMETERS; i++)
		p[i] = load->parameters[i] == QPU_DRM_NONE ?
			       0 :
			       job_word(uniforms + load->parameters[i]);
	if (load->direct)
		return direct_fits(buffer, p[0], p[1]);
	offset = p[0] & ~UINT32_C(0xfff);
	width = p[1] >> 8 & 0x7ff ? p[1] >> 8 & 0x7ff : SIZE_OF_0;
	height = p[1] >> 20 & 0x7ff ? p[1] >> 20 & 0x7ff : SIZE_OF_0;
	if (p[0] & 0x200) {
		stride = cube_stride(p[2], p[3]);
		if (stride == 0)
			return false;
	}
	type = (p[0] >> 4 & 0xf) | p[1] >> 31 << 4;
	bytes = type < TYPES ? pixel_bytes[type] : 0;
	if (bytes == 0)
		return false;
	if (type == TYPE_ETC1) {
		width = (width + 3) / 4;
		height = (height + 3) / 4;
	}
	tiling = type == TYPE_RGBA32R		? TILING_RASTER :
		 is_small(width, height, bytes) ? TILING_LT :
						  TILING_T;
	return texture_image_fits(buffer, offset + stride * 5, tiling, width,
				  height, bytes) &&
	       levels_fit(offset, p[0] & 0xf, tiling, width, height, bytes);
}
