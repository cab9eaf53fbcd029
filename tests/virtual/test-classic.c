/* SPDX-License-Identifier: MIT */
/*
 * Promise: /dev/vcsm answers each request about a buffer or a mapping as its
 * module did, and what a dead process had is free again.
 */
#include "config.h"

#include "qpu/virtual/board/classic.h"

#include <signal.h>

#include "qpu/virtual/board/pool.h"
#include "tests/virtual/made-board.h"

enum { BASE = 0x1d000000, PAGE = 4096 };

enum {
	ALLOCATE = 0x5a,
	LOCK = 0x5c,
	LOCK_CACHED = 0x5d,
	UNLOCK = 0x5e,
	FREE = 0x61,
	FLUSH = 0x62,
	INVALIDATE = 0x63,
	SIZE = 0x64,
	CHECK = 0x65,
	HANDLE_OF_ADDRESS = 0x66,
	ADDRESS = 0x67,
	FIRMWARE_OF_ADDRESS = 0x68,
	FIRMWARE = 0x69,
	BUS = 0x6a,
	CLEAN_INVALIDATE = 0x6f
};

/* What becomes of the process that has a buffer. */
static int kill_errno;
static pid_t asked;

int
kill(pid_t pid, int number)
{
	if (number != 0)
		exit(99);
	if (pid == 0)
		return 0;
	asked = pid;
	errno = kill_errno;
	return kill_errno ? -1 : 0;
}

static uint32_t words[CLASSIC_WORDS];

static int
ask(unsigned number, uint32_t a, uint32_t b, uint32_t c)
{
	memset(words, 0, sizeof(words));
	words[0] = a;
	words[1] = b;
	words[2] = c;
	words[3] = 77;
	return classic_answer(&board, number, words);
}

static uint32_t
take(uint32_t bytes)
{
	return ask(ALLOCATE, bytes, 1, 0) == 0 ? words[11] : 0;
}

static void
test_buffers(void)
{
	uint32_t handle, offset = 0, bytes = 0;

	ok(ask(ALLOCATE, 0, 1, 0) == EINVAL && ask(ALLOCATE, 1, 0, 0) == EINVAL,
	   "a buffer has bytes");
	ok(ask(ALLOCATE, 48 * MADE_MIB + 1, 1, 0) == ENOMEM &&
		   ask(ALLOCATE, 0x80000000, 2, 0) == ENOMEM &&
		   ask(ALLOCATE, 48 * MADE_MIB, 1, 0) == 0 &&
		   ask(ALLOCATE, 1, 1, 0) == ENOMEM,
	   "but no more than there are");
	ok(words[11] == 0, "no handle then");
	ok(ask(FREE, 1 << 12, 0, 0) == 0, "all of them are given back");
	ok(ask(ALLOCATE, 4097, 1, 0) == 0 && words[11] == 2 << 12,
	   "a handle is an offset for mmap()");
	handle = words[11];
	ok(ask(SIZE, handle, 0, 0) == 0 && words[1] == 2 * PAGE,
	   "its size is one of pages");
	ok(classic_place(&board, handle, &offset, &bytes) && offset == 0 &&
		   bytes == 2 * PAGE,
	   "it is in the firmware's memory");
	ok(ask(ALLOCATE, 100, 50, 0) == 0 && words[11] == 3 << 12 &&
		   classic_place(&board, words[11], &offset, &bytes) &&
		   offset == 3 * PAGE && bytes == 2 * PAGE,
	   "another one is behind it, at a page");
	ok(!classic_place(&board, handle + 1, &offset, &bytes) &&
		   !classic_place(&board, handle + 4095, &offset, &bytes) &&
		   !classic_place(&board, handle | UINT64_C(1) << 32, &offset,
				  &bytes) &&
		   !classic_place(&board, 9 << 12, &offset, &bytes),
	   "other offsets are none of a buffer");
	ok(ask(FREE, 3 << 12, 0, 0) == 0 && ask(FREE, 3 << 12, 0, 0) == EINVAL,
	   "it is freed once");
	ok(ask(FREE, handle, 0, 0) == 0, "and the first");
}

