/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/cache.h"

#include <string.h>

#include "qpu/emulator/base/timing.h"
#include "qpu/emulator/emulator.h"

enum { ALIAS_DIRECT = 3 };

struct emu_line *
emu_cache_init(struct emu_cache *cache, struct emu_line *lines, unsigned bytes,
	       unsigned ways)
{
	const unsigned n = bytes / EMU_CACHE_LINE;

	cache->lines = lines;
	cache->sets = n / ways;
	cache->ways = ways;
	return lines + n;
}

void
emu_cache_clear(struct emu_cache *cache)
{
	cache->changes++;
	memset(cache->lines, 0,
	       cache->sets * cache->ways * sizeof(*cache->lines));
}

struct emu_line *
emu_cache_lookup(struct emu_cache *cache, uint32_t addr, bool *hit,
		 bool *evicted_dirty)
{
	const uint32_t number = (addr & MACHINE_BUS_MASK) / EMU_CACHE_LINE;
	struct emu_line *set =
		&cache->lines[emu_cache_set(cache, number) * cache->ways];
	struct emu_line *oldest = set;

	for (unsigned way = 0; way < cache->ways; way++) {
		if (set[way].tag == number + 1) {
			set[way].used = ++cache->uses;
			*hit = true;
			return &set[way];
		}
		if (set[way].used < oldest->used)
			oldest = &set[way];
	}
	*hit = false;
	cache->changes++;
	*evicted_dirty = oldest->dirty;
	oldest->tag = number + 1;
	oldest->dirty = false;
	oldest->used = ++cache->uses;
	oldest->ready = 0;
	return oldest;
}

struct emu_line *
emu_cache_find(const struct emu_cache *cache, uint32_t addr)
{
	const uint32_t number = (addr & MACHINE_BUS_MASK) / EMU_CACHE_LINE;
	struct emu_line *set =
		&cache->lines[emu_cache_set(cache, number) * cache->ways];

	for (unsigned way = 0; way < cache->ways; way++)
		if (set[way].tag == number + 1)
			return &set[way];
	return NULL;
}

/* Use a server that does one thing at a time; returns when it begins. */
static uint64_t
server_take(uint64_t *free_at, uint64_t clock, uint64_t duration)
{
	const uint64_t start = clock > *free_at ? clock : *free_at;

	*free_at = start + duration;
	return start;
}

uint64_t
emu_path_read(struct emu_path *path, uint32_t bus_addr, uint64_t clock)
{
	uint64_t at = server_take(&path->l2_free, clock, COST_L2_SERVICE);
	bool hit, dirty, in_system = false;
	struct emu_line *line =
		emu_cache_lookup(&path->l2, bus_addr, &hit, &dirty);

	at += COST_L2_HIT;
	if (hit) {
		path->hits++;
		return at > line->ready ? at : line->ready;
	}
	path->misses++;
	at = server_take(&path->bus_free, at, COST_BUS_LINE);
	/* So far the flag belongs to a line of L2, which is never dirty. */
	if (bus_addr >> 30 != ALIAS_DIRECT)
		emu_cache_lookup(&path->system, bus_addr, &in_system, &dirty);
	if (!in_system) {
		at = server_take(&path->sdram_free_x10, at * 10,
				 COST_SDRAM_LINE_X10 +
					 (dirty ? COST_SDRAM_WRITE_BACK_X10 :
						  0));
		at = (at + COST_SDRAM_LINE_X10 + 9) / 10 + COST_SDRAM_EXTRA;
	}
	line->ready = at + COST_MEMORY_EXTRA;
	return line->ready;
}

void
emu_path_store(struct emu_path *path, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t first = bus_addr / EMU_CACHE_LINE;
	const uint32_t last = (bus_addr + bytes - 1) / EMU_CACHE_LINE;
	bool hit, dirty;

	if (bus_addr >> 30 == ALIAS_DIRECT)
		return;
	for (uint32_t line = first; line <= last; line++)
		emu_cache_lookup(&path->system, line * EMU_CACHE_LINE, &hit,
				 &dirty)
			->dirty = true;
}
