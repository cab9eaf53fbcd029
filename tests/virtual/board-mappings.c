/* SPDX-License-Identifier: MIT */
/*
 * board-mappings: mappings of /dev/mem as a program on a virtual board makes
 * them, and what a kernel with that board's memory would answer.  It knows nothing
 * of qpuemu.  Run with the name of a part; prints TAP.
 *
 *	registers	of the V3D, mapped many times
 *	memory		physical memory of a Pi 1, mapped
 *	later-memory	of a Pi 3
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tests/support/tap.h"
#include "tests/virtual/board-parts.h"

enum { PAGE = 4096 };

static int
open_memory(void)
{
	const int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);

	if (fd < 0)
		ok(false, "/dev/mem is opened");
	return fd;
}

static volatile uint32_t *
map_at(int mem, size_t bytes, uint32_t physical)
{
	void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     mem, (off_t)physical);

	/* NULL would be a good address to a program. */
	if (!mapping)
		ok(false, "a mapping that is refused is MAP_FAILED");
	return mapping == MAP_FAILED ? NULL : mapping;
}

/* GPU memory: where it begins, and its size. */
static void
test_memory(int mem, uint32_t base, uint32_t bytes)
{
	volatile uint32_t *first = map_at(mem, bytes, base), *last;

	if (!ok(first != NULL, "all of the GPU's memory is mapped"))
		return;
	last = map_at(mem, 100, base + bytes - PAGE);
	if (!ok(last != NULL, "the last page of the GPU's memory is mapped"))
		return;
	last[1] = 55;
	ok(first[(bytes - PAGE) / 4 + 1] == 55,
	   "two mappings of the GPU's memory show the same");
	errno = 0;
	ok(!map_at(mem, PAGE + 1, base + bytes - PAGE) && errno == EPERM,
	   "a mapping beyond the GPU's memory is refused");
	errno = 0;
	ok(!map_at(mem, PAGE, base - PAGE) && errno == EPERM,
	   "a mapping before the GPU's memory is refused");
	ok(munmap((void *)first, bytes) == 0, "the GPU's memory is unmapped");
	ok(munmap((void *)last, PAGE) == 0, "the last page is unmapped");
}

/* Registers: what is not the V3D's is zeros. */
static void
test_peripherals(int mem, uint32_t base)
{
	volatile uint32_t *window = map_at(mem, PAGE, base);

	ok(window && window[5] == 0, "peripherals are mapped");
	ok(map_at(mem, 32 << 20, base) != NULL, "all peripherals are mapped");
	ok(map_at(mem, PAGE, base + (32 << 20) - PAGE) != NULL,
	   "the last page of the peripherals is mapped");
	ok(!map_at(mem, PAGE, base + (32 << 20)) &&
		   !map_at(mem, PAGE + 1, base + (32 << 20) - PAGE),
	   "a mapping beyond the peripherals is refused");
	window = map_at(mem, PAGE, base + 0xc01000);
	ok(window && window[0] == 0, "a page after the V3D is zeros");
}

/* The number of mappings of registers is limited.  One that is refused does not
 * count: the next one is in its place. */
static void
registers(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const int mem = open_memory();
	volatile uint32_t *window = NULL;
	bool all = true;

	for (unsigned i = 0; i < 64; i++) {
		window = map_at(mem, PAGE, 0x20c00000);
		all &= window && window[0] == 0xdeadbeef;
	}
	ok(all, "registers without power answer, 64 times");
	errno = 0;
	ok(!map_at(mem, PAGE, 0x20c00000) && errno == EPERM,
	   "registers are not mapped a 65th time");
	ok((uintptr_t)map_at(mem, PAGE, 0x1c000000) ==
		   (uintptr_t)window + (1 << 20),
	   "a mapping that is refused leaves its place");
#else
	tap_skip("registers are not trapped here");
#endif
}

static void
memory(void)
{
	const int mem = open_memory();
	const int cached = open("/dev/mem", O_RDWR | O_CLOEXEC);
	char *fixed = mmap(NULL, 2 * PAGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	test_memory(mem, 0x1c000000, 64 << 20);
	ok(map_at(mem, PAGE, 0x5c000000) && map_at(mem, PAGE, 0xdc000000),
	   "the top bits of an address do not matter");
	test_peripherals(mem, 0x20000000);
	ok(mmap(fixed, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, mem,
		0x1c000000) == fixed,
	   "memory is mapped at the address that is wanted");
	ok(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, mem, 0) !=
		   MAP_FAILED,
	   "anonymous memory is mapped whatever its descriptor");
	ok(!map_at(mem, PAGE, 0x1c000004), "a mapping begins at a page");
	ok((uint64_t)(uintptr_t)map_at(mem, PAGE, 0x1c000000) < UINT32_MAX,
	   "addresses of the GPU's memory have 32 bits");
	ok(map_at(cached, PAGE, 0x1c000000) != NULL,
	   "memory may be mapped through caches, with a message");
}

static void
later_memory(void)
{
	const int mem = open_memory();

	test_memory(mem, 0x3b000000, 64 << 20);
	ok(!map_at(mem, PAGE, 0xfb000000), "all bits of an address matter");
	test_peripherals(mem, 0x3f000000);
}

int
main(int argc, char **argv)
{
	static const struct board_part parts[] = {
		{ "registers", registers },
		{ "memory", memory },
		{ "later-memory", later_memory },
		{ NULL, NULL },
	};

	return board_part_run(argc, argv, parts);
}
