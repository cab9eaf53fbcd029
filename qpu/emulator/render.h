/* SPDX-License-Identifier: MIT */
/*
 * render: executes the rendering list and the lists of tiles: it collects
 * primitives, has their vertices shaded, and starts a fragment thread for each
 * group of quads.
 */
#ifndef QPU_EMULATOR_RENDER_H
#define QPU_EMULATOR_RENDER_H

#include "qpu/emulator/binner.h"
#include "qpu/emulator/graphics/raster.h"
#include "qpu/emulator/graphics/tile.h"

enum { EMU_PRIMITIVES = 16 };

/* A new corner of a clipped triangle. */
struct emu_clipped_corner {
	int16_t x, y;
	float z, w, weight[3];
};

struct emu_primitive {
	unsigned corners;
	uint8_t lane[3]; /* of the batch */
	bool clipped;
	struct emu_clipped_corner corner[3];
};

struct emu_render {
	bool active;
	struct emu_surface target;
	bool average, samples;
	uint32_t clear, clear_zs;
	unsigned tile_x, tile_y, tile_serial;
	bool load_pending;
	struct emu_tile_op load;
	struct emu_state state;
	struct emu_record record;
	struct emu_primitive primitive[EMU_PRIMITIVES];
	unsigned primitives, primitive_next;
	struct emu_batch batch;
	enum emu_phase phase;
	struct emu_triangle triangle[2]; /* of the primitive */
	unsigned triangles, triangle_next;
	struct emu_raster raster;
	struct emu_quads quads; /* of the next thread, if n is not 0 */
	bool rastering;
};

/* A packet of a rendering or tile list; `bytes` follow its code. */
enum emu_progress
emu_render_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes);

/* Draw what was collected; it must be done before state changes. */
enum emu_progress
emu_render_flush(struct machine *machine);

#endif
