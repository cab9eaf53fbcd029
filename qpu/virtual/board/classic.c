/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/classic.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "qpu/virtual/board/pool.h"

enum { PAGE_SHIFT = 12, PAGE = 1 << PAGE_SHIFT, MAPPINGS = 256 };

/* Requests. */
enum {
	ALLOCATE = 0x5a,
	LOCK = 0x5c,
	LOCK_CACHED = 0x5d,
	UNLOCK = 0x5e,
	FREE = 0x61,
	FLUSH = 0x62,
	INVALIDATE = 0x63,
	SIZE_OF_HANDLE = 0x64,
	CHECK_HANDLE = 0x65,
	HANDLE_OF_ADDRESS = 0x66,
	ADDRESS_OF_HANDLE = 0x67,
	FIRMWARE_HANDLE_OF_ADDRESS = 0x68,
	FIRMWARE_HANDLE_OF_HANDLE = 0x69,
	BUS_ADDRESS_OF_HANDLE = 0x6a,
	CLEAN_INVALIDATE = 0x6f
};

/* Words of an allocation; its name is between. */
enum { SIZE, NUMBER, CACHED, HANDLE_OUT = 11 };
/* Words of a mapping. */
enum { MAP_PROCESS, MAP_HANDLE, MAP_ADDRESS, MAP_SIZE };
/* Flags of the firmware: not cached by it, or by its L2 cache. */
enum { DIRECT = 4, COHERENT = 0xc, CACHED_BY_FIRMWARE = 2 };

/* Mappings of this process; address 0 = free slot.  munmap() takes no lock. */
static struct {
	uint32_t handle;
	_Atomic uintptr_t address;
} mappings[MAPPINGS];

bool
classic_place(const struct board *board, uint64_t handle, uint32_t *offset,
	      uint32_t *bytes)
{
	const struct board_block *block =
		pool_find(board, (uint32_t)(handle >> PAGE_SHIFT));

	if (!block || !block->owner || handle % PAGE != 0 ||
	    handle > UINT32_MAX)
		return false;
	*offset = block->offset;
	*bytes = block->bytes;
	return true;
}

void
classic_mapped(uint32_t handle, void *address)
{
	for (unsigned i = 0; i < MAPPINGS; i++)
		if (!mappings[i].address) {
			mappings[i].handle = handle;
			mappings[i].address = (uintptr_t)address;
			return;
		}
}

void
classic_unmapped(const void *address)
{
	for (unsigned i = 0; i < MAPPINGS; i++)
		if (mappings[i].address == (uintptr_t)address)
			mappings[i].address = 0;
}

/* The lowest address at which this process has mapped it, or 0. */
static uint32_t
address_of(uint32_t handle)
{
	for (unsigned i = 0; i < MAPPINGS; i++)
		if (mappings[i].address && mappings[i].handle == handle)
			return (uint32_t)mappings[i].address;
	return 0;
}

static uint32_t
handle_of(uint32_t address)
{
	for (unsigned i = 0; i < MAPPINGS; i++)
		if (address && mappings[i].address == address)
			return mappings[i].handle;
	return 0;
}

/* The kernel frees what a process has when the node is closed, at its end at
 * the latest. */
static void
free_of_the_dead(const struct board *board)
{
	struct board_block *blocks = board->shared->blocks;

	for (unsigned i = 0; i < BOARD_BLOCKS; i++) {
		struct board_block *block = &blocks[i];

		if (!block->owner || kill((pid_t)block->owner, 0) == 0 ||
		    errno != ESRCH)
			continue;
		block->locks = 0;
		board->shared->changes++;
		pool_release(board, block->handle);
	}
}

static int
allocate(const struct board *board, uint32_t *words)
{
	const uint64_t bytes = (uint64_t)words[SIZE] * words[NUMBER];
	const uint32_t flags = words[CACHED] & CACHED_BY_FIRMWARE ? COHERENT :
								    DIRECT;
	uint32_t handle;

	if (bytes == 0 || bytes > board->memory_bytes)
		return bytes ? ENOMEM : EINVAL;
	free_of_the_dead(board);
	handle = pool_allocate(
		board, (uint32_t)(bytes + PAGE - 1) / PAGE * PAGE, PAGE, flags);
	if (!handle)
		return ENOMEM;
	pool_find(board, handle)->owner = (uint32_t)getpid();
	words[HANDLE_OUT] = handle << PAGE_SHIFT;
	return 0;
}

/* Requests about one buffer, whose handle is the first word. */
static int
answer_handle(const struct board *board, unsigned number, uint32_t *words)
{
	const uint32_t handle = words[0], firmware = handle >> PAGE_SHIFT;
	uint32_t offset, bytes;

	if (!classic_place(board, handle, &offset, &bytes))
		return EINVAL;
	switch (number) {
	case LOCK:
		pool_lock(board, firmware);
		words[1] = address_of(handle);
		break;
	case LOCK_CACHED: pool_lock(board, firmware); break;
	case UNLOCK: return pool_unlock(board, firmware) ? EPERM : 0;
	case FREE: pool_release(board, firmware); break;
	case SIZE_OF_HANDLE: words[1] = bytes; break;
	case CHECK_HANDLE:
		words[1] = address_of(handle);
		words[2] = bytes;
		words[3] = 0;
		break;
	default: break; /* memory here is coherent */
	}
	return 0;
}

/* Requests about a mapping of this process. */
static int
answer_mapping(const struct board *board, unsigned number, uint32_t *words)
{
	const bool by_address = number == HANDLE_OF_ADDRESS ||
				number == FIRMWARE_HANDLE_OF_ADDRESS;
	const uint32_t handle = by_address ? handle_of(words[MAP_ADDRESS]) :
					     words[MAP_HANDLE];
	const struct board_block *block;
	uint32_t offset;

	if (words[MAP_PROCESS] != (uint32_t)getpid() ||
	    !classic_place(board, handle, &offset, &words[MAP_SIZE]))
		return EINVAL;
	block = pool_find(board, handle >> PAGE_SHIFT);
	switch (number) {
	case ADDRESS_OF_HANDLE: words[MAP_ADDRESS] = address_of(handle); break;
	case HANDLE_OF_ADDRESS: words[MAP_HANDLE] = handle; break;
	case BUS_ADDRESS_OF_HANDLE:
		words[MAP_ADDRESS] = (board->memory_base + offset) |
				     block->alias;
		break;
	default: words[MAP_HANDLE] = block->handle; break;
	}
	return 0;
}

int
classic_answer(const struct board *board, unsigned number,
	       uint32_t words[CLASSIC_WORDS])
{
	switch (number) {
	case ALLOCATE: return allocate(board, words);
	case LOCK:
	case LOCK_CACHED:
	case UNLOCK:
	case FREE:
	case FLUSH:
	case INVALIDATE:
	case SIZE_OF_HANDLE:
	case CHECK_HANDLE: return answer_handle(board, number, words);
	case HANDLE_OF_ADDRESS:
	case ADDRESS_OF_HANDLE:
	case FIRMWARE_HANDLE_OF_ADDRESS:
	case FIRMWARE_HANDLE_OF_HANDLE:
	case BUS_ADDRESS_OF_HANDLE: return answer_mapping(board, number, words);
	case CLEAN_INVALIDATE: return 0;
	default: return EINVAL;
	}
}
