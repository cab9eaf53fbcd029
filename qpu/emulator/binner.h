/* SPDX-License-Identifier: MIT */
/*
 * binner: sorts the primitives of the binning list into lists for each tile.
 *
 * A list begins in a block of its own, `initial` bytes at the start of the
 * memory for lists times the number of the tile; when a block is full a branch
 * leads to the next one, which comes from the rest of that memory and later
 * from what the CPU gives by BPOA and BPOS.  Lists are control lists: state
 * packets as they stand in the binning list, then primitives:
 *
 *	COMPRESSED_PRIMITIVE  corners (1 byte), the index of each (4 bytes)
 *	CLIPPED_PRIMITIVE     three indices, then for each of three new corners
 *	                      x and y (2 bytes each), Z, 1/W and the weights of
 *	                      the first two vertices (floats)
 *
 * The hardware packs them more tightly; only the renderer reads them.  The
 * state of a tile (48 bytes each, in the memory that the list names) is where
 * its list goes on, what is left of the block, and the state it has seen.
 *
 * A triangle goes to all tiles that its bounding box touches inside of the clip
 * window; the hardware leaves out those that it misses.
 */
#ifndef QPU_EMULATOR_BINNER_H
#define QPU_EMULATOR_BINNER_H

#include "qpu/emulator/graphics/clip.h"
#include "qpu/emulator/graphics/state.h"
#include "qpu/emulator/graphics/vertex.h"

enum {
	EMU_ITEM_BYTES = 80,
	EMU_ITEMS = EMU_CLIP_CORNERS - 2,
	EMU_CORNER_BYTES = 20, /* of a clipped primitive */
	EMU_CLIPPED_BYTES = 1 + 12 + 3 * EMU_CORNER_BYTES,
};

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
	float z, w, size;
};

/* A primitive on its way into lists. */
struct emu_bin_item {
	uint8_t bytes[EMU_ITEM_BYTES];
	unsigned len;
	unsigned x0, y0, x1, y1; /* tiles, the last ones included */
};

struct emu_draw {
	bool active;
	unsigned mode;
	unsigned index_bytes; /* 0: vertices follow each other */
	uint32_t count, first, addr;
	uint32_t next; /* vertex to be shaded */
	uint32_t seen; /* vertices that were assembled */
	struct emu_record record;
	struct emu_bin_vertex start, older, last;
};

enum emu_phase { EMU_PHASE_FETCH, EMU_PHASE_START, EMU_PHASE_SHADING };

struct emu_binner {
	bool active, configured;
	struct emu_state state;
	uint32_t lists, states;
	unsigned initial, block;
	unsigned tiles_x, tiles_y;
	bool samples;
	uint32_t next, left; /* memory for blocks: BPCA, BPCS */
	uint32_t more;	     /* BPOA */
	bool out_of_memory;
	unsigned increments; /* of the renderer's semaphore, by the flush */
	struct emu_draw draw;
	struct emu_batch batch;
	enum emu_phase phase;
	unsigned vertex; /* of the batch, next to assemble */
	struct emu_bin_item item[EMU_ITEMS];
	unsigned items, item_next, tile_x, tile_y;
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
