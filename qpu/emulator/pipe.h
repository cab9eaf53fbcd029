/* SPDX-License-Identifier: MIT */
/*
 * pipe: the 3D pipeline, as far as jobs of the kernel's driver vc4 use it to
 * run programs: two control lists, windows of pixels, the tile buffer, and the
 * shaders that these give to QPUs.
 *
 * A draw is one triangle that covers its clip window, a rectangle of quads (2 x 2
 * pixels).  A list that asks for anything else ends the run with an error message.
 * A window goes this way:
 *
 *	the binning list draws	-> the coordinate shader of its three corners runs
 *	its flush		-> every tile's list names all windows
 *	the rendering list	-> for each tile: the vertex shader of each window
 *				   that touches it, then threads of four quads
 *	its stores		-> operations of the tile, one at a time
 *
 * Nothing blocks.  Functions return true when their work is done; else it waits for a
 * QPU or its program, or the machine is dead.  emu_pipe_advance() advances lists,
 * windows and operations as far as possible without a QPU, and starts shaders on free
 * QPUs; then the QPUs run.  Waiting work stays where it is and is retried at the next
 * call: a list at its packet, a window with its batch, an operation of the tile.  An
 * operation takes its turn when all fragment threads that were started before it have
 * ended, while the list goes on, and threads of the next tile may run already: "the
 * change from one tile to the next is pipelined" (the guide, section 8).  The next
 * operation waits at its packet.  If a call makes no progress and no shader runs,
 * whose end would call again, the rest waits for the CPU (`waits`).
 *
 * Only programs take time.  With guesses for packets, for starts of threads and for
 * the bytes of a tile a run of qpu/sha took 0.3 % longer.
 */
#ifndef QPU_EMULATOR_PIPE_H
#define QPU_EMULATOR_PIPE_H

#include "qpu/emulator/machine.h"

enum emu_list_number { EMU_BIN, EMU_RENDER, EMU_LISTS };

enum {
	EMU_CORNERS = 3,
	EMU_SAMPLES = 4,    /* in a pixel */
	EMU_TILE_SIDE = 32, /* pixels */
	EMU_TILE_WORDS = EMU_TILE_SIDE * EMU_TILE_SIDE * EMU_SAMPLES,
	EMU_THREAD_QUADS = EMU_LANES / 4,
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
	EMU_PHASE_SHADING,
	EMU_PHASE_SHADED,
};

/*
 * The corners of a triangle with their shader record (the guide, section 9, GL
 * shader state record, and Linux 6.1, drivers/gpu/drm/vc4/vc4_validate.c,
 * validate_gl_shader_rec).  A coordinate or vertex shader has two windows of
 * the VPM, each from row 0 on: it reads attributes from one, where each row has
 * a word of every vertex, and writes to the other.  A vertex shader writes
 * y << 16 | x to row 0, a coordinate shader to row 4, after the position for
 * the clipper.
 */
struct emu_batch {
	struct emu_vpm in, out;
	struct emu_launch launch[EMU_SHADERS];
	enum emu_phase phase;
};

/*
 * Run a list's shader for the corners: for binning the coordinate shader, else the
 * vertex shader.  For an empty batch, first read the shader record at `word`, whose
 * low bits are the number of attributes, and load the one attribute; other rows of
 * the batch's windows keep their contents.  The work waits while no QPU is free that
 * SQRSV leaves to such shaders, and until the shader has ended.
 */
bool
emu_batch_shade(struct machine *machine, enum emu_list_number list,
		uint32_t word);

/*
 * State of a fragment thread beside its registers.  Its lanes 4q to 4q + 3 are the
 * pixels (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1) of quad q.
 *
 * A thread waits at its first access to the tile buffer (the scoreboard) until
 * operations of the tile that were queued before its start are done and no
 * earlier thread has one of its quads locked.  A thread unlocks its quads when
 * it ends, or by sbdone (the guide, section 3, thread synchronization).  So
 * quads are drawn in the order of primitives, and a thread of the next tile,
 * which may run already, does not touch this one.
 */
struct emu_fragment {
	bool active, unlocked;
	uint64_t serial; /* in the order of starts */
	uint64_t ops;	 /* tile operations that come before it */
	/* Places of quads in the tile.  A quad that is not there, from number
	 * `quads` on, repeats the first one, and draws nothing. */
	uint8_t x[EMU_THREAD_QUADS], y[EMU_THREAD_QUADS];
	unsigned quads;
	unsigned writes, loads; /* samples of colour so far */
};

/* Start the renderer's next thread on a QPU, which must be free. */
void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu);

/* Return true if a thread of this kind may execute the instruction. */
static inline bool
emu_fragment_allows(const struct emu_qpu *qpu, const struct emu_op *op)
{
	return qpu->kind == EMU_THREAD_FRAGMENT ||
	       !(op->ports & QPU_PORT_GRAPHICS);
}

