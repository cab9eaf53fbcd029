/* SPDX-License-Identifier: MIT */
/*
 * pipe: the 3D pipeline: two control lists, the binner, the renderer, the tile
 * buffer, and the shader threads that these give to QPUs.
 *
 * Lists and threads go on in turns: emu_pipe_advance() takes both lists as far
 * as they come without a QPU's help, and starts threads on free QPUs; then the
 * QPUs run.  A list that waits stays at its packet.
 *
 * The tile buffer holds the colours of one tile: 32 x 32 pixels of four samples.
 * Stores of the render list are full dumps: all words, in the order of
 * qpu/ways/way.h.  They are put into a queue; each takes its turn when all fragment
 * threads that were started before it have ended, while threads of the next tile
 * may run already (the guide, section 8: "the change from one tile to the next is
 * pipelined").
 */
#ifndef QPU_EMULATOR_PIPE_H
#define QPU_EMULATOR_PIPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "qpu/emulator/base/memory.h"
#include "qpu/emulator/base/vpm.h"
#include "qpu/emulator/decode.h"
#include "qpu/emulator/emulator.h"

struct emu_qpu;
struct machine;

/* How far a piece of work came. */
enum emu_progress {
	EMU_PROGRESS_DONE,
	EMU_PROGRESS_WAIT, /* for a QPU, its program, or memory */
	EMU_PROGRESS_FAULT,
};

enum emu_list_number { EMU_LIST_BIN, EMU_LIST_RENDER, EMU_LISTS };

/* --- Quads of a triangle: raster.c -------------------------------------------------- */

/*
 * Which pixels and samples of a tile a triangle covers, as quads of 2 x 2 pixels in
 * groups of up to four, one group for each fragment thread.
 *
 * Positions are in sixteenths of a pixel.  A sample on an edge belongs to the
 * triangle if the edge is its left or its top one.  Samples lie on a rotated
 * grid, UNSURE(U15).
 *
 * Lanes 4q .. 4q + 3 of quad q are (x, y), (x + 1, y), (x, y + 1) and
 * (x + 1, y + 1) (Mesa's vc4 driver takes derivatives so).
 */
enum {
	EMU_SAMPLES = 4,    /* of a pixel */
	EMU_TILE_SIDE = 32, /* pixels */
	EMU_QUADS = 4,	    /* of a fragment thread */
	EMU_PIXEL = 16,	    /* units of a pixel */
};

struct emu_corner {
	int32_t at[2]; /* x and y */
};

struct emu_triangle {
	struct emu_corner corner[3];
	bool back; /* it is seen from behind */
};

/* Pixels from the low ones up to, and without, the high ones; x and y. */
struct emu_box {
	int32_t low[2], high[2];
};

struct emu_raster {
	int64_t a[3], b[3], c[3]; /* a x + b y + c >= 0 inside of edge i */
	struct emu_box box;
	int32_t tile[2];      /* first pixel of the tile */
	unsigned next;	      /* place in the order of quads */
	unsigned first, step; /* of that order: the first quad, an odd step */
};

/* The quads of a thread; those that are not there have the mask 0. */
struct emu_quads {
	unsigned n;
	int32_t x[EMU_QUADS], y[EMU_QUADS];
	uint8_t mask[EMU_LANES]; /* samples, 4 bits */
};

/* Twice the area of the triangle of three corners; the sign is their order's. */
int64_t
emu_twice_area(const struct emu_corner *c);

/*
 * Prepare a triangle, whose corners are put into order, and shrink the box to
 * it; false if it covers nothing of the box.  Box, tile and order of the
 * raster are set.
 */
bool
emu_raster_begin(struct emu_raster *raster, struct emu_triangle *triangle);

/* The next quads that are covered; false at the end. */
bool
emu_raster_next(struct emu_raster *raster, struct emu_quads *quads);

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(unsigned x, unsigned y, unsigned sample)
{
	return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + (y & 1) * 2 +
	       (x & 1);
}

/* --- What lists have set --------------------------------------------------------------- */

/*
 * The last packet of each kind that is state.  The binner puts those that have
 * changed into the lists of tiles, the renderer takes them from there.  Some have
 * no effect on triangles, but take their room in the lists.
 */
enum emu_state_item {
	EMU_STATE_SHADER,
	EMU_STATE_CONFIGURATION,
	EMU_STATE_FLAT_SHADE,
	EMU_STATE_POINT_SIZE,
	EMU_STATE_LINE_WIDTH,
	EMU_STATE_DEPTH_OFFSET,
	EMU_STATE_CLIP_WINDOW,
	EMU_STATE_VIEWPORT,
	EMU_STATE_RENDERED, /* those before it go into the lists of tiles */
	EMU_STATE_FORMAT = EMU_STATE_RENDERED,
	EMU_STATE_RHT,
	EMU_STATE_Z_CLIPPING,
	EMU_STATE_CLIPPER_XY,
	EMU_STATE_CLIPPER_Z,
	EMU_STATES
};

