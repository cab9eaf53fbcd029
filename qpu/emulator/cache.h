/* SPDX-License-Identifier: MIT */
/*
 * cache: tags of a set-associative LRU cache of 64-byte lines, and the path
 * from the V3D's L2 to SDRAM.  There are no data in it; all reads take them
 * from memory.
 */
#ifndef QPU_EMULATOR_CACHE_H
#define QPU_EMULATOR_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMU_CACHE_LINE = 64 }; /* bytes */

struct emu_line {
	uint32_t tag; /* line number + 1, or 0 if invalid */
	bool dirty;
	uint64_t used;	/* time of the last use, in `uses` of the cache */
	uint64_t ready; /* clock at which its fill arrives */
};

struct emu_cache {
	struct emu_line *lines;
	unsigned sets, ways; /* sets is a power of two */
	uint64_t uses;	     /* lookups */
	uint64_t changes;    /* replacements of a line, and clears of all */
};

/* The V3D's caches.  The first four, of each slice, are in the order of
 * SLCACTL's bytes. */
enum emu_cache_kind {
	EMU_CACHE_CODE,
	EMU_CACHE_UNIFORMS,
	EMU_CACHE_TMU0,
	EMU_CACHE_TMU1,
	EMU_CACHE_L2, /* one for all slices */
};

/* Return the set of a line number. */
static inline size_t
emu_cache_set(const struct emu_cache *cache, uint32_t line)
{
	return line & (cache->sets - 1);
}

/* Make an empty cache of the first of `lines`, which must be zero.  Return the
 * lines after those. */
struct emu_line *
emu_cache_init(struct emu_cache *cache, struct emu_line *lines, unsigned bytes,
	       unsigned ways);

/* Invalidate all lines. */
void
emu_cache_clear(struct emu_cache *cache);

/*
 * Return the line of an address.  On a miss it replaces the set's least
 * recently used line, whose dirty bit goes to *evicted_dirty, and the caller
 * has to set `ready`.
 */
struct emu_line *
emu_cache_lookup(struct emu_cache *cache, uint32_t addr, bool *hit,
		 bool *evicted_dirty);

/* Return the line of an address if it is cached, or else null.  Its time of use
 * stays. */
struct emu_line *
emu_cache_find(const struct emu_cache *cache, uint32_t addr);

/* L2, system L2 and SDRAM, and the clocks at which they and the bus are free. */
struct emu_path {
	struct emu_cache l2, system;
	uint64_t l2_free, bus_free, sdram_free_x10; /* x10: tenths */
	uint64_t hits, misses;			    /* of L2 */
};

/* Read a line, starting at a clock.  Return the clock at which it arrives. */
uint64_t
emu_path_read(struct emu_path *path, uint32_t bus_addr, uint64_t clock);

/* Store by DMA, which bypasses L2 and goes to the system L2. */
void
emu_path_store(struct emu_path *path, uint32_t bus_addr, uint32_t bytes);

#endif