/* Return true if the scoreboard lets the thread draw. */
bool
emu_fragment_may_draw(const struct emu_qpu *qpu);

/* Write to tlbm or tlbc in the lanes for which the instruction's condition
 * holds. */
void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, const emu_vec *value,
		   unsigned lanes);

/* Execute the signal sbwait, sbdone, loadc or ldcend. */
void
emu_fragment_signal(struct emu_qpu *qpu, unsigned signal);

/* --- Windows, their quads, and the tile buffer: window.c -------------------- */

/*
 * A window as the binner writes it into the memory for lists, after the first
 * blocks of all tiles.  The flush writes one packet, which only this model
 * knows, to each of these blocks:
 *
 *	COMPRESSED_PRIMITIVE  WINDOWS, the address of the first, their number
 *
 * So binning may be jobs ahead of rendering.  The hardware sorts triangles into
 * a list for each tile instead; here the states of tiles and further blocks are
 * unused.
 */
struct emu_window {
	uint32_t shader;	  /* the word of its record */
	uint32_t xy[EMU_CORNERS]; /* the corners' places by the shaders */
	uint16_t low[2], high[2]; /* pixels from low up to high; x, y */
};

struct emu_binner {
	bool active; /* the list has set the mode, and not ended it by a flush */
	uint32_t lists;		/* first blocks of tiles */
	uint32_t windows, left; /* memory for windows, bytes free */
	uint32_t nwindows;
	unsigned tiles_x, tiles_y;
	unsigned increments; /* of the renderer's semaphore, by the flush */
	/* Set by the list: */
	uint32_t shader, configuration;
	uint16_t clip[4]; /* x, y, width, height */
	int16_t centre[2];
};

struct emu_render {
	uint32_t clear;
	unsigned tile_x, tile_y;
	uint32_t windows, nwindows; /* not begun yet */
	struct emu_window window;   /* the current one */
	bool shading;		    /* its vertex shader runs or waits */
	bool drawing;		    /* its quads are drawn, after that */
	unsigned next;		    /* quad of the tile */
	struct emu_fragment thread; /* the next one; it waits if it has quads */
};

/* An operation of the tile: it may dump all words of the tile buffer in the
 * order of qpu/ways/way.h, clears the buffer, and may end the frame. */
struct emu_tile_op {
	bool dumps, end_of_frame;
	uint32_t addr; /* of the dump */
	uint32_t clear;
};

/* Add the window of the binner's triangle, whose corners have been shaded. */
bool
emu_window_add(struct machine *machine);

/* Draw the current window and those not begun.  The list must not go on until
 * this returns true. */
bool
emu_windows_draw(struct machine *machine);

/* Do the operation of the tile if its turn has come.  Return true if it is done. */
bool
emu_tile_step(struct machine *machine);

/* --- The lists and the whole: pipe.c --------------------------------------- */

struct emu_list {
	uint32_t at, end; /* CTnCA, CTnEA */
	uint32_t back;	  /* from the list of a tile, where `depth` is 1 */
	unsigned depth;
	bool running, failed;
	unsigned semaphore; /* which only rendering waits for */
};

/* All zero after a reset. */
struct emu_pipe {
	struct emu_list list[EMU_LISTS];
	struct emu_batch batch[EMU_LISTS];
	struct emu_binner binner;
	struct emu_render render;
	uint32_t tile[EMU_TILE_WORDS]; /* the tile buffer */
	struct emu_tile_op op;
	bool op_waits; /* for its turn */
	uint64_t ops;  /* so far */
	struct emu_fragment fragment[MACHINE_QPUS];
	uint64_t threads;   /* fragment threads so far */
	unsigned fragments; /* running fragment threads */
	bool waits; /* the last run ended because only the CPU can go on */
	uint32_t interrupts;
	uint32_t flushes, frames; /* BFC, RFC */
};

/* Return true while something is under way or waits. */
bool
emu_pipe_busy(const struct emu_pipe *pipe);

/* Advance the lists.  Return the number of steps done, 0 if only the end of a thread
 * or the CPU can help. */
uint64_t
emu_pipe_advance(struct machine *machine);

/* Release the batch or the quads of a shader's thread that has ended. */
void
emu_pipe_ended(struct emu_qpu *qpu);

/* Start a list, as a write of its end address does. */
void
emu_list_start(struct machine *machine, enum emu_list_number number,
	       uint32_t end);

/* End the run with the message that a list cannot be executed.  Return false. */
__attribute__((format(printf, 3, 4))) bool
emu_refuse(struct machine *machine, enum emu_list_number number,
	   const char *format, ...);

/* Return the memory of what a list names, or null after that message. */
void *
emu_named(struct machine *machine, enum emu_list_number number,
	  const char *what, uint32_t at, uint32_t bytes);

#endif
