/* SPDX-License-Identifier: MIT */
/*
 * stale: the words that the texture units' caches and the V3D's L2 hold.
 *
 * A lookup takes what was fetched, even if a DMA or the CPU has stored something
 * else since.  The caches are as large as the cycle model's, so that a line which
 * they cannot hold any more is fetched again.  Checking mode has them always,
 * other modes from the first launch on that does not clear all caches.
 *
 * Uniforms and instructions are not here: a program always gets those that
 * memory has.
 */
#ifndef QPU_EMULATOR_STALE_H
#define QPU_EMULATOR_STALE_H

#include <stdint.h>

#include "qpu/emulator/cache.h"
#include "qpu/emulator/machine.h"

/* To be freed with free(); null when memory is short. */
struct emu_stale *
emu_stale_create(void);

/* A cache whose words are here; null for other kinds.  The slice means nothing
 * for L2. */
struct emu_cache *
emu_stale_cache(struct emu_stale *stale, enum emu_cache_kind kind,
		unsigned slice);

/* The word of each lane as texture unit 0..5 gets it.  Returns the lanes whose
 * address is outside of memory, a bit each; in `old`, unless it is null, are
 * those whose word memory has otherwise by now. */
unsigned
emu_stale_gather(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		 const emu_vec *addresses, emu_vec *words, unsigned *old);

/* A DMA stored these bytes. */
void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes);

#endif