enum { EMU_STATE_BYTES = 9 };

struct emu_state {
	uint8_t packet[EMU_STATES][EMU_STATE_BYTES]; /* with its code */
	uint8_t bytes[EMU_STATES];		     /* of the packet */
	uint32_t changed[EMU_STATES]; /* serial number; 0: never set */
	uint32_t serial;
};

static inline uint32_t
emu_state_word(const struct emu_state *state, enum emu_state_item item,
	       unsigned word)
{
	uint32_t value;

	memcpy(&value, state->packet[item] + 1 + 4 * word, sizeof(value));
	return value;
}

static inline uint16_t
emu_state_half(const struct emu_state *state, enum emu_state_item item,
	       unsigned half)
{
	uint16_t value;

	memcpy(&value, state->packet[item] + 1 + 2 * half, sizeof(value));
	return value;
}

static inline float
emu_state_float(const struct emu_state *state, enum emu_state_item item,
		unsigned word)
{
	float value;

	memcpy(&value, state->packet[item] + 1 + 4 * word, sizeof(value));
	return value;
}

/* Bits of the configuration; those of its three bytes in one number. */
enum emu_configuration {
	EMU_CONFIG_FRONT = 1 << 0, /* draw what is seen from the front */
	EMU_CONFIG_BACK = 1 << 1,
	EMU_CONFIG_CLOCKWISE = 1 << 2, /* are the front */
	EMU_CONFIG_DEPTH_OFFSET = 1 << 3,
	EMU_CONFIG_OVERSAMPLE_4X = 1 << 6,
};

static inline uint32_t
emu_state_configuration(const struct emu_state *state)
{
	return emu_state_word(state, EMU_STATE_CONFIGURATION, 0) & 0xffffff;
}

/* --- Shader records and vertices: shader.c -------------------------------------------- */

/*
 * Batches of up to 16 vertices go through a coordinate or vertex shader.  A batch
 * has two windows of the VPM, which the shader sees from row 0 on: the
 * attributes, a word of all vertices in each row, and what it writes.  The
 * layout of a record is that of the guide, section 9 (GL shader state record),
 * and of Linux 6.1, drivers/gpu/drm/vc4/vc4_validate.c, validate_gl_shader_rec.
 */
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

enum emu_phase {
	EMU_PHASE_EMPTY,
	EMU_PHASE_FETCHED, /* waits for a QPU */
	EMU_PHASE_SHADING,
	EMU_PHASE_SHADED,
};

struct emu_batch {
	struct emu_vpm in, out;
	uint32_t index[EMU_LANES];
	unsigned n;
	enum emu_phase phase;
};

/* Rows of what a shader has written. */
enum emu_vertex_row {
	/* A coordinate shader begins with the position for the clipper. */
	EMU_ROW_CLIP = 4,
	EMU_ROW_XY = 0,
};

/* Read the record that the state of a list names: a word with the number of
 * attributes in its low bits.  False after a fault: it is outside of memory. */
bool
emu_record_read(struct machine *machine, enum emu_list_number list,
		const struct emu_state *state, struct emu_record *record);

/* Load the attributes of a batch; other rows of its windows stay as they are.
 * False after a fault, likewise. */
bool
emu_batch_fetch(struct machine *machine, enum emu_list_number list,
		const struct emu_record *record, enum emu_shader shader,
		struct emu_batch *batch);

/* Give a batch that was fetched to a QPU that is free and not kept from such
 * shaders by SQRSV; it is done when the shader has ended. */
enum emu_progress
emu_batch_shade(struct machine *machine, enum emu_shader shader,
		const struct emu_record *record, struct emu_batch *batch);

/* --- Triangles into lists for each tile: binner.c --------------------------------- */

/*
 * Sorts the triangles of the binning list into lists for each tile.
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
enum { EMU_CORNERS = 3, EMU_PACKET_BYTES = 16 };

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
	unsigned vertex; /* of the batch, the next corner */
	struct emu_bin_item item;
	unsigned tile_x, tile_y; /* where it goes next */
};

/* A packet of the binning list that is no state; `bytes` follow its code. */
enum emu_progress
emu_binner_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes);

/* BPOS: the CPU gives memory. */
void
emu_binner_memory(struct emu_binner *binner, uint32_t bytes);

/* --- Lists of tiles, triangles to threads: tile_render.c --------------------------- */

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

/* --- Fragment threads and the tile buffer: shader.c -------------------------------- */

/*
 * What a fragment thread has beside registers, and its way to the
 * tile buffer.
 *
 * A thread waits at its first access to the tile buffer (the scoreboard) until
 * loads and stores that were asked for before it are done and no earlier thread
 * with one of its quads runs; that thread unlocks them when it ends, or by
 * sbdone (the guide, section 3, thread synchronization).  So quads are
 * drawn in the order of primitives, and a thread of the next tile, which may run
 * already, does not touch this one.
 */
