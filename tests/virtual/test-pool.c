/* SPDX-License-Identifier: MIT */
/*
 * Promise: GPU memory is where the firmware would put it: the lowest gap, with
 * room between two blocks, aligned, and filled as the flags say.
 */
#include "config.h"

#include "qpu/virtual/board/pool.h"

#include <stdint.h>

#include "tests/virtual/made-board.h"

enum {
	BASE = 0x1d000000, /* 512 MiB less 48 */
	BYTES = 48 * MADE_MIB,
	NO_INIT = 32,
	REFUSED = -1
};

static bool is_full;

int
fallocate(int fd, int mode, off_t at, off_t bytes)
{
	(void)fd;
	(void)mode;
	(void)at;
	(void)bytes;
	errno = ENOSPC;
	return is_full ? -1 : 0;
}

static uint32_t
take(uint32_t bytes, uint32_t alignment)
{
	return pool_allocate(&board, bytes, alignment, NO_INIT);
}

static uint32_t
offset_of(uint32_t handle)
{
	const struct board_block *block = pool_find(&board, handle);

	return block ? block->offset : UINT32_MAX;
}

static bool
is_at(uint32_t handle, uint32_t offset)
{
	return handle && offset_of(handle) == offset;
}

static void
test_places(void)
{
	const uint32_t a = take(64, 16);
	const uint32_t b = take(64, 0);
	const uint32_t c = take(1, 1);
	const uint32_t d = take(17, 16);
	uint32_t e;

	ok(a == 1 && b == 2 && c == 3 && d == 4, "handles are counted");
	ok(is_at(a, 0) && is_at(b, 128), "64 bytes lie between two blocks");
	ok(is_at(c, 256) && is_at(d, 336) &&
		   pool_find(&board, c)->bytes == 16 &&
		   pool_find(&board, d)->bytes == 32,
	   "sizes and places are multiples of 16");
	pool_release(&board, b);
	e = take(144, 16);
	ok(is_at(e, 432), "a gap that is too small is left");
	pool_release(&board, e);
	e = take(128, 16);
	ok(e && is_at(e, 128), "one that is just large enough is taken");
	pool_release(&board, e);
	e = take(64, 256);
	ok(is_at(e, 512), "an aligned block may have no place in it");
	pool_release(&board, e);
	ok(is_at(take(32, 4096), 4096), "a page");
	ok(is_at(take(32, 16), 128), "the gap is still there");
	ok(take(64, 48) == 0 && take(64, 17) == 0,
	   "an alignment is a power of two");
	ok(is_at(take(64, 32 * MADE_MIB), 0x1e000000 - BASE),
	   "it is that of addresses");
	ok(take(64, 64 * MADE_MIB) == 0, "none of which may be behind the end");
}

static void
release_all(void)
{
	for (unsigned i = 0; i < BOARD_BLOCKS; i++)
		board.shared->blocks[i] = (struct board_block){ .handle = 0 };
}

static void
test_limits(void)
{
	uint32_t handle, last = 0;
	unsigned n = 0;

	release_all();
	ok(take(BYTES + 1, 16) == 0 && take(BYTES + 16, 16) == 0 &&
		   take(0xfffffff8, 16) == 0,
	   "no more than there is");
	ok(take(0, 16) == 0, "nothing is not given");
	handle = take(BYTES, 16);
	ok(is_at(handle, 0), "but all of it at once");
	ok(take(16, 16) == 0, "and then no more");
	pool_release(&board, handle);
	ok(is_at(take(16, 16), 0) && take(BYTES - 64, 16) == 0,
	   "a block behind another ends where memory does");
	ok(is_at(take(BYTES - 80, 16), 80), "and not before");
	release_all();
	while ((handle = take(16, 16)) != 0) {
		last = handle;
		n++;
	}
	ok(n == 512, "there are 512 blocks");
	ok(pool_release(&board, last) == 0 && take(16, 16) != 0,
	   "and the place of one that is gone");
	release_all();
	board.shared->options.heap_used_mib = 1;
	ok(is_at(take(16, 16), MADE_MIB), "others have the begin of it");
	board.shared->options.heap_used_mib = 0;
	release_all();
}

/* Of the bytes at a place, before and behind included. */
static bool
has_bytes(const uint8_t *at, uint8_t before, uint8_t inside, uint8_t behind)
{
	bool same = at[-1] == before && at[32] == behind;

	for (unsigned i = 0; i < 32; i++)
		same &= at[i] == inside;
	return same;
}

