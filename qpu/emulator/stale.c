/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/base/timing.h"

enum {
	TMUS = 6,
	WORDS = EMU_CACHE_LINE / 4,
	LINES = (TMUS * COST_TMU_BYTES + COST_L2_BYTES) / EMU_CACHE_LINE,
};

struct copy {
	uint32_t words[WORDS];
	uint16_t old;	  /* stored since, a bit for each word */
	uint16_t outside; /* words that no memory has */
};

struct emu_stale {
	struct emu_cache tmu[TMUS], l2;
	struct emu_line lines[LINES]; /* of all caches */
	struct copy copies[LINES];
};

struct emu_stale *
emu_stale_create(void)
{
	struct emu_stale *stale = calloc(1, sizeof(*stale));
	struct emu_line *lines;

	if (!stale)
		return NULL;
	lines = emu_cache_init(&stale->l2, stale->lines, COST_L2_BYTES,
			       COST_L2_WAYS);
	for (unsigned i = 0; i < TMUS; i++)
		lines = emu_cache_init(&stale->tmu[i], lines, COST_TMU_BYTES,
				       1);
	return stale;
}

struct emu_cache *
emu_stale_cache(struct emu_stale *stale, enum emu_cache_kind kind,
		unsigned slice)
{
	switch (kind) {
	case EMU_CACHE_TMU0: return &stale->tmu[2 * slice];
	case EMU_CACHE_TMU1: return &stale->tmu[2 * slice + 1];
	case EMU_CACHE_L2: return &stale->l2;
	default: return NULL;
	}
}

static void
read_memory(struct machine *machine, uint32_t line_addr, struct copy *copy)
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

/* Return the copy of an address's line; *hit says whether it was there. */
static struct copy *
look_up(struct emu_stale *stale, struct emu_cache *cache, uint32_t addr,
	bool *hit)
{
	bool dirty;

	return &stale->copies[emu_cache_lookup(cache, addr, hit, &dirty) -
			      stale->lines];
}

/* A line of a cache was filled whose memory has a stuck bit. */
static void
stick(struct emu_stale *stale, const struct machine_defect *defect,
      const struct emu_cache *cache, struct copy *copy)
{
	const struct emu_line *line = cache->lines + defect->line;

	if (copy == &stale->copies[line - stale->lines])
		copy->words[defect->word] =
			(copy->words[defect->word] & ~defect->bits) |
			defect->value;
}

/* The copy of an address's line, fetched if it is not there. */
static const struct copy *
fetch(struct emu_stale *stale, struct machine *machine, unsigned tmu,
      uint32_t bus_addr)
{
	const struct machine_defect *defect = &machine->defect;
	bool hit;
	struct copy *copy = look_up(stale, &stale->tmu[tmu], bus_addr, &hit);

	if (!hit) {
		struct copy *second =
			look_up(stale, &stale->l2, bus_addr, &hit);

		if (!hit)
			read_memory(machine, bus_addr & ~(EMU_CACHE_LINE - 1u),
				    second);
		*copy = *second;
		if (defect->bits && defect->unit == tmu)
			stick(stale, defect, &stale->tmu[tmu], copy);
	}
	return copy;
}

/* Return true if memory has another word by now, which the CPU may have stored. */
static bool
is_old(struct machine *machine, const struct copy *copy, uint32_t addr)
{
	const unsigned at = addr % EMU_CACHE_LINE / 4;
	const void *memory;

	if (copy->outside >> at & 1)
		return false;
	memory = emu_memory_at(&machine->memory, addr & ~3u, 4);
	return copy->old >> at & 1 || !memory ||
	       memcmp(memory, &copy->words[at], 4) != 0;
}

unsigned
emu_stale_gather(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		 const emu_vec *addresses, emu_vec *words, unsigned *old)
{
	unsigned outside = 0;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const uint32_t addr = (*addresses)[lane];
		const unsigned at = addr % EMU_CACHE_LINE / 4;
		const struct copy *copy = fetch(stale, machine, tmu, addr);

		(*words)[lane] = copy->words[at];
		outside |= (copy->outside >> at & 1u) << lane;
		if (old && is_old(machine, copy, addr))
			*old |= 1u << lane;
	}
	return outside;
}

static void
mark_old(struct emu_stale *stale, const struct emu_cache *cache, uint32_t addr)
{
	const struct emu_line *line = emu_cache_find(cache, addr);

	if (line)
		stale->copies[line - stale->lines].old |=
			1u << addr % EMU_CACHE_LINE / 4;
}

void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t first = bus_addr / 4, last = (bus_addr + bytes - 1) / 4;

	for (uint32_t word = first; word <= last; word++) {
		for (unsigned i = 0; i < TMUS; i++)
			mark_old(stale, &stale->tmu[i], 4 * word);
		mark_old(stale, &stale->l2, 4 * word);
	}
}
