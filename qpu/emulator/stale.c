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

static void
copies_free(struct emu_copies *copies)
{
	free(copies->copies);
	emu_cache_free(&copies->cache);
}

void
emu_stale_destroy(struct emu_stale *stale)
{
	for (unsigned i = 0; stale && i < EMU_STALE_TMUS; i++)
		copies_free(&stale->tmu[i]);
	if (stale)
		copies_free(&stale->l2);
	free(stale);
}

struct emu_stale *
emu_stale_create(const struct machine_timing *timing)
{
	struct emu_stale *stale = calloc(1, sizeof(*stale));
	bool good = stale;

	if (!timing)
		timing = &machine_timing_default;
	for (unsigned i = 0; i < EMU_STALE_TMUS; i++)
		good = good &&
		       copies_init(&stale->tmu[i], timing->tmu_bytes, 1);
	if (good && copies_init(&stale->l2, timing->l2_bytes, timing->l2_ways))
		return stale;
	emu_stale_destroy(stale);
	return NULL;
}

struct emu_cache *
emu_stale_cache(struct emu_stale *stale, enum emu_cache_kind kind,
		unsigned slice)
{
	switch (kind) {
	case EMU_CACHE_TMU0: return &stale->tmu[2 * slice].cache;
	case EMU_CACHE_TMU1: return &stale->tmu[2 * slice + 1].cache;
	case EMU_CACHE_L2: return &stale->l2.cache;
	default: return NULL;
	}
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
			copy->words[i] = machine->check ? emu_random(machine) :
							  0;
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

/* A line of a cache was filled whose memory has a stuck bit. */
static void
stick(const struct machine_defect *defect, const struct emu_copies *copies,
      struct emu_copy *copy)
{
	if (copy == &copies->copies[defect->line])
		copy->words[defect->word] =
			(copy->words[defect->word] & ~defect->bits) |
			defect->value;
}

/* The copy of an address's line, fetched if it is not there. */
static const struct emu_copy *
fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
      uint32_t bus_addr)
{
	const struct machine_defect *defect = &machine->defect;
	bool hit;
	struct emu_copy *copy = look_up(&stale->tmu[tmu], bus_addr, &hit);

	if (!hit) {
		struct emu_copy *second = look_up(&stale->l2, bus_addr, &hit);

		if (!hit) {
			read_memory(machine, bus_addr & ~(EMU_CACHE_LINE - 1u),
				    second);
			if (defect->stuck == MACHINE_STUCK_L2)
				stick(defect, &stale->l2, second);
		}
		*copy = *second;
		if (defect->stuck == MACHINE_STUCK_TMU && defect->unit == tmu)
			stick(defect, &stale->tmu[tmu], copy);
	}
	return copy;
}

unsigned
emu_stale_gather(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		 const emu_vec *addresses, emu_vec *words)
{
	const struct machine_defect *defect = &machine->defect;
	unsigned outside = 0;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const bool is_stuck = defect->stuck == MACHINE_STUCK_ADDRESS &&
				      defect->unit == tmu &&
				      defect->lane == lane;
		const uint32_t addr =
			is_stuck ? ((*addresses)[lane] & ~defect->bits) |
					   defect->value :
				   (*addresses)[lane];
		const unsigned at = addr % EMU_CACHE_LINE / 4;
		const struct emu_copy *copy = fetch(stale, machine, tmu, addr);

		(*words)[lane] = copy->words[at];
		outside |= (copy->outside >> at & 1u) << lane;
	}
	return outside;
}

enum emu_stale_word
emu_stale_fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		uint32_t bus_addr, uint32_t *word)
{
	const unsigned at = bus_addr % EMU_CACHE_LINE / 4;
	const struct emu_copy *copy = fetch(stale, machine, tmu, bus_addr);
	const void *memory;

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
