/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *
emu_allocate(size_t bytes)
{
	void *memory = aligned_alloc(sizeof(emu_vec), bytes);

	return memory ? memset(memory, 0, bytes) : NULL;
}

static inline bool
region_holds(const struct emu_region *region, uint32_t addr, uint32_t bytes)
{
	const uint32_t offset = addr - region->base;

	return offset < region->bytes && bytes <= region->bytes - offset;
}

/* Index of the first region that ends above the address. */
static size_t
region_find(const struct emu_memory *memory, uint32_t addr)
{
	size_t low = 0, high = memory->nregions;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct emu_region *region = &memory->regions[middle];

		if (region->base + region->bytes <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
emu_memory_add(struct emu_memory *memory, uint32_t bus_addr, void *host,
	       size_t bytes, struct diag *why)
{
	const uint32_t base = bus_addr & EMU_BUS_MASK;
	struct emu_region *regions;

	errno = EINVAL;
	if (!bytes || bytes % 4 || base % 4 ||
	    bytes > (size_t)EMU_BUS_MASK + 1 - base)
		return diag_set(why,
				"memory of %zu bytes at 0x%08x is no whole "
				"number of words inside the bus",
				bytes, bus_addr);
	const size_t at = region_find(memory, base);
	if (at < memory->nregions && memory->regions[at].base < base + bytes)
		return diag_set(
			why, "memory at 0x%08x overlaps the memory at 0x%08x",
			bus_addr,
			(bus_addr & ~EMU_BUS_MASK) | memory->regions[at].base);
	regions = realloc(memory->regions,
			  (memory->nregions + 1) * sizeof(*regions));
	/* Then errno is ENOMEM. */
	if (!regions)
		return diag_set(why, "out of memory");
	memory->regions = regions;
	memmove(regions + at + 1, regions + at,
		(memory->nregions - at) * sizeof(*regions));
	regions[at].base = base;
	regions[at].bytes = bytes;
	regions[at].host = host;
	memory->nregions++;
	return true;
}

bool
emu_memory_remove(struct emu_memory *memory, uint32_t bus_addr)
{
	const uint32_t base = bus_addr & EMU_BUS_MASK;
	const size_t at = region_find(memory, base);

	if (at == memory->nregions || memory->regions[at].base != base)
		return false;
	memory->nregions--;
	memmove(memory->regions + at, memory->regions + at + 1,
		(memory->nregions - at) * sizeof(*memory->regions));
	return true;
}

void
emu_memory_free(struct emu_memory *memory)
{
	free(memory->regions);
	memset(memory, 0, sizeof(*memory));
}

void *
emu_memory_at(struct emu_memory *memory, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t addr = bus_addr & EMU_BUS_MASK;
	size_t at = memory->last;

	if (at >= memory->nregions ||
	    !region_holds(&memory->regions[at], addr, bytes)) {
		at = region_find(memory, addr);
		if (at == memory->nregions ||
		    !region_holds(&memory->regions[at], addr, bytes))
			return NULL;
		memory->last = at;
	}
	return memory->regions[at].host + (addr - memory->regions[at].base);
}

unsigned
emu_memory_gather(struct emu_memory *memory, const emu_vec *addresses,
		  emu_vec *words)
{
	struct emu_region region = { .bytes = 0 };
	unsigned outside = 0;

	/* Most addresses are in the region of the lane before. */
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const uint32_t addr = (*addresses)[lane] & EMU_BUS_MASK & ~3u;
		uint32_t word = 0;

		if (addr - region.base >= region.bytes) {
			if (!emu_memory_at(memory, addr, sizeof(word))) {
				(*words)[lane] = 0;
				outside |= 1u << lane;
				continue;
			}
			region = memory->regions[memory->last];
		}
		memcpy(&word, region.host + (addr - region.base), sizeof(word));
		(*words)[lane] = word;
	}
	return outside;
}
