/* SPDX-License-Identifier: MIT */
/*
 * drm_job: the arguments of VC4_SUBMIT_CL for a job: a control list for the
 * binner, a shader record for each draw, and for each of its three programs the
 * buffers of the lookups and the uniforms.  The kernel copies and checks all of
 * it, fills addresses in (Linux, drivers/gpu/drm/vc4/vc4_validate.c), and
 * writes the renderer's list itself.
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

/* Both shaders of a triangle read one attribute of three words a vertex: which
 * halves of the corner differ from the first one, and x and y in clip
 * coordinates. */
enum { VERTICES = 3, VERTEX_WORDS = 3 };

/* Handles of what every job draws with. */
struct drm_job_programs {
	uint32_t vertex, coordinate, vertices;
};

/* Start from {0}; it may be used again for the next job. */
struct drm_job {
	struct text list, records, uniforms;
	struct text handles; /* uint32_t each */
	struct vc4_submit_cl submit;
};

/* Return true if a device may run the job, else false with the reason. */
bool
drm_job_check(const struct tile_job *, struct diag *why_not);

/* Fill job->submit, whose pointers are into *job. Return false if out of
 * memory. */
bool
drm_job_describe(struct drm_job *, const struct tile_job *,
		 const struct drm_job_programs *);

void
drm_job_free(struct drm_job *);

#endif
