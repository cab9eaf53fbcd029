/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"

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

static struct board_block *
free_slot(const struct board *board)
{
	struct board_block *blocks = board->shared->blocks;

	for (unsigned i = 0; i < BOARD_BLOCKS; i++)
		if (blocks[i].handle == 0)
			return &blocks[i];
	return NULL;
}

/*
 * A block that [offset, offset + bytes) touches, or null.  If there are several
 * it does not matter which: no gap before the last of them is large enough.
 */
static const struct board_block *
obstacle(const struct board *board, uint64_t offset, uint64_t bytes)
{
	for (unsigned i = 0; i < BOARD_BLOCKS; i++) {
		const struct board_block *block = &board->shared->blocks[i];

		if (block->handle && block->offset < offset + bytes &&
		    offset < (uint64_t)block->offset + block->bytes + GUARD)
			return block;
	}
	return NULL;
}

static uint64_t
align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

/* Find the lowest gap that is large enough; alignment is that of addresses. */
static bool
find_gap(const struct board *board, uint64_t bytes, uint64_t alignment,
	 uint32_t *offset)
{
	const struct board_block *block;
	uint64_t at =
		align_up(board->memory_base, alignment) - board->memory_base;

	while (at + bytes <= board->memory_bytes) {
		block = obstacle(board, at, bytes);
		if (!block) {
			*offset = (uint32_t)at;
			return true;
		}
		at = align_up((uint64_t)board->memory_base + block->offset +
				      block->bytes + GUARD,
			      alignment) -
		     board->memory_base;
	}
	return false;
}

static bool
is_power_of_2(uint32_t value)
{
	return value && !(value & (value - 1));
}

/* The firmware fills memory with ones unless it is told otherwise. */
static void
fill_block(uint8_t *memory, const struct board_block *block, uint32_t flags)
{
	if (flags & MAILBOX_MEMORY_ZERO)
		memset(memory + block->offset, 0, block->bytes);
	else if (!(flags & MAILBOX_MEMORY_NO_INIT))
		memset(memory + block->offset, 0xff, block->bytes);
}

/* The alias that bits 3:2 of the flags choose (section 14). */
static uint32_t
alias_of_flags(uint32_t flags)
{
	static const uint32_t aliases[] = { 0, 0xc0000000, 0x80000000,
					    0x40000000 };

	return aliases[flags >> 2 & 3];
}

/* A process without a free descriptor cannot ask: then there is space. */
static bool
has_space(const struct board *board, const struct board_block *block)
{
	const int fd = board_open(board, BOARD_MEMORY, O_RDWR);
	const bool has = fd < 0 ||
			 board_shared_reserve(fd, block->offset, block->bytes);

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
	struct board_shared *shared = board->shared;
	const struct emulated_options *device = &shared->options.device;
	struct board_block *block = free_slot(board);
	uint8_t *memory = board_gpu_memory(board);

	if (++shared->nallocations >= device->fault.at &&
	    device->fault.kind == DEVICE_NO_MEMORY)
		return 0;
	if (!block || !memory || !bytes || bytes > board->memory_bytes)
		return 0;
	bytes = (uint32_t)align_up(bytes, SMALLEST);
	if (alignment < SMALLEST)
		alignment = SMALLEST;
	if (!is_power_of_2(alignment) ||
	    !find_gap(board, bytes, alignment, &block->offset))
		return 0;
	block->bytes = bytes;
	if (!has_space(board, block))
		return 0;
	block->alias = alias_of_flags(flags);
	block->locks = 0;
	block->handle = shared->next_handle++;
	fill_block(memory, block, flags);
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
	return (board->memory_base + block->offset) | block->alias;
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
