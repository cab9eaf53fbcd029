/* SPDX-License-Identifier: MIT */
/*
 * drm_job: the arguments of VC4_SUBMIT_CL for a job: a control list for the
 * binner, a shader record for each draw, and uniforms for each of a record's
 * three programs, with the handles of the buffers that lookups read.  The
 * kernel copies and checks all of it, fills in the addresses (Linux,
 * drivers/gpu/drm/vc4/vc4_validate.c), and writes the renderer's list itself.
 *
 * For each draw the list names the window, the next shader record and one
 * triangle that covers the whole job.  All packets have the values that Mesa's
 * driver submits for one triangle on a surface with four samples.
 */
#ifndef QPU_WAYS_DRM_JOB_H
#define QPU_WAYS_DRM_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/vc4.h"
#include "qpu/ways/way.h"
#include "src/base/text.h"

/* The vertex and the coordinate shader read one attribute, three words for each
 * vertex: a mask of the halves of y << 16 | x that differ from the first
 * corner's, and x and y in clip coordinates. */
enum { VERTICES = 3, VERTEX_WORDS = 3 };

/* Handles of the shaders and the vertices, which all jobs share. */
struct drm_job_programs {
	uint32_t vertex, coordinate, vertices;
};

/* Zero-initialise.  It may be used again for the next job, until
 * drm_job_free(). */
struct drm_job {
	struct text list, records, uniforms;
	struct text handles; /* of buffers, uint32_t each */
	struct vc4_submit_cl submit;
};

/* Return true if the job is well-formed and stays inside its results, or else
 * false with the reason. */
bool
drm_job_check(const struct tile_job *, struct diag *why_not);

/* Fill in job->submit, whose pointers point into *job.  Return false if out of
 * memory. */
bool
drm_job_describe(struct drm_job *, const struct tile_job *,
		 const struct drm_job_programs *);

void
drm_job_free(struct drm_job *);

#endif
