/* SPDX-License-Identifier: MIT */
/*
 * bin_list: the control list that the binner reads for a job.  For each draw it
 * names the window, the next shader record and one triangle that covers the
 * whole job.  The kernel checks the list and fills addresses in (Linux,
 * drivers/gpu/drm/vc4/vc4_validate.c), and writes the renderer's list itself.
 *
 * Both shaders read one attribute of three words a vertex: which halves of the
 * corner differ from the first one, and x and y in clip coordinates.  Both have
 * two uniforms: the first corner, and what differs in the last ones.
 * Coordinates of a corner are y << 16 | x in sixteenths of a pixel, from the
 * centre.
 *
 * The values of all packets are those of a job that Mesa's driver submits for
 * one triangle on a surface with four samples.
 */
#ifndef QPU_DRM_BIN_LIST_H
#define QPU_DRM_BIN_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/ways/way.h"
#include "src/base/text.h"

enum {
	BIN_ATTRIBUTES = 1, /* of each record */
	VERTICES = 3,
	VERTEX_WORDS = 3,
	SHADER_UNIFORMS = 2
};

/* False: out of memory. */
bool
bin_list_write(struct text *list, const struct tile_job *);

/* The uniforms of both shaders: the corner (0, 0) of the job, and what
 * differs from it at (2 * width, 0) and (0, 2 * height). */
void
bin_list_corners(const struct tile_job *, uint32_t uniforms[SHADER_UNIFORMS]);

#endif
