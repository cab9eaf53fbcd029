/* SPDX-License-Identifier: MIT */
/*
 * Memory of both kinds: where it is for the CPU and for the QPUs, and what is
 * given back when it cannot be had.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/driver/dma_heap.h"
#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/memory.h"
#include "qpu/driver/vcsm.h"
#include "tests/support/tap.h"

enum { VCIO = 77, NODE = 78, HEAP = 79 };

static struct {
	uint32_t handle, bus; /* the firmware's answers */
	uint64_t dma_addr;    /* the kernel's */
	bool no_buffer, no_mapping;
	unsigned allocated, unlocked, released;
	uint32_t size, alignment, flags; /* asked for */
	int buffer;
	struct vcsm_allocate asked;
	/* of the last mapping */
	int fd;
	off_t offset;
	size_t bytes;
	unsigned unmapped;
	/* during VCSM_ALLOCATE */
	unsigned calls;
	bool open_to_signals, unvisited;
	/* cached memory */
	bool no_heap, no_import;
	int heap_buffer, imported;
	uint64_t heap_bytes;
	uint64_t syncs; /* flags of each, the last one lowest */
	unsigned interrupted;
} world;

static char page[DEVICE_PAGE] __attribute__((aligned(DEVICE_PAGE)));

int
__wrap_ioctl(int fd, unsigned long request, ...);
void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset);
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset);
int
__wrap_munmap(void *at, size_t bytes);

static void
answer_mailbox(uint32_t *message)
{
	switch (message[2]) {
	case 0x3000c:
		world.allocated++;
		world.size = message[5];
		world.alignment = message[6];
		world.flags = message[7];
		message[5] = world.handle;
		break;
	case 0x3000d: message[5] = world.bus; break;
	case 0x3000e: world.unlocked++; break;
	case 0x3000f: world.released++; break;
	}
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
}

/* All but those that the system does not let anybody block; qemu-user keeps a
 * few of its own. */
static sigset_t blockable;

static void
find_blockable(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_sigmask(SIG_SETMASK, &before, &blockable);
}

/* Which signals could arrive now, in this thread or in others? */
static void
look_at_signals(void)
{
	struct claims_visit visit;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&blockable, number) == 1 &&
		    sigismember(&mask, number) == 0)
			world.open_to_signals = true;
	if (claims_enter(&visit)) {
		world.unvisited = true;
		claims_leave(&visit);
	}
	world.calls++;
}

/* Requests of the kernel's headers, by number. */
static int
answer_heap(uint32_t request, void *argument)
{
	struct dma_heap_allocate *allocate = argument;
	struct vcsm_import *import = argument;

	errno = ENOMEM;
	if (request == 0xc0184800 && !world.no_heap) {
		world.heap_bytes = allocate->bytes;
		world.heap_buffer = open("/dev/null", O_RDWR);
		allocate->fd = (uint32_t)world.heap_buffer;
		return 0;
	}
	if (request == 0x80404a5b && !world.no_import) {
		look_at_signals();
		world.imported = open("/dev/null", O_RDWR);
		import->handle = world.imported;
		import->dma_addr = world.dma_addr;
		return import->dmabuf == world.heap_buffer ? 0 : -1;
	}
	if (request != 0x40086200)
		return -1;
	errno = EINTR;
	if (world.interrupted > 0 && world.interrupted-- > 0)
		return -1;
	world.syncs = world.syncs << 4 | *(uint64_t *)argument;
	return 0;
}

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (fd == VCIO) {
		answer_mailbox(argument);
		return 0;
	}
	if (fd == HEAP || (fd > 2 && fd == world.heap_buffer) ||
	    (uint32_t)request == 0x80404a5b)
		return answer_heap((uint32_t)request, argument);
	if (fd != NODE || (uint32_t)request != 0x80404a5a || world.no_buffer) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(&world.asked, argument, sizeof(world.asked));
	look_at_signals();
	world.buffer = open("/dev/null", O_RDWR);
	((struct vcsm_allocate *)argument)->handle = world.buffer;
	((struct vcsm_allocate *)argument)->dma_addr = world.dma_addr;
	return 0;
}

void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset)
{
	(void)at;
	world.fd = fd;
	world.offset = offset;
	world.bytes = bytes;
	if (world.no_mapping || flags != MAP_SHARED ||
	    protection != (PROT_READ | PROT_WRITE)) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return page;
}

/* The same, where off_t is not a long. */
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset)
{
	return __wrap_mmap(at, bytes, protection, flags, fd, offset);
}

int
__wrap_munmap(void *at, size_t bytes)
{
	world.unmapped += at == page && bytes == world.bytes;
	return 0;
}

static struct diag why;
static struct memory_piece piece;

static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.handle = 5;
	claims_begin(VCIO);
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static const struct soc *
soc_of_name(const char *name)
{
	const struct soc *row = soc_rows;

	while (strcmp(row->name, name) != 0)
		row++;
	return row;
}

