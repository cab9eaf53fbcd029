/* SPDX-License-Identifier: MIT */
/*
 * binner: sorts the triangles of the binning list into lists for each tile.
 *
 * A list begins in a block of its own, `initial` bytes at the start of the
 * memory for lists times the number of the tile; when a block is full a branch
 * leads to the next one, which comes from the rest of that memory and later
 * from what the CPU gives by BPOA and BPOS.  Lists are control lists: state
 * packets as they stand in the binning list, then triangles:
 *
 *	COMPRESSED_PRIMITIVE  3 corners (1 byte), the index of each (4 bytes)
 *
 * The hardware packs them more tightly; only the renderer reads them.  The
 * state of a tile (48 bytes each, in the memory that the list names) is where
 * its list goes on, what is left of the block, and the state it has seen.
 *
 * A triangle goes to all tiles that its bounding box touches inside of the clip
 * window; the hardware leaves out those that it misses.
 *
 * Other primitives, indices, culling, and triangles that would have to be cut
 * are not modelled: such a list ends the run with a sentence.
 */
#ifndef QPU_EMULATOR_BINNER_H
#define QPU_EMULATOR_BINNER_H

#include "qpu/emulator/graphics/state.h"
#include "qpu/emulator/graphics/vertex.h"

enum { EMU_CORNERS = 3, EMU_PACKET_BYTES = 16 };

/* How far a piece of work came. */
enum emu_progress {
	EMU_PROGRESS_DONE,
	EMU_PROGRESS_WAIT, /* for a QPU, its program, or memory */
	EMU_PROGRESS_FAULT,
};

struct emu_bin_vertex {
	uint32_t index;
	float position[4];
	int32_t x, y; /* sixteenths of a pixel, from the viewport's centre */
};

/* A triangle on its way into lists; the tiles are x0 .. x1, y0 .. y1. */
struct emu_bin_item {
	bool waits;
	uint32_t index[EMU_CORNERS];
	unsigned x0, y0, x1, y1;
};

struct emu_draw {
	bool active;
	uint32_t count, first;
	uint32_t next; /* vertex to be shaded */
	struct emu_record record;
};

enum emu_phase { EMU_PHASE_FETCH, EMU_PHASE_START, EMU_PHASE_SHADING };

struct emu_binner {
	bool active, configured;
	struct emu_state state;
	uint32_t lists, states;
	unsigned initial, block;
	unsigned tiles_x, tiles_y;
	uint32_t next, left; /* memory for blocks: BPCA, BPCS */
	uint32_t more;	     /* BPOA */
	bool out_of_memory;
	unsigned increments; /* of the renderer's semaphore, by the flush */
	struct emu_draw draw;
	struct emu_batch batch;
	enum emu_phase phase;
	unsigned vertex; /* of the batch, the next corner */
	struct emu_bin_item item;
	unsigned tile_x, tile_y; /* where it goes next */
};

struct machine;

/* A packet of the binning list that is no state; `bytes` follow its code. */
enum emu_progress
emu_binner_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes);

/* BPOS: the CPU gives memory. */
void
emu_binner_memory(struct emu_binner *binner, uint32_t bytes);

#endif
