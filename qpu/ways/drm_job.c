/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm_job.h"

#include "qpu/isa/packet.h"

enum {
	MOST_DRAWS = 1024,
	/* Flags of a record: a program for one thread, and clipping. */
	RECORD_FLAGS = 1 | 4,
	ATTRIBUTE_BYTES = VERTEX_WORDS * 4,
	FIRST_ATTRIBUTE = 1, /* set of attributes that a program reads */
	ATTRIBUTES = 1,	     /* of each record */
	UNIFORMS = 2	     /* of both shaders of a triangle */
};

/* Checks ------------------------------------------------------------------- */

static bool
is_window(const struct tile_job *job, const struct tile_draw *draw)
{
	return draw->width > 0 && draw->height > 0 &&
	       !((draw->x | draw->y | draw->width | draw->height) & 1) &&
	       draw->x + draw->width <= (int)(job->tiles_x * TILE_PIXELS) &&
	       draw->y + draw->height <= (int)(job->tiles_y * TILE_PIXELS);
}

bool
drm_job_check(const struct tile_job *job, struct diag *why_not)
{
	const size_t bytes = (size_t)job->tiles_x * job->tiles_y * TILE_BYTES;

	if (job->tiles_x == 0 || job->tiles_x > TILE_MAX || job->tiles_y == 0 ||
	    job->tiles_y > TILE_MAX || job->ndraws == 0 ||
	    job->ndraws > MOST_DRAWS) {
		diag_set(why_not,
			 "a job has 1 to %d x %d tiles and 1 to %d draws",
			 TILE_MAX, TILE_MAX, MOST_DRAWS);
		return false;
	}
	if (job->offset % 4096 != 0 || job->offset > job->results->bytes ||
	    job->results->bytes - job->offset < bytes) {
		diag_set(why_not, "the job's results do not fit into memory");
		return false;
	}
	for (unsigned i = 0; i < job->ndraws; i++)
		if (!is_window(job, &job->draws[i])) {
			diag_set(why_not,
				 "draw %u cuts a quad, or goes beyond the "
				 "job's tiles",
				 i);
			return false;
		}
	return true;
}

/* The bin list ------------------------------------------------------------- */

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
	put(writer, DEPTH_ALWAYS, 1);
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

static bool
write_list(struct text *list, const struct tile_job *job)
{
	struct writer writer = { .list = list, .ok = true };

	begin(&writer, job);
	for (unsigned i = 0; i < job->ndraws; i++) {
		put_window(&writer, &job->draws[i]);
		if (i == 0)
			put_state(&writer, job);
		put_packet(&writer, PACKET_GL_SHADER_STATE);
		put(&writer, ATTRIBUTES, 4);
		put_packet(&writer, PACKET_ARRAY_PRIMITIVE);
		put(&writer, MODE_TRIANGLES, 1);
		put(&writer, VERTICES, 4);
		put(&writer, 0, 4);
	}
	put_packet(&writer, PACKET_INCREMENT_SEMAPHORE);
	put_packet(&writer, PACKET_FLUSH);
	return writer.ok;
}

/* The uniforms of both shaders: the corner (0, 0) of the job, and what differs
 * from it at (2 * width, 0) and (0, 2 * height).  Coordinates are y << 16 | x in
 * sixteenths of a pixel, from the centre. */
static void
get_corners(const struct tile_job *job, uint32_t uniforms[UNIFORMS])
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

/* Words and handles -------------------------------------------------------- */

static bool
add_words(struct text *text, const uint32_t *words, size_t n)
{
	/* text_add takes no null pointer, which an empty list may be. */
	return n == 0 || text_add(text, words, n * sizeof(*words));
}

static bool
add_word(struct text *text, uint32_t word)
{
	return add_words(text, &word, 1);
}

/* The index of a handle in the job's list. */
static bool
use_handle(struct drm_job *job, uint32_t handle, uint32_t *index)
{
	const uint32_t *handles = (const uint32_t *)(void *)job->handles.bytes;
	const uint32_t n = (uint32_t)(job->handles.len / sizeof(handle));

	for (*index = 0; *index < n; ++*index)
		if (handles[*index] == handle)
			return true;
	return add_word(&job->handles, handle);
}

static bool
add_handle(struct drm_job *job, struct text *text, uint32_t handle)
{
	uint32_t index;

	return use_handle(job, handle, &index) && add_word(text, index);
}

