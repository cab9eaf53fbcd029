/* SPDX-License-Identifier: MIT */
/*
 * timed: runs the QPUs by the clock of the cycle model.
 *
 * An event loop over 12 QPUs and 6 texture units, each with the clock of its
 * next step.  An instruction that touches nothing shared is executed together
 * with those after it in its line; all others happen in the order of
 * time, so that a run is deterministic.
 */
#ifndef QPU_EMULATOR_TIMED_H
#define QPU_EMULATOR_TIMED_H

#include "qpu/emulator/base/timing.h"
#include "qpu/emulator/machine.h"

/* To be freed with free(); null when memory is short. */
struct emu_timed *
emu_timed_create(void);

/* A cache of the model; the slice means nothing for L2. */
struct emu_cache *
emu_timed_cache(struct emu_timed *timed, enum emu_cache_kind kind,
		unsigned slice);

/* A launch by mailbox or by register: its cost is kept apart. */
void
emu_timed_launched(struct machine *machine, bool mailbox);

enum machine_status
emu_timed_run(struct machine *machine, uint64_t instructions, uint64_t clocks);

/* The tile buffer may be another thread's turn; without the cycle model nothing. */
void
emu_timed_unlocked(struct machine *machine);

/* Stop all programs, as from outside. */
void
emu_timed_stop(struct machine *machine);

/* Clocks in which QPUs had no program, of all QPUs together. */
uint64_t
emu_timed_idle(const struct machine *machine);

/* --- What QPUs share, and when each unit lets an instruction go on: units.c --- */

enum {
	EMU_TMUS = 6,
	EMU_SLOT_CLOCKS = 4,
	EMU_TMU_QUEUE = EMU_SLICE_QPUS * EMU_TMU_DEPTH,
	EMU_UNIFORM_FIFO = 2,
	EMU_VPM_FIFO = 2,
	EMU_TIMED_LINES =
		(EMU_SLICES * (COST_ICACHE_BYTES + COST_UNIFORM_BYTES) +
		 EMU_TMUS * COST_TMU_BYTES + COST_L2_BYTES +
		 COST_SYSTEM_L2_BYTES) /
		EMU_CACHE_LINE,
};

#define EMU_NEVER UINT64_MAX

/* A vector of addresses on its way through a texture unit. */
struct emu_lookup {
	emu_vec addresses;
	uint64_t arrives;
	uint8_t qpu, place; /* of the result in the QPU's FIFO */
};

struct emu_tmu {
	struct emu_cache cache;
	struct emu_lookup queue[EMU_TMU_QUEUE];
	unsigned head, count;
	unsigned lane;	      /* next of the first lookup */
	uint64_t tag_free;    /* tag stage: one lane after another */
	uint64_t data_ready;  /* of the first lookup so far */
	uint64_t last_result; /* results keep their order */
	uint64_t fills[COST_TMU_OUTSTANDING]; /* arrivals of open lines */
};

struct emu_slice {
	struct emu_cache icache, uniforms;
};

/* A QPU's view of its units. */
struct emu_ports {
	uint64_t start;
	bool active;
	uint64_t stalled_since; /* with cause; EMU_NEVER: is not */
	uint8_t cause;
	uint32_t line;			    /* code line fetched last, + 1 */
	uint64_t line_at;		    /* the icache's `changes` then */
	uint64_t uniform[EMU_UNIFORM_FIFO]; /* ready times, oldest first */
	uint64_t uniform_free;		    /* prefetcher */
	uint32_t uniform_next;		    /* address it fetches next */
	uint64_t vpm_read;		    /* next vector is there */
	uint64_t vpm_turn;		    /* at the VPM's port, or 0 */
	uint64_t vpm_written[EMU_VPM_FIFO]; /* drain times, oldest first */
	uint64_t vdr_done, vdw_done;
};

struct emu_timed {
	struct emu_path path;
	struct emu_slice slice[EMU_SLICES];
	struct emu_tmu tmu[EMU_TMUS];
	struct emu_ports ports[MACHINE_QPUS];
	/* Clock of the next step: QPUs, texture units, the 3D pipeline. */
	uint64_t when[MACHINE_QPUS + EMU_TMUS + 1];
	uint64_t vpm_free, vdr_free, vdw_free;
	uint64_t visible[EMU_SEMAPHORES];
	int mutex_next; /* waiter it was handed to */
	uint64_t now, launch_clocks;
	uint64_t busy;				/* of programs that ended */
	struct emu_line lines[EMU_TIMED_LINES]; /* of all caches */
};

/* First clock in the QPU's own phase that is not before a clock. */
static inline uint64_t
emu_phase(const struct emu_qpu *qpu, uint64_t clock)
{
	const unsigned phase = qpu->number % EMU_SLICE_QPUS;

	return clock + ((phase - clock) & (EMU_SLOT_CLOCKS - 1));
}

static inline struct emu_slice *
emu_slice_of(struct emu_timed *timed, const struct emu_qpu *qpu)
{
	return &timed->slice[qpu->number / EMU_SLICE_QPUS];
}

/* A program starts: nothing is in any FIFO, uniforms are on their way. */
void
emu_units_start(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock);

/* A program has ended: lookups that it did not load are forgotten. */
void
emu_units_end(struct emu_timed *timed, const struct emu_qpu *qpu);

/* When the QPU's next instruction arrives from the icache. */
uint64_t
emu_units_fetch(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock);

/* The instruction's reason to wait at this clock, and until when (EMU_NEVER:
 * until another QPU or unit acts). */
enum machine_stall
emu_units_wait(struct emu_timed *timed, const struct emu_qpu *qpu,
	       const struct emu_op *op, uint64_t clock, uint64_t *until);

/* The instruction was executed: what it did to the units. */
void
emu_units_done(struct emu_timed *timed, struct emu_qpu *qpu,
	       const struct emu_op *op, uint64_t clock);

/* Let threads that wait for the tile buffer try again. */
void
emu_units_unlocked(struct emu_timed *timed, struct machine *machine,
		   uint64_t clock);

/* A step of a texture unit at its clock. */
void
emu_units_tmu(struct emu_timed *timed, struct machine *machine, unsigned number,
	      uint64_t clock);

#endif
