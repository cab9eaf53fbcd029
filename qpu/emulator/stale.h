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

enum { EMU_STALE_TMUS = 6 };

/* Words of the lines of a cache. */
struct emu_copies {
	struct emu_cache cache;
	struct emu_copy *copies; /* by index of the cache's line */
};

struct emu_stale {
	struct emu_copies tmu[EMU_STALE_TMUS], l2;
};

enum emu_stale_word {
	EMU_STALE_CURRENT,
	EMU_STALE_OLD,	   /* memory has another word by now */
	EMU_STALE_OUTSIDE, /* there is no memory: noise */
};

/* Null timing is the default: the sizes of caches.  Null: out of memory. */
struct emu_stale *
emu_stale_create(const struct machine_timing *timing);
void
emu_stale_destroy(struct emu_stale *stale);

/* A cache whose words are here; null for other kinds.  The slice means nothing
 * for L2. */
struct emu_cache *
emu_stale_cache(struct emu_stale *stale, enum emu_cache_kind kind,
		unsigned slice);

/* The word at an address as texture unit 0..5 gets it. */
enum emu_stale_word
emu_stale_fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		uint32_t bus_addr, uint32_t *word);

/* The word of each lane.  Returns the lanes whose address is outside of memory,
 * a bit each. */
unsigned
emu_stale_gather(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		 const emu_vec *addresses, emu_vec *words);

/* A DMA stored these bytes. */
void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes);

#endif