static void
test_firmware(const char *chip, uint32_t bus, off_t physical, uint32_t flags)
{
	const struct memory_source source = { .kind = MEMORY_DEV_MEM,
					      .soc = soc_of_name(chip),
					      .bus_alias = bus & 0xc0000000,
					      .memory_flags = flags,
					      .node = NODE };

	reset();
	world.bus = bus;
	ok(memory_take(&source, 5000, &piece, &why) &&
		   piece.shared.cpu == page && piece.shared.bus == bus &&
		   piece.shared.bytes == 8192,
	   "%s: memory of the firmware", chip);
	ok(world.size == 8192 && world.alignment == 4096 &&
		   world.flags == (flags | 0x20),
	   "%s: whole pages, for the right alias, not initialised", chip);
	ok(world.fd == NODE && world.offset == physical && world.bytes == 8192,
	   "%s: mapped where the ARM sees it", chip);
	memory_give_back(&source, &piece);
	ok(world.unmapped == 1 && world.unlocked == 1 && world.released == 1 &&
		   piece.shared.bytes == 0,
	   "%s: it goes back", chip);

	reset();
	world.bus = bus;
	world.no_mapping = true;
	ok(!memory_take(&source, 4096, &piece, &why) &&
		   strstr(why.text, "not permitted") && world.released == 1 &&
		   piece.shared.bytes == 0,
	   "%s: what cannot be mapped goes back", chip);
	reset();
	world.bus = bus + 64;
	ok(!memory_take(&source, 4096, &piece, &why) && world.released == 1 &&
		   world.bytes == 0,
	   "%s: as does what is not aligned", chip);
	reset();
	world.handle = 0;
	ok(!memory_take(&source, 4096, &piece, &why) &&
		   strstr(why.text, "gpu_mem") && world.released == 0,
	   "%s: no memory, and what helps", chip);
	claims_end();
}

static void
test_kernel(const char *chip, uint64_t dma_addr, uint32_t bus)
{
	const struct memory_source source = { .kind = MEMORY_VCSM,
					      .soc = soc_of_name(chip),
					      .bus_alias = bus & 0xc0000000,
					      .node = NODE };

	reset();
	world.dma_addr = dma_addr;
	ok(memory_take(&source, 1, &piece, &why) && piece.shared.bus == bus &&
		   piece.shared.cpu == page,
	   "%s: memory of the kernel", chip);
	ok(world.asked.size == 4096 && world.asked.num == 1 &&
		   world.asked.cached == 0,
	   "%s: a page, past the caches", chip);
	ok(world.fd == world.buffer && world.offset == 0 &&
		   !is_open(world.buffer),
	   "%s: mapped through its descriptor, which is then closed", chip);
	memory_give_back(&source, &piece);
	ok(world.unmapped == 1 && world.allocated == 0,
	   "%s: unmapped at its end", chip);

	reset();
	world.dma_addr = dma_addr;
	world.no_mapping = true;
	ok(!memory_take(&source, 1, &piece, &why) && !is_open(world.buffer),
	   "%s: closed, too, when it cannot be mapped", chip);
	reset();
	world.dma_addr = dma_addr | UINT64_C(1) << 32;
	ok(!memory_take(&source, 1, &piece, &why) && !is_open(world.buffer),
	   "%s: or when it is where QPUs cannot reach", chip);
	reset();
	world.dma_addr = source.soc->peripherals;
	ok(!memory_take(&source, 1, &piece, &why) && !is_open(world.buffer) &&
		   strstr(why.text, "vcsm-cma gives 4 KiB at bus address"),
	   "%s: or where the peripherals are", chip);
	reset();
	world.no_buffer = true;
	ok(!memory_take(&source, 1, &piece, &why) &&
		   strstr(why.text, "Cannot allocate"),
	   "%s: no memory", chip);
	claims_end();
}

static void
test_cached(void)
{
	const struct memory_source source = { .kind = MEMORY_CACHED,
					      .soc = soc_of_name("BCM2837"),
					      .bus_alias = 0xc0000000,
					      .node = NODE,
					      .heap = HEAP };

	reset();
	world.dma_addr = 0x1a000000;
	ok(memory_take(&source, 5000, &piece, &why) &&
		   piece.shared.bus == 0xda000000 && piece.shared.cpu == page &&
		   world.heap_bytes == 8192 && world.fd == world.heap_buffer,
	   "cached: the heap's buffer is mapped, at the import's address");
	ok(!world.open_to_signals && !world.unvisited && world.calls == 1,
	   "cached: nothing interrupts the import");
	ok(is_open(world.heap_buffer) && is_open(world.imported),
	   "cached: both descriptors stay open");
	world.interrupted = 2;
	ok(memory_flush(&piece) && memory_refresh(&piece) &&
		   world.syncs == 0x61,
	   "cached: what is written is flushed, what is read is forgotten");
	memory_give_back(&source, &piece);
	ok(world.unmapped == 1 && !is_open(world.heap_buffer) &&
		   !is_open(world.imported),
	   "cached: it goes back with its descriptors");

	reset();
	world.no_heap = true;
	ok(!memory_take(&source, 1, &piece, &why) &&
		   strstr(why.text, "linux,cma has no 4 KiB"),
	   "cached: no memory in the heap");
	reset();
	world.no_import = true;
	ok(!memory_take(&source, 1, &piece, &why) &&
		   !is_open(world.heap_buffer),
	   "cached: what cannot be imported goes back");
	reset();
	world.no_mapping = true;
	ok(!memory_take(&source, 1, &piece, &why) &&
		   !is_open(world.heap_buffer) && !is_open(world.imported),
	   "cached: as does what cannot be mapped");
	claims_end();
}

