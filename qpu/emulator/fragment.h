/* SPDX-License-Identifier: MIT */
/*
 * fragment: what a fragment thread has beside registers, and its way to the
 * tile buffer.
 *
 * A thread waits at its first access to the tile buffer (the scoreboard) until
 * loads and stores that were asked for before it are done and no earlier thread
 * with one of its quads runs; that thread unlocks them when it ends, or by
 * sbdone (the guide, section 3, thread synchronization).  So quads are
 * drawn in the order of primitives, and a thread of the next tile, which may run
 * already, does not touch this one.
 */
#ifndef QPU_EMULATOR_FRAGMENT_H
#define QPU_EMULATOR_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/decode.h"
#include "qpu/emulator/graphics/raster.h"

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

struct emu_qpu;
struct machine;

/* What a new thread draws. */
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

#endif