static void
test_requests(void)
{
	static const unsigned refused[] = { 0,	  0x59, 0x5b, 0x5f,
					    0x60, 0x6b, 0x6e, 0x70 };
	const uint32_t handle = take(PAGE), firmware = handle >> 12;
	const struct board_block *block = pool_find(&board, firmware);
	bool all = true;

	ok(ask(LOCK, handle, 5, 0) == 0 && words[1] == 0 && block->locks == 1,
	   "a buffer that is not mapped is locked");
	classic_mapped(handle, (void *)0x12000);
	ok(ask(LOCK, handle, 5, 0) == 0 && words[1] == 0x12000 &&
		   block->locks == 2,
	   "and one that is, where it is");
	ok(ask(LOCK_CACHED, handle, 5, 0) == 0 && words[1] == 5 &&
		   block->locks == 3,
	   "with caches the address is not told");
	ok(ask(UNLOCK, handle, 0, 0) == 0 && block->locks == 2 &&
		   ask(UNLOCK, handle, 0, 0) == 0 &&
		   ask(UNLOCK, handle, 0, 0) == 0 &&
		   ask(UNLOCK, handle, 0, 0) == EPERM,
	   "it is unlocked as often");
	ok(ask(CHECK, handle, 5, 5) == 0 && words[1] == 0x12000 &&
		   words[2] == PAGE && words[3] == 0,
	   "where it is mapped, its size, and no caches");
	ok(ask(FLUSH, handle, 5, 6) == 0 && words[1] == 5 && words[2] == 6 &&
		   ask(INVALIDATE, handle, 5, 6) == 0 && words[1] == 5 &&
		   block->locks == 0,
	   "caches change nothing");
	ok(ask(FLUSH, handle + PAGE, 0, 0) == EINVAL, "but of a buffer");
	ok(ask(CLEAN_INVALIDATE, 99, 0, 0) == 0, "but for the whole");
	for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		all &= ask(refused[i], handle, 0, 0) == EINVAL;
	ok(all, "other requests are refused");
	classic_unmapped((void *)0x12000);
	ok(ask(CHECK, handle, 5, 5) == 0 && words[1] == 0,
	   "a mapping that is gone is not told");
	ask(FREE, handle, 0, 0);
}

static void
test_mappings(void)
{
	const uint32_t handle = take(PAGE), other = take(2 * PAGE);
	const uint32_t me = (uint32_t)getpid();

	classic_mapped(handle, (void *)0x12000);
	classic_mapped(other, (void *)0x15000);
	ok(ask(ADDRESS, me, handle, 5) == 0 && words[2] == 0x12000 &&
		   words[1] == handle && words[3] == PAGE,
	   "the address of a handle");
	ok(ask(HANDLE_OF_ADDRESS, me, 5, 0x15000) == 0 && words[1] == other &&
		   words[2] == 0x15000 && words[3] == 2 * PAGE,
	   "the handle of an address");
	ok(ask(FIRMWARE_OF_ADDRESS, me, 5, 0x15000) == 0 &&
		   words[1] == other >> 12 && words[2] == 0x15000,
	   "the firmware's handle of an address");
	ok(ask(FIRMWARE, me, handle, 5) == 0 && words[1] == handle >> 12 &&
		   words[2] == 5,
	   "and of a handle");
	ok(ask(BUS, me, other, 5) == 0 && words[1] == other &&
		   words[2] == (0xc0000000 | (BASE + 2 * PAGE)),
	   "where the QPUs see it");
	ok(ask(ADDRESS, me + 1, handle, 5) == EINVAL &&
		   ask(HANDLE_OF_ADDRESS, me + 1, 5, 0x15000) == EINVAL,
	   "mappings of another process are not known");
	ok(ask(HANDLE_OF_ADDRESS, me, 5, 0x13000) == EINVAL &&
		   ask(HANDLE_OF_ADDRESS, me, handle, 0) == EINVAL &&
		   ask(ADDRESS, me, handle + 1, 0) == EINVAL,
	   "nor what is none");
	classic_mapped(handle, (void *)0x19000);
	ok(ask(ADDRESS, me, handle, 5) == 0 && words[2] == 0x12000,
	   "of two mappings the first is told");
	classic_unmapped((void *)0x12000);
	ok(ask(ADDRESS, me, handle, 5) == 0 && words[2] == 0x19000 &&
		   ask(HANDLE_OF_ADDRESS, me, 5, 0x12000) == EINVAL,
	   "and then the second");
	ask(ALLOCATE, PAGE, 1, 2);
	ok(ask(BUS, me, words[11], 5) == 0 &&
		   words[2] == (0x40000000 | (BASE + 5 * PAGE)),
	   "what the firmware caches has another address");
	ask(ALLOCATE, PAGE, 1, 1);
	ok(ask(BUS, me, words[11], 5) == 0 &&
		   words[2] == (0xc0000000 | (BASE + 7 * PAGE)),
	   "what the ARM does has not");
	classic_unmapped((void *)0x15000);
	classic_unmapped((void *)0x19000);
}

