/* SPDX-License-Identifier: MIT */
/*
 * shaders: the two small programs that draw one triangle, whose corners are the
 * same for every draw of a job.
 *
 * Both read one attribute of three words a vertex: which halves of the corner
 * differ from the first one, and x and y in clip coordinates.  Both have two
 * uniforms: the first corner, and what differs in the last ones.  Coordinates
 * of a corner are y << 16 | x in sixteenths of a pixel, from the centre.
 */
#ifndef QPU_DRM_SHADERS_H
#define QPU_DRM_SHADERS_H

#include <stddef.h>
#include <stdint.h>

enum { SHADER_UNIFORMS = 2, VERTICES = 3, VERTEX_WORDS = 3 };

/* For the binner, and again for each tile. */
extern const uint64_t coordinate_shader[];
extern const size_t coordinate_shader_words;
extern const uint64_t vertex_shader[];
extern const size_t vertex_shader_words;

extern const uint32_t shader_vertices[VERTICES][VERTEX_WORDS];

#endif
