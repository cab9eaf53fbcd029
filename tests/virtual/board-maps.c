/* SPDX-License-Identifier: MIT */
/*
 * board-maps: physical memory of a virtual board, mapped by a program that
 * knows nothing of qpuemu.  Run with the name of a part; prints TAP.
 *
 *	registers	of the V3D, mapped many times
 *	memory		physical memory of a Pi 1
 *	later-memory	of a Pi 3
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { PAGE = 4096 };

static int
node(const char *path)
{
	const int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);

	if (fd < 0)
		ok(false, "%s is opened", path);
	return fd;
}

static volatile uint32_t *
map_at(int mem, size_t bytes, uint32_t physical)
{
	void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     mem, (off_t)physical);

	return mapping == MAP_FAILED ? NULL : mapping;
}

/* GPU memory: from `base` on so many bytes. */
static void
test_memory(int mem, uint32_t base, uint32_t bytes)
{
	volatile uint32_t *first = map_at(mem, bytes, base), *last;

	if (!ok(first != NULL, "all of the GPU's memory is mapped"))
		return;
	last = map_at(mem, 100, base + bytes - PAGE);
	if (!ok(last != NULL, "its last page is"))
		return;
	last[1] = 55;
	ok(first[(bytes - PAGE) / 4 + 1] == 55, "it is the same memory");
	errno = 0;
	ok(!map_at(mem, PAGE + 1, base + bytes - PAGE) && errno == EPERM,
	   "nothing behind");
	errno = 0;
	ok(!map_at(mem, PAGE, base - PAGE) && errno == EPERM,
	   "and nothing before it");
	ok(munmap((void *)first, bytes) == 0, "it is unmapped");
	ok(munmap((void *)last, PAGE) == 0, "and the page");
}

/* Registers: what is not the V3D's is zeros. */
static void
test_peripherals(int mem, uint32_t base)
{
	volatile uint32_t *window = map_at(mem, PAGE, base);

	ok(window && window[5] == 0, "peripherals are mapped");
	ok(map_at(mem, 32 << 20, base) != NULL, "all of them");
	ok(map_at(mem, PAGE, base + (32 << 20) - PAGE) != NULL, "the last");
	ok(!map_at(mem, PAGE, base + (32 << 20)) &&
		   !map_at(mem, PAGE + 1, base + (32 << 20) - PAGE),
	   "and no more");
	window = map_at(mem, PAGE, base + 0xc01000);
	ok(window && window[0] == 0, "behind the V3D there is nothing");
}

/* So many mappings of registers there can be, and one that is refused is none:
 * the next one is in its place. */
static void
registers(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const int mem = node("/dev/mem");
	volatile uint32_t *window = NULL;
	bool all = true;

	for (unsigned i = 0; i < 64; i++) {
		window = map_at(mem, PAGE, 0x20c00000);
		all &= window && window[0] == 0xdeadbeef;
	}
	ok(all, "registers without power answer, 64 times");
	errno = 0;
	ok(!map_at(mem, PAGE, 0x20c00000) && errno == EPERM, "and no more");
	ok((uintptr_t)map_at(mem, PAGE, 0x1c000000) ==
		   (uintptr_t)window + (1 << 20),
	   "one that is refused leaves its place");
#else
	tap_skip("registers are not trapped here");
#endif
}

static void
memory(void)
{
	const int mem = node("/dev/mem");
	const int cached = open("/dev/mem", O_RDWR | O_CLOEXEC);
	char *fixed = mmap(NULL, 2 * PAGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	test_memory(mem, 0x1c000000, 64 << 20);
	ok(map_at(mem, PAGE, 0x5c000000) && map_at(mem, PAGE, 0xdc000000),
	   "the top bits of an address do not matter");
	test_peripherals(mem, 0x20000000);
	ok(mmap(fixed, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, mem,
		0x1c000000) == fixed,
	   "an address that is wanted is had");
	ok(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, mem, 0) !=
		   MAP_FAILED,
	   "memory of one's own has nothing to do with a node");
	ok(!map_at(mem, PAGE, 0x1c000004), "pages are whole");
	ok((uint64_t)(uintptr_t)map_at(mem, PAGE, 0x1c000000) < UINT32_MAX,
	   "addresses have 32 bits");
	ok(map_at(cached, PAGE, 0x1c000000) != NULL,
	   "memory may be cached, which is said");
}

static void
later_memory(void)
{
	const int mem = node("/dev/mem");

	test_memory(mem, 0x3b000000, 64 << 20);
	ok(!map_at(mem, PAGE, 0xfb000000), "all bits of an address matter");
	test_peripherals(mem, 0x3f000000);
}

int
main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	close(STDIN_FILENO); /* 0 is a good descriptor */
	if (strcmp(part, "registers") == 0)
		registers();
	else if (strcmp(part, "memory") == 0)
		memory();
	else if (strcmp(part, "later-memory") == 0)
		later_memory();
	else
		return 2;
	return tap_done();
}
