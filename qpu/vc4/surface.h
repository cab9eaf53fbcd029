/* SPDX-License-Identifier: MIT */
/*
 * surface: where tiles are loaded from and stored to, and what the kernel
 * checks of it (vc4_render_cl.c).
 */
#ifndef QPU_VC4_SURFACE_H
#define QPU_VC4_SURFACE_H

#include "qpu/vc4/job.h"

/* The buffers of a job's surfaces; NULL: there is none. */
struct surfaces {
	struct vc4_buffer *color_read, *color_write, *zs_read, *zs_write;
	struct vc4_buffer *msaa_color_write, *msaa_zs_write;
};

/* 0 or -EINVAL; adds those that are written to job->writes. */
int
surface_check_all(struct vc4_job *, struct surfaces *);

/* Tiles of the job's width. */
static inline uint32_t
surface_tiles_across(const struct vc4_submit_cl *args)
{
	return (args->width + 31u) / 32;
}

enum { SURFACE_TILE_BYTES = 32 * 32 * 4 * 4 };

#endif