/* Records and uniforms ----------------------------------------------------- */

/* A record without its handles has flags, a code and a uniform address for
 * each program, which the kernel fills in, and its attributes (Broadcom's
 * guide, section 9, shader record formats). */
static bool
add_record(struct drm_job *job, const struct tile_draw *draw,
	   const struct drm_job_programs *programs)
{
	const uint32_t reads = ATTRIBUTE_BYTES << 24 | FIRST_ATTRIBUTE << 16;
	const uint32_t record[] = { RECORD_FLAGS,
				    0,
				    0, /* fragments */
				    reads,
				    0,
				    0, /* vertices */
				    reads,
				    0,
				    0, /* coordinates */
				    0,
				    ATTRIBUTE_BYTES << 8 |
					    (ATTRIBUTE_BYTES - 1) };

	return add_handle(job, &job->records, draw->program->handle) &&
	       add_handle(job, &job->records, programs->vertex) &&
	       add_handle(job, &job->records, programs->coordinate) &&
	       add_handle(job, &job->records, programs->vertices) &&
	       add_words(&job->records, record,
			 sizeof(record) / sizeof(*record));
}

static bool
add_uniforms(struct drm_job *job, const struct tile_draw *draw,
	     const uint32_t corners[UNIFORMS])
{
	bool added = true;

	for (unsigned i = 0; i < draw->program->loads && added; i++)
		added = add_handle(job, &job->uniforms, draw->loads[i]->handle);
	return added &&
	       add_words(&job->uniforms, draw->uniforms,
			 draw->program->uniforms) &&
	       add_words(&job->uniforms, corners, UNIFORMS) &&
	       add_words(&job->uniforms, corners, UNIFORMS);
}

/* All of it ---------------------------------------------------------------- */

static void
fill_submit(struct drm_job *job, const struct tile_job *tiles, uint32_t results)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };
	struct vc4_submit_cl *submit = &job->submit;

	*submit = (struct vc4_submit_cl){
		.bin_cl = (uintptr_t)job->list.bytes,
		.shader_rec = (uintptr_t)job->records.bytes,
		.uniforms = (uintptr_t)job->uniforms.bytes,
		.bo_handles = (uintptr_t)job->handles.bytes,
		.bin_cl_size = (uint32_t)job->list.len,
		.shader_rec_size = (uint32_t)job->records.len,
		.shader_rec_count = tiles->ndraws,
		.uniforms_size = (uint32_t)job->uniforms.len,
		.bo_handle_count = (uint32_t)(job->handles.len / 4),
		.width = (uint16_t)(tiles->tiles_x * TILE_PIXELS),
		.height = (uint16_t)(tiles->tiles_y * TILE_PIXELS),
		.max_x_tile = (uint8_t)(tiles->tiles_x - 1),
		.max_y_tile = (uint8_t)(tiles->tiles_y - 1),
		.color_read = none,
		.color_write = none,
		.zs_read = none,
		.zs_write = none,
		.msaa_color_write = { .hindex = results,
				      .offset = (uint32_t)tiles->offset },
		.msaa_zs_write = none,
		.clear_color = { tiles->clear, tiles->clear },
		.flags = VC4_USE_CLEAR_COLOR
	};
	submit->color_write.bits = VC4_COLOR_MS_4X | VC4_COLOR_DECIMATE_4X;
}

bool
drm_job_describe(struct drm_job *job, const struct tile_job *tiles,
		 const struct drm_job_programs *programs)
{
	uint32_t corners[UNIFORMS], results;

	text_cut(&job->list, 0);
	text_cut(&job->records, 0);
	text_cut(&job->uniforms, 0);
	text_cut(&job->handles, 0);
	get_corners(tiles, corners);
	if (!write_list(&job->list, tiles) ||
	    !use_handle(job, tiles->results->handle, &results))
		return false;
	for (unsigned i = 0; i < tiles->ndraws; i++)
		if (!add_record(job, &tiles->draws[i], programs) ||
		    !add_uniforms(job, &tiles->draws[i], corners))
			return false;
	fill_submit(job, tiles, results);
	return true;
}

void
drm_job_free(struct drm_job *job)
{
	text_free(&job->list);
	text_free(&job->records);
	text_free(&job->uniforms);
	text_free(&job->handles);
}
