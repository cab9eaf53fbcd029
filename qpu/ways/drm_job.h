/* SPDX-License-Identifier: MIT */
/*
 * job: what VC4_SUBMIT_CL is told of a job: the bin list, a shader record for
 * each draw, and for each of its three programs the buffers of the lookups and
 * the uniforms.  The kernel copies all of it.
 */
#ifndef QPU_DRM_JOB_H
#define QPU_DRM_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/vc4.h"
#include "qpu/ways/way.h"
#include "src/base/text.h"

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

/* Is it a job that a device may be given?  False and the reason. */
bool
drm_job_check(const struct tile_job *, struct diag *why_not);

/* Fills job->submit, whose pointers are into *job.  False: out of memory. */
bool
drm_job_describe(struct drm_job *, const struct tile_job *,
		 const struct drm_job_programs *);

void
drm_job_free(struct drm_job *);

#endif
