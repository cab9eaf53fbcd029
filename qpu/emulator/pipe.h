/* SPDX-License-Identifier: MIT */
/*
 * pipe: the 3D pipeline: two control lists, the binner, the renderer, the tile
 * buffer, and the shader threads that these give to QPUs.
 *
 * Lists and threads go on in turns: emu_pipe_advance() takes both lists as far
 * as they come without a QPU's help, and starts threads on free QPUs; then the
 * QPUs run.  A list that waits stays at its packet.
 *
 * The tile buffer holds the colours of one tile: 32 x 32 pixels of four samples.  Stores of
 * the render list are full dumps: all words, in the order of
 * qpu/ways/way.h.  They are put into a queue; each takes its turn when all fragment threads that were started
 * before it have ended, while threads of the next tile may run already (the
 * guide, section 8: "the change from one tile to the next is pipelined").
 */
#ifndef QPU_EMULATOR_PIPE_H
#define QPU_EMULATOR_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/binner.h"
#include "qpu/emulator/emulator.h"
#include "qpu/emulator/fragment.h"
#include "qpu/emulator/tile_render.h"

enum emu_list_number { EMU_LIST_BIN, EMU_LIST_RENDER, EMU_LISTS };

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
	struct emu_quad_order order, shuffled;
};

/* To be freed with free(). */
struct emu_pipe *
emu_pipe_create(void);

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

/* A thread lets others draw. */
void
emu_pipe_unlocked(struct machine *machine);

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

/* Start a batch on a QPU that is free and not kept from such shaders by SQRSV;
 * false if there is none. */
bool
emu_pipe_shade(struct machine *machine, enum emu_shader shader,
	       const struct emu_record *record, struct emu_batch *batch);

/* Queue a load or store of the tile; false if the queue is full. */
bool
emu_pipe_tile(struct machine *machine, const struct emu_tile_op *op);

#endif