static void
test_bytes(void)
{
	static const struct {
		uint32_t flags;
		uint8_t inside;
		const char *name;
	} rows[] = {
		{ 0, 0xff, "memory is filled with ones" },
		{ 16, 0, "or with zeros" },
		{ 32, 0x55, "or left as it was" },
		{ 48, 0, "zeros are wanted more" },
	};
	uint8_t *memory = board_gpu_memory(&board);
	uint32_t handle;

	if (!memory)
		exit(99);
	for (unsigned i = 0; i < 4; i++) {
		memset(memory, 0x55, 256);
		release_all();
		take(16, 16);
		handle = pool_allocate(&board, 32, 16, rows[i].flags);
		ok(is_at(handle, 80) &&
			   has_bytes(memory + 80, 0x55, rows[i].inside, 0x55),
		   "%s", rows[i].name);
	}
	release_all();
}

static void
test_locks(void)
{
	static const uint32_t aliases[] = { 0, 0xc0000000, 0x80000000,
					    0x40000000 };
	uint32_t handle = 0;
	uint32_t changes;
	char message[64];

	take(16, 16);
	for (uint32_t i = 0; i < 4; i++) {
		handle = pool_allocate(&board, 16, 16, 4 * i | 0x10);
		ok(pool_lock(&board, handle) ==
			   (aliases[i] | (BASE + 80 * (i + 1))),
		   "the address of alias %u", i);
	}
	changes = board.shared->changes;
	ok(pool_lock(&board, handle) == (0x40000000 | (BASE + 320)) &&
		   pool_unlock(&board, handle) == 0 &&
		   board.shared->changes == changes,
	   "a second lock changes nothing, nor its end");
	ok(pool_unlock(&board, handle) == 0 &&
		   board.shared->changes == changes + 1 &&
		   pool_find(&board, handle)->locks == 0,
	   "the end of the last one does");
	ok(pool_unlock(&board, handle) == (uint32_t)REFUSED &&
		   board.shared->changes == changes + 1,
	   "there is no third");
	pool_lock(&board, handle);
	ok(board.shared->changes == changes + 2, "nor is a lock unseen");
	made_says();
	ok(pool_release(&board, handle) == 0 &&
		   board.shared->changes == changes + 3 &&
		   !pool_find(&board, handle),
	   "what is released is no longer there, locked or not");
	snprintf(message, sizeof(message),
		 "qpuemu: memory %u was released while it was locked\n",
		 handle);
	is(made_says(), message, "which is said");
	handle = take(16, 16);
	ok(pool_release(&board, handle) == 0 &&
		   board.shared->changes == changes + 3,
	   "what was not locked is not missed");
	is(made_says(), "", "nor is it said");
	ok(pool_lock(&board, handle) == 0 &&
		   pool_unlock(&board, handle) == (uint32_t)REFUSED &&
		   pool_release(&board, handle) == (uint32_t)REFUSED,
	   "a handle that is gone is refused");
	ok(!pool_find(&board, 0) && pool_lock(&board, 0) == 0 &&
		   pool_release(&board, 0) == (uint32_t)REFUSED,
	   "so is none");
	release_all();
}

static void
test_faults(void)
{
	struct emulated_options *device = &board.shared->options.device;
	char message[BOARD_PATH];

	device->fault = DEVICE_NO_MEMORY;
	device->fault_at = board.shared->nallocations + 2;
	ok(take(16, 16) && !take(16, 16) && !take(16, 16),
	   "from the chosen one on none is given");
	device->fault = DEVICE_STUCK_QPU;
	ok(take(16, 16), "other faults have nothing to do with it");
	device->fault = DEVICE_NO_FAULT;
	snprintf(message, sizeof(message), "qpuemu: GPU memory: %s: %s\n",
		 board.dir, strerror(ENOSPC));
	is_full = true;
	made_says();
	ok(take(16, 16) == 0, "none is given that there is no room for");
	is(made_says(), message, "which is said");
	if (rename(made_path("memory"), "memory-of-test") != 0)
		exit(99);
	ok(take(16, 16), "if that cannot be asked, it is");
	is(made_says(), "", "without a word");
	if (rename("memory-of-test", made_path("memory")) != 0)
		exit(99);
	is_full = false;
	release_all();
}

int
main(void)
{
	const struct board_options options = {
		.device = { .qpus = 12, .mem_mib = 48 }, .v3d_mhz = 250
	};

	if (!made_begin("pi1", &options))
		return tap_done();
	test_places();
	test_limits();
	test_bytes();
	test_locks();
	test_faults();
	return made_end();
}
