/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/board_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/pi/cma.h"

/* --- The firmware's allocator ------------------------------------------------ */

enum {
	SMALLEST = 16, /* unit of sizes and alignments */
	/* Bytes between two blocks, so that a write beyond one is noticed. */
	GUARD = 64,
	REFUSED = -1
};

struct board_block *
pool_find(const struct board *board, uint32_t handle)
{
	struct board_block *blocks = board->shared->blocks;

	for (unsigned i = 0; handle && i < BOARD_BLOCKS; i++)
		if (blocks[i].handle == handle)
			return &blocks[i];
	return NULL;
}

struct board_block *
pool_find_at(const struct board *board, uint32_t bus, uint32_t bytes)
{
	struct board_block *blocks = board->shared->blocks;
	const uint32_t at = soc_physical(bus);

	for (unsigned i = 0; i < BOARD_BLOCKS; i++) {
		const struct board_range *range = &blocks[i].range;

		if (blocks[i].handle && at - range->at < range->bytes &&
		    bytes <= range->bytes - (at - range->at))
			return &blocks[i];
	}
	return NULL;
}

/* A process without a free descriptor cannot ask: then there is space. */
static bool
has_space(const struct board *board, const struct board_range *range)
{
	const int fd = board_is_private(board) ?
			       -1 :
			       board_open(board, BOARD_MEMORY, O_RDWR);
	const bool has = fd < 0 ||
			 board_shared_reserve(fd,
					      range->at - board->memory_base,
					      range->bytes);

	if (!has)
		board_say("GPU memory: %s: %s", board->dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	return has;
}

uint32_t
pool_allocate(const struct board *board, uint32_t bytes, uint32_t alignment,
	      uint32_t flags)
{
	/* The alias that bits 3:2 of the flags choose (section 14). */
	static const uint32_t aliases[] = { 0, 0xc0000000, 0x80000000,
					    0x40000000 };
	struct board_shared *shared = board->shared;
	const struct board_range pool = { board->memory_base,
					  board->memory_bytes };
	uint8_t *memory = board_gpu_memory(board);
	struct board_block *block = shared->blocks;
	struct board_range range;

	if (pi_fault_strikes(&shared->options.device.fault, PI_NO_MEMORY,
			     ++shared->nallocations))
		return 0;
	while (block < shared->blocks + BOARD_BLOCKS && block->handle)
		block++;
	if (block == shared->blocks + BOARD_BLOCKS || !memory || !bytes ||
	    bytes > board->memory_bytes)
		return 0;
	range.bytes = (bytes + SMALLEST - 1) / SMALLEST * SMALLEST;
	if (alignment < SMALLEST)
		alignment = SMALLEST;
	if (alignment & (alignment - 1) ||
	    !board_shared_find_gap(pool, alignment, GUARD, shared->blocks,
				   BOARD_BLOCKS, sizeof(*block), &range) ||
	    !has_space(board, &range))
		return 0;
	*block = (struct board_block){ .range = range,
				       .handle = shared->next_handle++,
				       .alias = aliases[flags >> 2 & 3] };
	memory += range.at - board->memory_base;
	/* The firmware fills memory with ones by default. */
	if (flags & MAILBOX_MEMORY_ZERO)
		memset(memory, 0, range.bytes);
	else if (!(flags & MAILBOX_MEMORY_NO_INIT))
		memset(memory, 0xff, range.bytes);
	return block->handle;
}

uint32_t
pool_lock(const struct board *board, uint32_t handle)
{
	struct board_block *block = pool_find(board, handle);

	if (!block)
		return 0;
	if (block->locks++ == 0)
		board->shared->changes++;
	return block->range.at | block->alias;
}

uint32_t
pool_unlock(const struct board *board, uint32_t handle)
{
	struct board_block *block = pool_find(board, handle);

	if (!block || block->locks == 0)
		return (uint32_t)REFUSED;
	if (--block->locks == 0)
		board->shared->changes++;
	return 0;
}

uint32_t
pool_release(const struct board *board, uint32_t handle)
{
	struct board_block *block = pool_find(board, handle);

	if (!block)
		return (uint32_t)REFUSED;
	if (block->locks > 0) {
		board_say("memory %u was released while it was locked", handle);
		board->shared->changes++;
	}
	memset(block, 0, sizeof(*block));
	return 0;
}

/* --- What programs reach ----------------------------------------------------- */

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
		    !add_region(memory, machine, block->range.at,
				host + (block->range.at - board->memory_base),
				block->range.bytes, why))
			return false;
	}
	memory->changes = shared->changes;
	return true;
}

static bool
add_buffers(struct board_memory *memory, const struct board *board,
	    struct machine *machine, struct diag *why)
{
	if (!cma_collect(board))
		return true;
	for (unsigned i = 0; i < CMA_BUFFERS; i++) {
		const struct cma_buffer *buffer = &board->shared->buffers[i];
		void *host;

		if (!buffer->range.bytes)
			continue;
		host = cma_map(board, CMA_FILE, i);
		if (!host) {
			board_say("a buffer cannot be shown to the QPUs: %s",
				  strerror(errno));
			continue;
		}
		if (!add_region(memory, machine, buffer->range.at, host,
				buffer->range.bytes, why)) {
			munmap(host, buffer->range.bytes);
			return false;
		}
		memory->regions[memory->nregions - 1].buffer = true;
	}
	return true;
}

/* Regions are made anew when a lock has changed since the last time. */
bool
board_memory_enter(struct board_memory *memory, const struct board *board,
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
