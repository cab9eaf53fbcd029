/* SPDX-License-Identifier: MIT */
/*
 * pipe: the 3D pipeline: two control lists, the binner, the renderer, the tile
 * buffer, and the shader threads that these give to QPUs.
 *
 * Lists and threads go on in turns: emu_pipe_advance() takes both lists as far
 * as they come without a QPU's help, and starts threads on free QPUs; then the
 * QPUs run.  A list that waits stays at its packet.
 *
 * The tile buffer holds the colours of one tile: 32 x 32 pixels of four
 * samples. Stores of the render list are full dumps: all words, in the order of
 * qpu/ways/way.h.  They are put into a queue; each takes its turn when all
 * fragment threads that were started before it have ended, while threads of the
 * next tile may run already (the guide, section 8: "the change from one tile to
 * the next is pipelined").
 */
#ifndef QPU_EMULATOR_PIPE_H
#define QPU_EMULATOR_PIPE_H

#include <stdbool.h>
#include <stdint.h>

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

enum {
	EMU_CORNERS = 3,
	EMU_SAMPLES = 4,    /* of a pixel */
	EMU_TILE_SIDE = 32, /* pixels */
	EMU_QUADS = 4,	    /* of a fragment thread */
	EMU_PIXEL = 16,	    /* units of a pixel */
};

/* The quads of a thread, by their first pixel.  Lanes 4q .. 4q + 3 of quad q are
 * (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1); lanes outside the window
 * have the mask 0. */
struct emu_quads {
	unsigned n;
	unsigned x[EMU_QUADS], y[EMU_QUADS];
	uint8_t mask[EMU_LANES]; /* samples, 4 bits */
};

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(unsigned x, unsigned y, unsigned sample)
{
	return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + (y & 1) * 2 +
	       (x & 1);
}

/* --- Shader records and vertices: shader.c -------------------------------- */

/*
 * The corners of a triangle go through a coordinate or vertex shader.  Their
 * batch has two parts of the VPM, which the shader sees from row 0 on: the
 * attributes, a word of all vertices in each row, and what it writes.  Records
 * are laid out as in the guide, section 9 (GL shader state record), and in
 * Linux 6.1, drivers/gpu/drm/vc4/vc4_validate.c, validate_gl_shader_rec.
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
	uint32_t index[EMU_CORNERS];
	enum emu_phase phase;
};

/* A vertex shader writes y << 16 | x to row 0; a coordinate shader writes the
 * position for the clipper before it. */
enum { EMU_ROW_CLIP = 4 };

/* Read the record that a word names, which has the number of attributes in its low
 * bits.  False after a fault: it is outside of memory. */
bool
emu_record_read(struct machine *machine, enum emu_list_number list,
		uint32_t word, struct emu_record *record);

/* Load the attributes of the corners from a vertex on; other rows of its windows
 * stay as they are. False after a fault, likewise. */
bool
emu_batch_fetch(struct machine *machine, enum emu_list_number list,
		const struct emu_record *record, enum emu_shader shader,
		uint32_t first, struct emu_batch *batch);

/* Give a batch that was fetched to a QPU that is free and not kept from such
 * shaders by SQRSV; it is done when the shader has ended. */
enum emu_progress
emu_batch_shade(struct machine *machine, enum emu_shader shader,
		const struct emu_record *record, struct emu_batch *batch);

/* --- Windows: binner.c ---------------------------------------------------- */

/*
 * A draw is one triangle that covers its clip window, as in jobs of qpu/ways: a
 * window, a rectangle of pixels.  Whatever else a list draws ends the run with
 * a sentence.
 *
 * The binner writes windows into the memory for lists, after the first blocks
 * of all tiles, and into each of these a packet of the renderer's own kind:
 *
 *	COMPRESSED_PRIMITIVE  EMU_WINDOWS, the address of the first, their number
 *
 * so that binning may be jobs ahead of rendering.  The hardware sorts triangles
 * into lists for each tile; states of tiles and further blocks are not used
 * here.
 */
enum { EMU_WINDOWS = 255, EMU_PACKET_BYTES = 16 };

struct emu_window {
	uint32_t shader,
		first; /* the word of its record, and the first corner */
	uint32_t xy[EMU_CORNERS]; /* as the vertex shader places the corners */
	uint16_t low[2], high[2]; /* pixels from low up to high; x, y */
	uint32_t back;		  /* it is seen from behind */
};

struct emu_binner {
	bool active, configured;
	uint32_t lists, block;	/* the first blocks of tiles, and their bytes */
	uint32_t windows, left; /* BPCA, BPCS: of what is left for them */
	uint32_t nwindows;
	unsigned tiles_x, tiles_y;
	unsigned increments; /* of the renderer's semaphore, by the flush */
	/* State that the list has set. */
	bool has_shader, clips;
	uint32_t shader, configuration;
	uint16_t clip[4]; /* x, y, width, height */
	int16_t centre[2];
	struct emu_record record;
	struct emu_batch batch;
};

/* A packet of the binning list; `bytes` follow its code. */
enum emu_progress
emu_binner_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes);

/* --- Windows to threads: tile_render.c ------------------------------------ */

struct emu_render {
	bool active;
	uint32_t clear;
	unsigned tile_x, tile_y, tile_serial;
	uint32_t windows, nwindows; /* that wait to be drawn */
	struct emu_window window; /* that is drawn, if the batch is not empty */
	struct emu_record record;
	struct emu_batch batch;
	bool drawing;		/* its vertices are shaded */
	unsigned next;		/* place in the order of quads */
	unsigned first, step;	/* of that order: the first quad, an odd step */
	struct emu_quads quads; /* of the next thread, if n is not 0 */
};

/* A packet of a rendering or tile list; `bytes` follow its code. */
enum emu_progress
emu_render_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes);

/* Draw the windows that wait; it must be done before anything else. */
enum emu_progress
emu_render_flush(struct machine *machine);

/* --- Fragment threads and the tile buffer: shader.c ----------------------- */

/*
 * What a fragment thread has beside registers, and its way to the
 * tile buffer.
 *
 * A thread waits at its first access to the tile buffer (the scoreboard) until
 * loads and stores that were asked for before it are done and no earlier thread
 * with one of its quads runs; that thread unlocks them when it ends, or by
 * sbdone (the guide, section 3, thread synchronization).  So quads are drawn in
 * the order of primitives, and a thread of the next tile, which may run
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

/* Start a thread for the quads that the renderer has, on a free QPU. */
void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu);

/* Return true if a thread of this kind may execute the instruction. */
bool
emu_fragment_allows(const struct emu_qpu *qpu, const struct emu_op *op);

/* Return true if the scoreboard lets the thread draw. */
bool
emu_fragment_may_draw(const struct emu_qpu *qpu);

/* Write tlbm or tlbc; `lanes` are those that the condition lets through. */
void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, const emu_vec *value,
		   unsigned lanes);

/* Signals sbwait, sbdone, loadc, ldcend, thrsw and lthrsw. */
void
emu_fragment_signal(struct emu_qpu *qpu, unsigned signal);

/* --- The lists: pipe.c ---------------------------------------------------- */

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
	 * way is done (or 0).  `wake` is the first of those that
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

/* Return true while something is under way or waits. */
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

/* Return true if it is this late; if not, which only the cycle model knows, the
 * pipe is advanced then. */
bool
emu_pipe_is_time(struct machine *machine, uint64_t clock);

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