struct emu_fragment {
	bool active, unlocked;
	bool threaded;	 /* two threads share a QPU */
	uint64_t serial; /* in the order of starts */
	uint64_t fence;	 /* tile operations that must be done before */
	unsigned nquads;
	uint8_t x[EMU_LANES], y[EMU_LANES]; /* in the tile */
	uint8_t mask[EMU_LANES];	    /* samples */
	unsigned writes, loads;		    /* samples of colour so far */
};

/* A new thread draws these quads of a triangle. */
struct emu_fragment_work {
	const struct emu_record *record;
	const struct emu_triangle *triangle;
	const struct emu_raster *raster;
	const struct emu_quads *quads;
};

/* Start a thread on a free QPU. */
void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu,
		   const struct emu_fragment_work *work);

/* May a thread of this kind execute the instruction? */
bool
emu_fragment_allows(const struct emu_qpu *qpu, const struct emu_op *op);

/* Does the scoreboard let the thread go on? */
bool
emu_fragment_may_draw(const struct emu_qpu *qpu);

/* Write tlbm or tlbc; `lanes` are those that the condition lets through. */
void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, const emu_vec *value,
		   unsigned lanes);

/* Signals sbwait, sbdone, loadc, ldcend, thrsw and lthrsw. */
void
emu_fragment_signal(struct emu_qpu *qpu, unsigned signal);

/* --- The lists: pipe.c -------------------------------------------------------------- */

enum { EMU_LIST_DEPTH = 2 };

struct emu_list {
	uint32_t at, end; /* CTnCA, CTnEA */
	uint32_t back[EMU_LIST_DEPTH];
	unsigned depth;
	bool running, failed;
	unsigned semaphore;
};

enum {
	EMU_TILE_WORDS = EMU_TILE_SIDE * EMU_TILE_SIDE * EMU_SAMPLES,
	EMU_TILE_OPS = 16,
};

/* A full dump, or nothing; then it may clear, and end the frame. */
struct emu_tile_op {
	bool dumps, clears, end_of_frame;
	uint32_t addr;	 /* of the dump */
	uint32_t packet; /* where the list asks for it */
	uint32_t clear;
	unsigned serial; /* of the tile */
};

struct emu_pipe {
	struct emu_list list[EMU_LISTS];
	struct emu_binner binner;
	struct emu_render render;
	uint32_t tile[EMU_TILE_WORDS]; /* the tile buffer */
	struct emu_tile_op op[EMU_TILE_OPS];
	uint64_t ops_queued, ops_done;
	struct emu_fragment fragment[MACHINE_QPUS];
	uint64_t threads;   /* fragment threads so far */
	unsigned fragments; /* of them, those that run */
	/*
	 * The cycle model: the clock; when each list goes on, when the next
	 * thread may start, and when the operation of the tile that is under
	 * way is done (0: none is).  `wake` is the first of those that
	 * something waits for.
	 */
	uint64_t now, wake;
	uint64_t list_free[EMU_LISTS], quads_free, op_end;
	bool waits; /* the last run ended since only the CPU can help */
	uint32_t interrupts, enabled;
	uint32_t flushes, frames; /* BFC, RFC */
};

/* Forget all lists and threads, as when the power goes. */
void
emu_pipe_reset(struct emu_pipe *pipe);

/* Is there anything that goes on, or waits to? */
bool
emu_pipe_busy(const struct emu_pipe *pipe);

/*
 * Take the lists on; returns how much was done, packets or threads.  In timed
 * mode pipe->now is the clock, and pipe->wake is set to the clock at which it
 * wants to be called again; EMU_PIPE_NEVER: when a thread ends.
 */
#define EMU_PIPE_NEVER UINT64_MAX

uint64_t
emu_pipe_advance(struct machine *machine);

/* Is it this late?  If not, which only the cycle model knows, the pipe goes on
 * then. */
bool
emu_pipe_is_time(struct machine *machine, uint64_t clock);

/* What a list waits for that only the CPU can do, as a sentence. */
void
emu_pipe_explain(const struct emu_pipe *pipe, struct diag *why);

/* A shader's thread has ended. */
void
emu_pipe_ended(struct emu_qpu *qpu);

/* Registers 0x030 to 0x038, 0x100 to 0x138 and 0x300 to 0x30c. */
uint32_t
emu_pipe_read(const struct machine *machine, uint32_t offset);
void
emu_pipe_write(struct machine *machine, uint32_t offset, uint32_t value);

/* End the run: a list asks for what cannot be done.  EMU_PROGRESS_FAULT. */
__attribute__((format(printf, 3, 4))) enum emu_progress
emu_list_fault(struct machine *machine, enum emu_list_number number,
	       const char *format, ...);

/* Queue an operation of the tile; it waits while the queue is full. */
enum emu_progress
emu_pipe_tile(struct emu_pipe *pipe, const struct emu_tile_op *op);

#endif
