/* SPDX-License-Identifier: MIT */
/*
 * tile_render: executes the rendering list and the lists of tiles: it collects
 * triangles, has their vertices shaded, and starts a fragment thread for each
 * group of quads.
 */
#ifndef QPU_EMULATOR_TILE_RENDER_H
#define QPU_EMULATOR_TILE_RENDER_H

#include "qpu/emulator/binner.h"
#include "qpu/emulator/graphics/raster.h"

enum { EMU_TRIANGLES = 16 };

struct emu_render {
	bool active;
	uint32_t clear;
	unsigned tile_x, tile_y, tile_serial;
	struct emu_state state;
	struct emu_record record;
	/* Triangles that wait, as lanes of the batch. */
	uint8_t lane[EMU_TRIANGLES][EMU_CORNERS];
	unsigned triangles, triangle_next;
	struct emu_batch batch;
	enum emu_phase phase;
	struct emu_triangle triangle; /* that is drawn */
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