/* So many mappings are remembered. */
static void
test_many_mappings(void)
{
	const uint32_t handle = take(PAGE), me = (uint32_t)getpid();

	for (uintptr_t i = 1; i <= 257; i++)
		classic_mapped(handle, (void *)(i << 12));
	ok(ask(HANDLE_OF_ADDRESS, me, 0, 256 << 12) == 0 && words[1] == handle,
	   "256 mappings are known");
	ok(ask(HANDLE_OF_ADDRESS, me, 0, 257 << 12) == EINVAL, "no more");
	classic_unmapped((void *)(7 << 12));
	classic_mapped(handle, (void *)(257 << 12));
	ok(ask(HANDLE_OF_ADDRESS, me, 0, 257 << 12) == 0 &&
		   ask(HANDLE_OF_ADDRESS, me, 0, 7 << 12) == EINVAL,
	   "but in the place of one that is gone");
	for (uintptr_t i = 1; i <= 257; i++)
		classic_unmapped((void *)(i << 12));
	ok(ask(HANDLE_OF_ADDRESS, me, 0, 256 << 12) == EINVAL,
	   "in the end none is");
}

/* A buffer of a process whose end was not seen. */
static void
test_owners(void)
{
	const uint32_t plain = pool_allocate(&board, PAGE, PAGE, 0);
	const uint32_t handle = take(PAGE);
	uint32_t changes, offset, bytes;

	ok(pool_find(&board, handle >> 12)->owner == (uint32_t)getpid(),
	   "a buffer is its process's");
	ok(!classic_place(&board, (uint64_t)plain << 12, &offset, &bytes),
	   "memory of the firmware is nobody's, and no buffer");
	ask(LOCK, handle, 0, 0);
	pool_find(&board, handle >> 12)->owner = 4711;
	kill_errno = 0;
	take(PAGE);
	ok(asked == 4711 || asked == getpid(), "its process is asked for");
	ok(classic_place(&board, handle, &offset, &bytes),
	   "a buffer stays while its process lives");
	kill_errno = EPERM;
	take(PAGE);
	ok(classic_place(&board, handle, &offset, &bytes),
	   "also where that is another user's");
	kill_errno = ESRCH;
	changes = board.shared->changes;
	made_says();
	take(PAGE);
	ok(!classic_place(&board, handle, &offset, &bytes) &&
		   board.shared->changes != changes,
	   "it is free when the process is not there");
	is(made_says(), "", "and nobody forgot to unlock it");
	ok(pool_find(&board, plain) != NULL, "what is nobody's stays");
}

int
main(void)
{
	const struct board_options options = {
		.device = { .qpus = 12, .mem_mib = 48 }, .v3d_mhz = 250
	};

	if (!made_begin("pi1", &options))
		return tap_done();
	test_buffers();
	test_requests();
	test_mappings();
	test_many_mappings();
	test_owners();
	return made_end();
}
