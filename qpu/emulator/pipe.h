/* SPDX-License-Identifier: MIT */
/*
 * pipe: the 3D pipeline, as far as jobs of the kernel's driver vc4 use it to run
 * programs: two control lists, windows of pixels, the tile buffer, and the
 * shaders that these give to QPUs.
 *
 * A draw is one triangle that covers its clip window: a window, a rectangle of
 * pixels.  Whatever else a list asks for ends the run with a sentence.  A window
 * goes this way:
 *
 *	the binning list draws	-> the coordinate shader of its three corners runs
 *	its flush		-> every tile's list names all windows
 *	the rendering list	-> for each tile: the vertex shader of each window
 *				   that touches it, then threads of four quads
 *	its stores		-> operations of the tile, in a queue
 *
 * Nothing blocks.  emu_pipe_advance() takes lists, windows and operations as far
 * as they come without a QPU's help, and starts shaders on free QPUs; then the
 * QPUs run.  What waits stays where it is, and is tried again at the next call:
 * a list at its packet, a window with its batch, an operation at the head of the
 * queue.  An operation takes its turn when all fragment threads that were
 * started before it have ended (its fence), while threads of the next tile may run
 * already: "the change from one tile to the next is pipelined" (the guide,
 * section 8).  Each call makes progress, or some shader runs whose end calls it
 * again; if neither, the rest waits for the CPU (`waits`).
 *
 * The cycle model asks emu_pipe_reached() before each of these steps; the
 * earliest clock that was refused is `wake`.
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
	EMU_TILE_WORDS = EMU_TILE_SIDE * EMU_TILE_SIDE * EMU_SAMPLES,
};

/* --- Shaders: shader.c ------------------------------------------------------ */

/* The shaders of a record in the order of their addresses. */
enum emu_shader {
	EMU_SHADER_FRAGMENT,
	EMU_SHADER_VERTEX,
	EMU_SHADER_COORDINATE,
	EMU_SHADERS
};

enum emu_phase {
	EMU_PHASE_EMPTY,
	EMU_PHASE_FETCHED, /* waits for a QPU */
	EMU_PHASE_SHADING,
	EMU_PHASE_SHADED,
};

/*
 * The corners of a triangle with their shader record (the guide, section 9, GL
 * shader state record, and Linux 6.1, drivers/gpu/drm/vc4/vc4_validate.c,
 * validate_gl_shader_rec).  A coordinate or vertex shader sees two parts of the
 * VPM from row 0 on: the attributes, a word of all vertices in each row, and what
 * it writes.
 */
struct emu_batch {
	struct emu_vpm in, out;
	uint32_t first; /* corner */
	uint32_t code[EMU_SHADERS], uniforms[EMU_SHADERS];
	bool threaded; /* the fragment shader switches threads */
	bool clipping;
	enum emu_phase phase;
};

/* A vertex shader writes y << 16 | x to row 0; a coordinate shader writes the
 * position for the clipper before it. */
enum { EMU_ROW_CLIP = 4 };

/*
 * Run a shader for the corners from `first` on.  An empty batch reads the record
 * that a word names, which has the number of attributes in its low bits, and loads
 * these; other rows of its windows stay as they are.  It waits for a QPU that is
 * free and not kept from such shaders by SQRSV, and is done when the shader has
 * ended.
 */
enum emu_progress
emu_batch_shade(struct machine *machine, enum emu_list_number list,
		uint32_t word, uint32_t first, enum emu_shader shader,
		struct emu_batch *batch);

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

/* --- Windows, their quads, and the tile buffer: window.c -------------------- */

/*
 * A window as the binner writes it into the memory for lists, after the first
 * blocks of all tiles; each of these gets a packet of the renderer's own kind:
 *
 *	COMPRESSED_PRIMITIVE  EMU_WINDOWS, the address of the first, their number
 *
 * so that binning may be jobs ahead of rendering.  The hardware sorts triangles
 * into lists for each tile; states of tiles and further blocks are not used here.
 */
