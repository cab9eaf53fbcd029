/* SPDX-License-Identifier: MIT */
/*
 * stale: the words that the texture units' caches and the V3D's L2 hold, in
 * checking mode.
 *
 * A lookup takes what was fetched, even if a DMA has stored something else
 * since.  The caches are as large as the cycle model's, so that a line which
 * they cannot hold any more is fetched again.
 */
#ifndef QPU_EMULATOR_STALE_H
#define QPU_EMULATOR_STALE_H

#include <stdbool.h>
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

bool
emu_stale_init(struct emu_stale *stale, const struct machine_timing *timing);
void
emu_stale_free(struct emu_stale *stale);

/* The word at an address as texture unit 0..5 gets it. */
enum emu_stale_word
emu_stale_fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		uint32_t bus_addr, uint32_t *word);

/* A DMA stored these bytes. */
void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes);

#endif
