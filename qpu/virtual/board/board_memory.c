/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/board_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/virtual/board/buffer.h"

static bool
add_region(struct board_memory *memory, struct machine *machine,
	   uint32_t physical, uint8_t *host, uint32_t bytes, struct diag *why)
{
	struct board_region *region = &memory->regions[memory->nregions];

	if (!machine_add_memory(machine, physical, host, bytes, why))
		return false;
	*region = (struct board_region){ .physical = physical,
					 .bytes = bytes,
					 .host = host };
	memory->nregions++;
	return true;
}

static bool
add_blocks(struct board_memory *memory, const struct board *board,
	   struct machine *machine, struct diag *why)
{
	const struct board_shared *shared = board->shared;
	uint8_t *host = board_gpu_memory(board);

	for (unsigned i = 0; host && i < BOARD_BLOCKS; i++) {
		const struct board_block *block = &shared->blocks[i];

		if (block->handle && block->locks > 0 &&
		    !add_region(memory, machine,
				board->memory_base + block->offset,
				host + block->offset, block->bytes, why))
			return false;
	}
	memory->changes = shared->changes;
	return true;
}

static bool
add_buffers(struct board_memory *memory, const struct board *board,
	    struct machine *machine, struct diag *why)
{
	if (!buffer_collect(board))
		return true;
	for (unsigned i = 0; i < BOARD_BUFFERS; i++) {
		const struct board_buffer *buffer = &board->shared->buffers[i];
		void *host;

		if (!buffer->bytes)
			continue;
		host = buffer_map(board, BOARD_BUFFER, i);
		if (!host) {
			board_say("a buffer cannot be shown to the QPUs: %s",
				  strerror(errno));
			continue;
		}
		if (!add_region(memory, machine, buffer->physical, host,
				buffer->bytes, why)) {
			munmap(host, buffer->bytes);
			return false;
		}
		memory->regions[memory->nregions - 1].buffer = true;
	}
	return true;
}

/* Regions are made anew when a lock has changed since the last time. */
static bool
add_regions(struct board_memory *memory, const struct board *board,
	    struct machine *machine, struct diag *why)
{
	board_memory_leave(memory, machine);
	if (memory->nregions == 0 ||
	    memory->changes != board->shared->changes) {
		while (memory->nregions > 0)
			machine_remove_memory(
				machine,
				memory->regions[--memory->nregions].physical);
		if (!add_blocks(memory, board, machine, why))
			return false;
	}
	return add_buffers(memory, board, machine, why);
}

/* A copy is of the regions there were: of others another one is made. */
bool
board_memory_enter(struct board_memory *memory, const struct board *board,
		   struct machine *machine, struct diag *why)
{
	const bool good = add_regions(memory, board, machine, why);

	if (memory->copy)
		board_memory_remember(memory);
	return good;
}

/* The kernel's buffers are the last regions. */
void
board_memory_leave(struct board_memory *memory, struct machine *machine)
{
	while (memory->nregions > 0) {
		const struct board_region *last =
			&memory->regions[memory->nregions - 1];

		if (!last->buffer)
			return;
		machine_remove_memory(machine, last->physical);
		munmap(last->host, last->bytes);
		memory->nregions--;
	}
}

void *
board_memory_at(const struct board_memory *memory, uint32_t bus, uint32_t bytes)
{
	for (unsigned i = 0; i < memory->nregions; i++) {
		const struct board_region *region = &memory->regions[i];
		const uint32_t offset = soc_physical(bus) - region->physical;

		if (offset < region->bytes && bytes <= region->bytes - offset)
			return region->host + offset;
	}
	return NULL;
}

void
board_memory_remember(struct board_memory *memory)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < memory->nregions; i++)
		bytes += memory->regions[i].bytes;
	free(memory->copy);
	memory->copy = malloc(bytes);
	bytes = 0;
	for (unsigned i = 0; memory->copy && i < memory->nregions; i++) {
		memcpy(memory->copy + bytes, memory->regions[i].host,
		       memory->regions[i].bytes);
		bytes += memory->regions[i].bytes;
	}
}

/* Skip `number` changed words, counted from the end; the next gets a wrong
 * bit. */
static bool
spoil_region(const struct board_region *region, const uint8_t *copy,
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
board_memory_spoil(struct board_memory *memory, uint64_t number)
{
	size_t end = 0;

	for (unsigned i = 0; i < memory->nregions; i++)
		end += memory->regions[i].bytes;
	for (unsigned i = memory->nregions; memory->copy && i-- > 0;) {
		end -= memory->regions[i].bytes;
		if (spoil_region(&memory->regions[i], memory->copy + end,
				 &number))
			break;
	}
	free(memory->copy);
	memory->copy = NULL;
}
