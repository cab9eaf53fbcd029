/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/cache.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/emulator.h"

enum { ALIAS_DIRECT = 3 };

bool
emu_cache_init(struct emu_cache *cache, unsigned bytes, unsigned ways)
{
	*cache = (struct emu_cache){ .sets = 1, .ways = ways };
	while (cache->sets * 2 * ways * EMU_CACHE_LINE <= bytes)
		cache->sets *= 2;
	cache->lines =
		calloc((size_t)cache->sets * ways, sizeof(*cache->lines));
	return cache->lines;
}

void
emu_cache_free(struct emu_cache *cache)
{
	free(cache->lines);
	memset(cache, 0, sizeof(*cache));
}

void
emu_cache_clear(struct emu_cache *cache)
{
	cache->changes++;
	memset(cache->lines, 0,
	       (size_t)cache->sets * cache->ways * sizeof(*cache->lines));
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

bool
emu_path_init(struct emu_path *path, const struct machine_timing *timing)
{
	memset(path, 0, sizeof(*path));
	path->timing = timing;
	return emu_cache_init(&path->l2, timing->l2_bytes, timing->l2_ways) &&
	       emu_cache_init(&path->system, timing->system_l2_bytes,
			      timing->system_l2_ways);
}

void
emu_path_free(struct emu_path *path)
{
	emu_cache_free(&path->l2);
	emu_cache_free(&path->system);
}

/* Use a server that does one thing at a time; returns when it begins. */
static uint64_t
server_take(uint64_t *free_at, uint64_t clock, uint64_t duration)
{
	const uint64_t start = clock > *free_at ? clock : *free_at;

	*free_at = start + duration;
	return start;
}

static uint64_t
sdram_read(struct emu_path *path, uint64_t clock, bool write_back)
{
	const struct machine_timing *timing = path->timing;
	const unsigned line = timing->sdram_line_x10;
	const unsigned total =
		line + (write_back ? timing->sdram_write_back_x10 : 0);
	const uint64_t start =
		server_take(&path->sdram_free_x10, clock * 10, total);

	return (start + line + 9) / 10 + timing->sdram_extra;
}

uint64_t
emu_path_read(struct emu_path *path, uint32_t bus_addr, uint64_t clock)
{
	const struct machine_timing *timing = path->timing;
	uint64_t at = server_take(&path->l2_free, clock, timing->l2_service);
	bool hit, dirty, in_system = false;
	struct emu_line *line =
		emu_cache_lookup(&path->l2, bus_addr, &hit, &dirty);

	at += timing->l2_hit;
	if (hit) {
		path->hits++;
		return at > line->ready ? at : line->ready;
	}
	path->misses++;
	at = server_take(&path->bus_free, at, timing->bus_line);
	/* So far the flag is that of a line of L2, which is never dirty. */
	if (bus_addr >> 30 != ALIAS_DIRECT)
		emu_cache_lookup(&path->system, bus_addr, &in_system, &dirty);
	line->ready = in_system ? at : sdram_read(path, at, dirty);
	line->ready += timing->memory_extra;
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
