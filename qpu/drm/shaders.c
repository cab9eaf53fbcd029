/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/drm/shaders.h"

const uint64_t coordinate_shader[] = {
#include "qpu/drm/coordinate.words"
};
const size_t coordinate_shader_words =
	sizeof(coordinate_shader) / sizeof(*coordinate_shader);

const uint64_t vertex_shader[] = {
#include "qpu/drm/vertex.words"
};
const size_t vertex_shader_words =
	sizeof(vertex_shader) / sizeof(*vertex_shader);

/* In clip coordinates the triangle lies within the view, so that nothing cuts
 * it; where it is on the screen is another matter. */
#define MINUS_HALF UINT32_C(0xbf000000)
#define PLUS_HALF UINT32_C(0x3f000000)

const uint32_t shader_vertices[VERTICES][VERTEX_WORDS] = {
	{ 0, MINUS_HALF, MINUS_HALF },
	{ 0x0000ffff, PLUS_HALF, MINUS_HALF },
	{ 0xffff0000, MINUS_HALF, PLUS_HALF }
};
