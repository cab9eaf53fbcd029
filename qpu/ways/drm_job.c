/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm_job.h"

#include "qpu/ways/bin_list.h"

enum {
	MOST_DRAWS = 1024,
	/* Flags of a record: a program for one thread, and clipping. */
	RECORD_FLAGS = 1 | 4,
	ATTRIBUTE_BYTES = VERTEX_WORDS * 4,
	FIRST_ATTRIBUTE = 1 /* set of attributes that a program reads */
};

/* Checks ------------------------------------------------------------------- */

static bool
is_window_inside(const struct tile_job *job, const struct tile_draw *draw)
{
	return draw->width > 0 && draw->height > 0 &&
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
	    job->results->bytes - job->offset < bytes ||
	    (job->depths && job->depths->bytes < bytes)) {
		diag_set(why_not, "the job's results do not fit into memory");
		return false;
	}
	for (unsigned i = 0; i < job->ndraws; i++)
		if (!is_window_inside(job, &job->draws[i])) {
			diag_set(why_not, "draw %u goes beyond the job's tiles",
				 i);
			return false;
		}
	return true;
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
	     const uint32_t corners[SHADER_UNIFORMS])
{
	bool added = true;

	for (unsigned i = 0; i < draw->program->loads && added; i++)
		added = add_handle(job, &job->uniforms, draw->loads[i]->handle);
	return added &&
	       add_words(&job->uniforms, draw->uniforms,
			 draw->program->uniforms) &&
	       add_words(&job->uniforms, corners, SHADER_UNIFORMS) &&
	       add_words(&job->uniforms, corners, SHADER_UNIFORMS);
}

/* All of it ---------------------------------------------------------------- */

static void
fill_submit(struct drm_job *job, const struct tile_job *tiles, uint32_t results,
	    uint32_t depths)
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
		.msaa_zs_write = { .hindex = depths },
		.clear_color = { tiles->clear, tiles->clear },
		.flags = VC4_USE_CLEAR_COLOR
	};
	submit->color_write.bits = VC4_COLOR_MS_4X | VC4_COLOR_DECIMATE_4X;
}

bool
drm_job_describe(struct drm_job *job, const struct tile_job *tiles,
		 const struct drm_job_programs *programs)
{
	uint32_t corners[SHADER_UNIFORMS], results, depths = VC4_NO_SURFACE;
	bool added;

	text_cut(&job->list, 0);
	text_cut(&job->records, 0);
	text_cut(&job->uniforms, 0);
	text_cut(&job->handles, 0);
	bin_list_corners(tiles, corners);
	added = bin_list_write(&job->list, tiles) &&
		use_handle(job, tiles->results->handle, &results) &&
		(!tiles->depths ||
		 use_handle(job, tiles->depths->handle, &depths));
	for (unsigned i = 0; i < tiles->ndraws && added; i++)
		added = add_record(job, &tiles->draws[i], programs) &&
			add_uniforms(job, &tiles->draws[i], corners);
	if (added)
		fill_submit(job, tiles, results, depths);
	return added;
}

void
drm_job_free(struct drm_job *job)
{
	text_free(&job->list);
	text_free(&job->records);
	text_free(&job->uniforms);
	text_free(&job->handles);
}