/* An address that is not believed is neither mapped nor kept. */
static void
test_addresses(void)
{
	static const struct {
		const char *chip;
		uint32_t bus_alias, bus, bytes;
		bool good;
	} rows[] = { { "BCM2835", 0x40000000, 0x40001000, 0x1000, true },
		     { "BCM2835", 0x40000000, 0x5ffff000, 0x1000, true },
		     { "BCM2835", 0x40000000, 0x5ffff000, 0x2000, false },
		     { "BCM2835", 0x40000000, 0x60000000, 0x1000, false },
		     { "BCM2835", 0x40000000, 0x40000000, 0x1000, false },
		     { "BCM2835", 0x40000000, 0x1c000000, 0x1000, false },
		     { "BCM2835", 0x40000000, 0xdc000000, 0x1000, false },
		     { "BCM2835", 0xc0000000, 0xdc000000, 0x1000, true },
		     { "BCM2835", 0x40000000, 0x5c000040, 0x1000, false },
		     { "BCM2837", 0xc0000000, 0xfefff000, 0x1000, true },
		     { "BCM2837", 0xc0000000, 0xfefff000, 0x2000, false },
		     { "BCM2837", 0xc0000000, 0xff000000, 0x1000, false },
		     { "BCM2837", 0xc0000000, 0xfffff000, 0x1000, false },
		     { "BCM2837", 0xc0000000, 0xfffff000, 0x40000000, false },
		     { "BCM2837", 0xc0000000, 0x80000000, 0x1000, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct memory_source source = {
			.kind = MEMORY_DEV_MEM,
			.soc = soc_of_name(rows[i].chip),
			.bus_alias = rows[i].bus_alias,
			.node = NODE
		};
		bool taken;

		reset();
		world.bus = rows[i].bus;
		taken = memory_take(&source, rows[i].bytes, &piece, &why);
		ok(taken == rows[i].good &&
			   world.bytes == (taken ? rows[i].bytes : 0) &&
			   world.released == !taken &&
			   (taken || strstr(why.text, rows[i].chip)),
		   "%s: 0x%x bytes at 0x%08x are %s", rows[i].chip,
		   (unsigned)rows[i].bytes, (unsigned)rows[i].bus,
		   rows[i].good ? "taken" : "given back");
		if (taken)
			memory_give_back(&source, &piece);
		claims_end();
	}
}

/* A kernel that is interrupted there, or finds no descriptor, oopses. */
static void
test_interruptions(void)
{
	const struct memory_source source = { .kind = MEMORY_VCSM,
					      .soc = soc_of_name("BCM2836"),
					      .bus_alias = 0xc0000000,
					      .node = NODE };
	const struct rlimit few = { 5, 64 };
	struct rlimit usual;

	find_blockable();
	ok(sigismember(&blockable, SIGTERM) == 1, "signals can be blocked");
	reset();
	world.dma_addr = 0x1a000000;
	ok(memory_take(&source, 1, &piece, &why) && world.calls == 1 &&
		   !world.open_to_signals,
	   "no signal can arrive while the kernel allocates");
	ok(!world.unvisited, "and in other threads it waits");
	memory_give_back(&source, &piece);
	claims_end();
	ok(!memory_take(&source, 1, &piece, &why) && world.calls == 1,
	   "a process that is about to end asks no more");

	reset();
	getrlimit(RLIMIT_NOFILE, &usual);
	setrlimit(RLIMIT_NOFILE, &few);
	ok(!memory_take(&source, 1, &piece, &why) && world.calls == 0 &&
		   strstr(why.text, "descriptors"),
	   "without spare descriptors the kernel is not asked");
	setrlimit(RLIMIT_NOFILE, &usual);
	claims_end();
}

int
main(void)
{
	const struct memory_source source = { .kind = MEMORY_VCSM };

	dup2(STDOUT_FILENO, NODE);
	dup2(STDOUT_FILENO, HEAP);
	test_firmware("BCM2835", 0x5c001000, 0x1c001000, 0xc);
	test_firmware("BCM2836", 0xfb001000, 0x3b001000, 0x4);
	test_firmware("BCM2837", 0xfb001000, 0x3b001000, 0x4);
	test_kernel("BCM2835", 0x1a000000, 0x5a000000);
	test_kernel("BCM2835", 0x5a000000, 0x5a000000);
	test_kernel("BCM2836", 0x1a000000, 0xda000000);
	test_kernel("BCM2837", 0xda000000, 0xda000000);
	test_cached();
	test_addresses();
	test_interruptions();
	ok(!memory_take(&source, 0, &piece, &why) &&
		   !memory_take(&source, (size_t)1 << 31, &piece, &why),
	   "neither nothing nor more than there can be");
	return tap_done();
}
