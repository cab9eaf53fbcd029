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
#include "qpu/emulator/cache.h"
#include "qpu/emulator/machine.h"

/* Null timing is the default; null when memory is short. */
struct emu_timed *
emu_timed_create(const struct machine_timing *timing);
void
emu_timed_destroy(struct emu_timed *timed);

/* A cache of the model; the slice means nothing for L2. */
struct emu_cache *
emu_timed_cache(struct emu_timed *timed, enum emu_cache_kind kind,
		unsigned slice);

/* A launch by mailbox or by register: its cost is kept apart. */
void
emu_timed_launched(struct emu_timed *timed, bool mailbox);

enum machine_status
emu_timed_run(struct machine *machine, uint64_t instructions, uint64_t clocks);

/* Clocks of the 3D pipeline: a packet, a thread's quads, bytes of a tile. */
uint64_t
emu_timed_packet(const struct emu_timed *timed);
uint64_t
emu_timed_quads(const struct emu_timed *timed);
uint64_t
emu_timed_tile(const struct emu_timed *timed, unsigned bytes);

/* The tile buffer may be another thread's turn. */
void
emu_timed_unlocked(struct machine *machine);

/* Stop all programs, as from outside. */
void
emu_timed_stop(struct machine *machine);

/* Clocks in which QPUs had no program, of all QPUs together. */
uint64_t
emu_timed_idle(const struct machine *machine);

#endif
