/* SPDX-License-Identifier: MIT */
/*
 * vertex: shader records, and batches of up to 16 vertices on their way through
 * a coordinate or vertex shader.
 *
 * A batch has two windows of the VPM, which the shader sees from row 0 on: the
 * attributes, a word of all vertices in each row, and what it writes.  The
 * layout of a record is that of the guide, section 9 (GL shader state record),
 * and of Linux 6.1, drivers/gpu/drm/vc4/vc4_validate.c, validate_gl_shader_rec.
 */
#ifndef QPU_EMULATOR_GRAPHICS_VERTEX_H
#define QPU_EMULATOR_GRAPHICS_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/memory.h"
#include "qpu/emulator/base/vpm.h"

enum { EMU_ATTRIBUTES = 8 };

/* The shaders of a record in the order of their addresses. */
enum emu_shader {
	EMU_SHADER_FRAGMENT,
	EMU_SHADER_VERTEX,
	EMU_SHADER_COORDINATE,
	EMU_SHADERS
};

struct emu_attribute {
	uint32_t base, stride;
	unsigned bytes;
	uint8_t offset[EMU_SHADERS]; /* bytes in the window of attributes */
};

struct emu_record {
	bool threaded; /* the fragment shader switches threads */
	bool clipping;
	uint32_t code[EMU_SHADERS], uniforms[EMU_SHADERS];
	uint8_t select[EMU_SHADERS]; /* attributes, a bit each */
	unsigned attributes;
	struct emu_attribute attribute[EMU_ATTRIBUTES];
};

struct emu_batch {
	struct emu_vpm in, out;
	uint32_t index[EMU_LANES];
	unsigned n;
	bool shading; /* a QPU works on it */
};

/* Rows of what a shader has written. */
enum emu_vertex_row {
	/* A coordinate shader begins with the position for the clipper. */
	EMU_ROW_CLIP = 4,
	EMU_ROW_XY = 0,
};

/*
 * Read a record; `word` is that of the packet, with the number of attributes
 * in its low bits.  False, and the first address that is outside of memory.
 */
bool
emu_record_read(struct emu_memory *memory, uint32_t word,
		struct emu_record *record, uint32_t *bad);

/* Load the attributes of a batch; other rows of its windows stay as they are.
 * False and the address outside of memory. */
bool
emu_batch_fetch(struct emu_memory *memory, const struct emu_record *record,
		enum emu_shader shader, struct emu_batch *batch, uint32_t *bad);

#endif
