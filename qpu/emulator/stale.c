/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/stale.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = EMU_CACHE_LINE / 4 };

struct emu_copy {
	uint32_t words[WORDS];
	uint16_t old;	  /* stored since, a bit for each word */
	uint16_t outside; /* words that no memory has */
};

static bool
copies_init(struct emu_copies *copies, unsigned bytes, unsigned ways)
{
	if (!emu_cache_init(&copies->cache, bytes, ways))
		return false;
	copies->copies = calloc((size_t)copies->cache.sets * ways,
				sizeof(*copies->copies));
	return copies->copies;
}

bool
emu_stale_init(struct emu_stale *stale, const struct machine_timing *timing)
{
	for (unsigned i = 0; i < EMU_STALE_TMUS; i++)
		if (!copies_init(&stale->tmu[i], timing->tmu_bytes, 1))
			return false;
	return copies_init(&stale->l2, timing->l2_bytes, timing->l2_ways);
}

static void
copies_free(struct emu_copies *copies)
{
	free(copies->copies);
	emu_cache_free(&copies->cache);
}

void
emu_stale_free(struct emu_stale *stale)
{
	for (unsigned i = 0; i < EMU_STALE_TMUS; i++)
		copies_free(&stale->tmu[i]);
	copies_free(&stale->l2);
}

static void
read_memory(struct machine *machine, uint32_t line_addr, struct emu_copy *copy)
{
	copy->old = copy->outside = 0;
	for (unsigned i = 0; i < WORDS; i++) {
		const void *host =
			emu_memory_at(&machine->memory, line_addr + 4 * i, 4);

		if (host) {
			memcpy(&copy->words[i], host, 4);
		} else {
			copy->words[i] = emu_random(machine);
			copy->outside |= 1u << i;
		}
	}
}

/* The copy of an address's line; *hit tells whether it was there. */
static struct emu_copy *
look_up(struct emu_copies *copies, uint32_t addr, bool *hit)
{
	bool dirty;
	const struct emu_line *line =
		emu_cache_lookup(&copies->cache, addr, hit, &dirty);

	return &copies->copies[line - copies->cache.lines];
}

enum emu_stale_word
emu_stale_fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		uint32_t bus_addr, uint32_t *word)
{
	const unsigned at = bus_addr % EMU_CACHE_LINE / 4;
	const void *memory;
	bool hit;
	struct emu_copy *copy = look_up(&stale->tmu[tmu], bus_addr, &hit);

	if (!hit) {
		struct emu_copy *second = look_up(&stale->l2, bus_addr, &hit);

		if (!hit)
			read_memory(machine, bus_addr & ~(EMU_CACHE_LINE - 1u),
				    second);
		*copy = *second;
	}
	*word = copy->words[at];
	if (copy->outside >> at & 1)
		return EMU_STALE_OUTSIDE;
	if (copy->old >> at & 1)
		return EMU_STALE_OLD;
	/* The CPU may have stored another word. */
	memory = emu_memory_at(&machine->memory, bus_addr & ~3u, 4);
	return !memory || memcmp(memory, word, 4) ? EMU_STALE_OLD :
						    EMU_STALE_CURRENT;
}

static void
mark_old(struct emu_copies *copies, uint32_t addr)
{
	const struct emu_line *line = emu_cache_find(&copies->cache, addr);

	if (line)
		copies->copies[line - copies->cache.lines].old |=
			1u << addr % EMU_CACHE_LINE / 4;
}

void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t first = bus_addr / 4, last = (bus_addr + bytes - 1) / 4;

	for (uint32_t word = first; word <= last; word++) {
		for (unsigned i = 0; i < EMU_STALE_TMUS; i++)
			mark_old(&stale->tmu[i], 4 * word);
		mark_old(&stale->l2, 4 * word);
	}
}