struct emu_window {
	uint32_t shader,
		first; /* the word of its record, and the first corner */
	uint32_t xy[EMU_CORNERS]; /* as the vertex shader places the corners */
	uint16_t low[2], high[2]; /* pixels from low up to high; x, y */
	uint32_t back;		  /* it is seen from behind */
};

/* The quads of a thread, by their first pixel.  Lanes 4q .. 4q + 3 of quad q are
 * (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1); lanes outside the window
 * have the mask 0. */
struct emu_quads {
	unsigned n;
	unsigned x[EMU_QUADS], y[EMU_QUADS];
	uint8_t mask[EMU_LANES]; /* samples, 4 bits */
};

struct emu_binner {
	bool active, configured;
	uint32_t lists, block;	/* the first blocks of tiles, and their bytes */
	uint32_t windows, left; /* BPCA, BPCS: of what is left for them */
	uint32_t nwindows;
	unsigned tiles_x, tiles_y;
	unsigned increments; /* of the renderer's semaphore, by the flush */
	/* State that the list has set. */
	bool has_shader;
	uint32_t shader, configuration;
	uint16_t clip[4]; /* x, y, width, height */
	int16_t centre[2];
	struct emu_batch batch;
};

struct emu_render {
	bool active;
	uint32_t clear;
	unsigned tile_x, tile_y, tile_serial;
	uint32_t windows, nwindows; /* that wait to be drawn */
	struct emu_window window;   /* that is drawn, */
	bool shading;		    /* by its vertex shader, */
	bool drawing;		    /* or after that, by quads */
	struct emu_batch batch;
	unsigned next;		/* place in the order of quads */
	unsigned first, step;	/* of that order: the first quad, an odd step */
	struct emu_quads quads; /* of the next thread, if n is not 0 */
};

/* A full dump of the tile buffer, all words in the order of qpu/ways/way.h, or
 * nothing; then it may clear, and end the frame. */
struct emu_tile_op {
	bool dumps, clears, end_of_frame;
	uint32_t addr;	 /* of the dump */
	uint32_t packet; /* where the list asks for it */
	uint32_t clear;
	unsigned serial; /* of the tile */
};

/* The word of a sample of a pixel of the tile: quads lie together. */
static inline unsigned
emu_tile_word(unsigned x, unsigned y, unsigned sample)
{
	return (y & 30) * 128 + (x & 30) * 8 + sample * 4 + (y & 1) * 2 +
	       (x & 1);
}

/* The triangle of the binner's batch was shaded: keep its window, if it has one. */
enum emu_progress
emu_window_add(struct machine *machine);

/* Draw the windows that wait; it must be done before anything else. */
enum emu_progress
emu_windows_draw(struct machine *machine);

/* Queue an operation of the tile; it waits while the queue is full. */
enum emu_progress
emu_tile_queue(struct machine *machine, struct emu_tile_op op);

/* Do the next one, if there is one that can take place. */
bool
emu_tile_step(struct machine *machine);

/* --- The lists and the whole: pipe.c --------------------------------------- */

enum { EMU_LIST_DEPTH = 2, EMU_TILE_OPS = 16 };

struct emu_list {
	uint32_t at, end; /* CTnCA, CTnEA */
	uint32_t back[EMU_LIST_DEPTH];
	unsigned depth;
	bool running, failed;
	unsigned semaphore;
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
emu_pipe_reached(struct machine *machine, uint64_t clock);

/* A shader's thread has ended. */
void
emu_pipe_ended(struct emu_qpu *qpu);

/* The end of a list is written, which starts it. */
void
emu_list_start(struct machine *machine, enum emu_list_number number,
	       uint32_t end);

/* End the run: a list asks for what cannot be done.  EMU_PROGRESS_FAULT. */
__attribute__((format(printf, 3, 4))) enum emu_progress
emu_list_fault(struct machine *machine, enum emu_list_number number,
	       const char *format, ...);

#endif
