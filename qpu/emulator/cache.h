/* SPDX-License-Identifier: MIT */
/*
 * cache: tags of a set-associative LRU cache of 64-byte lines, and the path
 * from the V3D's L2 to SDRAM.  No data: memory always has the truth.
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
	uint64_t used;	/* for LRU */
	uint64_t ready; /* clock at which its fill arrives */
};

struct emu_cache {
	struct emu_line *lines;
	unsigned sets, ways; /* sets is a power of two */
	uint64_t uses;
	uint64_t changes; /* how often a line was replaced, or all cleared */
};

/* The V3D's caches; a slice's caches in the order of the bytes of SLCACTL. */
enum emu_cache_kind {
	EMU_CACHE_CODE,
	EMU_CACHE_UNIFORMS,
	EMU_CACHE_TMU0,
	EMU_CACHE_TMU1,
	EMU_CACHE_L2, /* one for all slices */
};

static inline size_t
emu_cache_set(const struct emu_cache *cache, uint32_t line)
{
	return line & (cache->sets - 1);
}

/* Make an empty cache of lines that are zero; returns those that follow. */
struct emu_line *
emu_cache_init(struct emu_cache *cache, struct emu_line *lines, unsigned bytes,
	       unsigned ways);

/* Invalidate all lines. */
void
emu_cache_clear(struct emu_cache *cache);

/*
 * The line of an address; on a miss it replaces the oldest one of its set,
 * whose dirty bit is then in *evicted_dirty, and the caller sets `ready`.
 */
struct emu_line *
emu_cache_lookup(struct emu_cache *cache, uint32_t addr, bool *hit,
		 bool *evicted_dirty);

/* The line of an address if it is there, else null; changes nothing. */
struct emu_line *
emu_cache_find(const struct emu_cache *cache, uint32_t addr);

/* L2, system L2 and SDRAM with their queues. */
struct emu_path {
	struct emu_cache l2, system;
	uint64_t l2_free, bus_free, sdram_free_x10;
	uint64_t hits, misses; /* of L2 */
};

/* A read of one line that starts at a clock; returns when it arrives. */
uint64_t
emu_path_read(struct emu_path *path, uint32_t bus_addr, uint64_t clock);

/* A DMA store passes beside L2 into the system L2. */
void
emu_path_store(struct emu_path *path, uint32_t bus_addr, uint32_t bytes);

#endif
