/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/bin_list.h"

#include "qpu/isa/packet.h"

enum {
	SUBPIXELS = 16, /* of coordinates, in a pixel */

	MULTISAMPLE_4X = 1, /* of the binning mode */
	FORMAT_TRIANGLES_16 = 0x12,
	MODE_TRIANGLES = 4,
	/* Configuration bits: front and back, 4 samples; the depth test always
	 * passes, and is done late. */
	FRONT_AND_BACK = 3,
	OVERSAMPLE_4X = 1 << 6,
	DEPTH_ALWAYS = 7 << 4,
	DEPTH_WRITTEN = 1 << 7,
	LATE_DEPTH = 2
};

/* Bits of floats. */
#define FLOAT_ONE UINT32_C(0x3f800000)
#define FLOAT_HALF UINT32_C(0x3f000000)

struct writer {
	struct text *list;
	bool ok;
};

/* The lowest byte first. */
static void
put(struct writer *writer, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		const uint8_t byte = (uint8_t)(value >> (8 * i));

		writer->ok = text_add(writer->list, &byte, 1) && writer->ok;
	}
}

static void
put_packet(struct writer *writer, enum packet packet)
{
	put(writer, packet, 1);
}

static void
put_float(struct writer *writer, float value)
{
	union {
		float value;
		uint32_t bits;
	} both = { .value = value };

	put(writer, both.bits, 4);
}

/* The kernel fills in where its memory is. */
static void
begin(struct writer *writer, const struct tile_job *job)
{
	put_packet(writer, PACKET_BINNING_MODE);
	put(writer, 0, 4);
	put(writer, 0, 4);
	put(writer, 0, 4);
	put(writer, job->tiles_x, 1);
	put(writer, job->tiles_y, 1);
	put(writer, MULTISAMPLE_4X, 1);
	put_packet(writer, PACKET_START_TILE_BINNING);
	put_packet(writer, PACKET_PRIMITIVE_FORMAT);
	put(writer, FORMAT_TRIANGLES_16, 1);
}

static void
put_window(struct writer *writer, const struct tile_draw *draw)
{
	put_packet(writer, PACKET_CLIP_WINDOW);
	put(writer, draw->x, 2);
	put(writer, draw->y, 2);
	put(writer, draw->width, 2);
	put(writer, draw->height, 2);
}

/* How primitives are drawn; what does not matter for ours is as usual. */
static void
put_state(struct writer *writer, const struct tile_job *job)
{
	const unsigned half_x = job->tiles_x * TILE_PIXELS / 2 * SUBPIXELS;
	const unsigned half_y = job->tiles_y * TILE_PIXELS / 2 * SUBPIXELS;

	put_packet(writer, PACKET_CONFIGURATION_BITS);
	put(writer, FRONT_AND_BACK | OVERSAMPLE_4X, 1);
	put(writer, DEPTH_ALWAYS | (job->depths ? DEPTH_WRITTEN : 0), 1);
	put(writer, LATE_DEPTH, 1);
	put_packet(writer, PACKET_DEPTH_OFFSET);
	put(writer, 0, 4);
	put_packet(writer, PACKET_POINT_SIZE);
	put(writer, FLOAT_ONE, 4);
	put_packet(writer, PACKET_LINE_WIDTH);
	put(writer, FLOAT_ONE, 4);
	put_packet(writer, PACKET_CLIPPER_XY);
	put_float(writer, (float)half_x);
	put_float(writer, (float)half_y);
	put_packet(writer, PACKET_CLIPPER_Z);
	put(writer, FLOAT_HALF, 4);
	put(writer, FLOAT_HALF, 4);
	put_packet(writer, PACKET_VIEWPORT_OFFSET);
	put(writer, half_x, 2);
	put(writer, half_y, 2);
	put_packet(writer, PACKET_FLAT_SHADE);
	put(writer, 0, 4);
}

static void
put_triangle(struct writer *writer)
{
	put_packet(writer, PACKET_GL_SHADER_STATE);
	put(writer, BIN_ATTRIBUTES, 4);
	put_packet(writer, PACKET_ARRAY_PRIMITIVE);
	put(writer, MODE_TRIANGLES, 1);
	put(writer, VERTICES, 4);
	put(writer, 0, 4);
}

bool
bin_list_write(struct text *list, const struct tile_job *job)
{
	struct writer writer = { .list = list, .ok = true };

	begin(&writer, job);
	for (unsigned i = 0; i < job->ndraws; i++) {
		put_window(&writer, &job->draws[i]);
		if (i == 0)
			put_state(&writer, job);
		put_triangle(&writer);
	}
	put_packet(&writer, PACKET_INCREMENT_SEMAPHORE);
	put_packet(&writer, PACKET_FLUSH);
	return writer.ok;
}

void
bin_list_corners(const struct tile_job *job, uint32_t uniforms[SHADER_UNIFORMS])
{
	const uint32_t width = job->tiles_x * TILE_PIXELS * SUBPIXELS;
	const uint32_t height = job->tiles_y * TILE_PIXELS * SUBPIXELS;
	/* Corners are relative to the centre: the near ones are at
	 * 0 - width / 2, the far ones at 2 * width - width / 2. */
	const uint32_t left = 0 - width / 2, top = 0 - height / 2;
	const uint32_t right = width + width / 2, bottom = height + height / 2;
	const uint32_t first = top << 16 | (left & 0xffff);
	const uint32_t last = bottom << 16 | (right & 0xffff);

	uniforms[0] = first;
	uniforms[1] = first ^ last;
}
