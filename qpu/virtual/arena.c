/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/virtual/buffer.h"

static bool
add_region(struct arena *arena, struct machine *machine, uint32_t physical,
	   uint8_t *host, uint32_t bytes, struct diag *why)
{
	struct arena_region *region = &arena->regions[arena->nregions];

	if (!machine_add_memory(machine, physical, host, bytes, why))
		return false;
	*region = (struct arena_region){
		.physical = physical, .bytes = bytes, .host = host
	};
	arena->nregions++;
	return true;
}

static void
drop_regions(struct arena *arena, struct machine *machine)
{
	while (arena->nregions > 0)
		machine_remove_memory(machine,
			arena->regions[--arena->nregions].physical);
}

static bool
add_blocks(struct arena *arena, const struct world *world,
	   struct machine *machine, struct diag *why)
{
	const struct state *state = world->state;
	uint8_t *memory = world_memory(world);

	for (unsigned i = 0; memory && i < STATE_BLOCKS; i++) {
		const struct state_block *block = &state->blocks[i];

		if (block->handle && block->locks > 0 &&
		    !add_region(arena, machine,
				world->memory_base + block->offset,
				memory + block->offset, block->bytes, why))
			return false;
	}
	arena->changes = state->changes;
	return true;
}

static bool
add_buffers(struct arena *arena, const struct world *world,
	    struct machine *machine, struct diag *why)
{
	if (!buffer_collect(world))
		return true;
	for (unsigned i = 0; i < STATE_BUFFERS; i++) {
		const struct state_buffer *buffer = &world->state->buffers[i];
		void *host;

		if (!buffer->bytes)
			continue;
		host = buffer_map(world, i);
		if (!host) {
			world_say("a buffer cannot be shown to the QPUs: %s",
				  strerror(errno));
			continue;
		}
		if (!add_region(arena, machine, buffer->physical, host,
				buffer->bytes, why)) {
			munmap(host, buffer->bytes);
			return false;
		}
		arena->regions[arena->nregions - 1].buffer = true;
	}
	return true;
}

/* The state counts its changes from 0, we from 1. */
bool
arena_enter(struct arena *arena, const struct world *world,
	    struct machine *machine, struct diag *why)
{
	arena_leave(arena, machine);
	if (arena->nregions == 0 || arena->changes != world->state->changes) {
		drop_regions(arena, machine);
		if (!add_blocks(arena, world, machine, why))
			return false;
	}
	return add_buffers(arena, world, machine, why);
}

/* Buffers are at the end of the regions. */
void
arena_leave(struct arena *arena, struct machine *machine)
{
	while (arena->nregions > 0) {
		const struct arena_region *last =
			&arena->regions[arena->nregions - 1];

		if (!last->buffer)
			return;
		machine_remove_memory(machine, last->physical);
		munmap(last->host, last->bytes);
		arena->nregions--;
	}
}

void *
arena_at(const struct arena *arena, uint32_t bus, uint32_t bytes)
{
	for (unsigned i = 0; i < arena->nregions; i++) {
		const struct arena_region *region = &arena->regions[i];
		const uint32_t offset = soc_physical(bus) - region->physical;

		if (offset < region->bytes && bytes <= region->bytes - offset)
			return region->host + offset;
	}
	return NULL;
}

void
arena_remember(struct arena *arena)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < arena->nregions; i++)
		bytes += arena->regions[i].bytes;
	arena->copy = malloc(bytes);
	bytes = 0;
	for (unsigned i = 0; arena->copy && i < arena->nregions; i++) {
		memcpy(arena->copy + bytes, arena->regions[i].host,
		       arena->regions[i].bytes);
		bytes += arena->regions[i].bytes;
	}
}

/* Pass over changed words from the end; the one where `number` is used up
 * gets its wrong bit. */
static bool
spoil_region(const struct arena_region *region, const uint8_t *copy,
	     uint64_t *number)
{
	for (size_t at = region->bytes; at > 0; at -= 4) {
		uint8_t *now = region->host + at - 4;

		if (memcmp(now, copy + at - 4, 4) == 0 || (*number)-- > 0)
			continue;
		*now ^= 1;
		return true;
	}
	return false;
}

void
arena_spoil(struct arena *arena, uint64_t number)
{
	size_t end = 0;

	for (unsigned i = 0; i < arena->nregions; i++)
		end += arena->regions[i].bytes;
	for (unsigned i = arena->nregions; arena->copy && i-- > 0; ) {
		end -= arena->regions[i].bytes;
		if (spoil_region(&arena->regions[i], arena->copy + end,
				 &number))
			break;
	}
	free(arena->copy);
	arena->copy = NULL;
}
