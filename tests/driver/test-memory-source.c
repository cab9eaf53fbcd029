/* SPDX-License-Identifier: MIT */
/*
 * Where memory comes from, and what is said where none can be had: nodes,
 * descriptors to spare, the kernel's allocators, and what /proc/meminfo tells.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/driver/dma_heap.h"
#include "qpu/driver/firmware.h"
#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/memory.h"
#include "qpu/driver/vcsm.h"
#include "tests/support/tap.h"

#define GIVES_MORE                                                             \
	"dtoverlay=cma,cma-128 in /boot/firmware/config.txt (older systems: "  \
	"/boot/config.txt) gives more)"

enum { NODE = 40, HEAP = 41, MEMINFO = 42, BUFFER = 43, IMPORT = 44 };

static struct {
	/* Nodes, as they are opened. */
	char names[2][64];
	int flags[2], fds[2], errors[2];
	unsigned nopened;
	const char *meminfo; /* NULL: cannot be opened */
	bool unreadable;
	/* ioctl */
	int error, import_error, sync_errors[4];
	unsigned ncalls, nsyncs;
	uint64_t sync_flags;
	struct dma_heap_allocate heap;
	struct vcsm_import import;
	struct vcsm_allocate kernel;
	uint64_t dma_addr;
	unsigned nmapped, nunmapped, nothing_closed;
	bool no_mapping;
} world;

static struct diag why;
static char page[DEVICE_PAGE] __attribute__((aligned(DEVICE_PAGE)));

int
__wrap_firmware_open_node(const char *name, int flags);
int
__wrap_open(const char *name, int flags, ...);
int
__wrap_open64(const char *name, int flags, ...)
	__attribute__((alias("__wrap_open")));
ssize_t
__wrap_read(int fd, void *bytes, size_t room);
int
__wrap_ioctl(int fd, unsigned long request, ...);
void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset);
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset) __attribute__((alias("__wrap_mmap")));
int
__wrap_munmap(void *at, size_t bytes);
int
__real_close(int fd);
int
__wrap_close(int fd);

int
__wrap_close(int fd)
{
	world.nothing_closed += fd < 0;
	return __real_close(fd);
}

static int
copy_of_stdout(int number)
{
	if (dup2(STDOUT_FILENO, number) != number)
		_exit(99);
	return number;
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

int
__wrap_firmware_open_node(const char *name, int flags)
{
	const unsigned i = world.nopened++ % 2;

	snprintf(world.names[i], sizeof(world.names[i]), "%s", name);
	world.flags[i] = flags;
	errno = world.errors[i];
	return world.errors[i] ? -1 : copy_of_stdout(i ? HEAP : NODE);
}

int
__wrap_open(const char *name, int flags, ...)
{
	errno = ENOENT;
	return strcmp(name, "/proc/meminfo") == 0 && world.meminfo &&
			       flags == (O_RDONLY | O_CLOEXEC) ?
		       copy_of_stdout(MEMINFO) :
		       -1;
}

ssize_t
__wrap_read(int fd, void *bytes, size_t room)
{
	const size_t len = strlen(world.meminfo);

	if (fd != MEMINFO || world.unreadable)
		return -1;
	memset(bytes, 'x', room);
	memcpy(bytes, world.meminfo, len < room ? len : room);
	return (ssize_t)(len < room ? len : room);
}

static int
answer(unsigned long request, void *argument)
{
	const unsigned sync = world.nsyncs % 4;

	if (request == DMA_HEAP_SYNC) {
		world.nsyncs++;
		world.sync_flags = *(uint64_t *)argument;
		errno = world.sync_errors[sync];
		return world.sync_errors[sync] ? -1 : 0;
	}
	world.ncalls++;
	errno = request == VCSM_IMPORT ? world.import_error : world.error;
	if (errno)
		return -1;
	if (request == DMA_HEAP_ALLOCATE) {
		memcpy(&world.heap, argument, sizeof(world.heap));
		((struct dma_heap_allocate *)argument)->fd =
			(uint32_t)copy_of_stdout(BUFFER);
	} else if (request == VCSM_IMPORT) {
		memcpy(&world.import, argument, sizeof(world.import));
		((struct vcsm_import *)argument)->handle =
			copy_of_stdout(IMPORT);
		((struct vcsm_import *)argument)->dma_addr = world.dma_addr;
	} else if (request == VCSM_ALLOCATE) {
		memcpy(&world.kernel, argument, sizeof(world.kernel));
		((struct vcsm_allocate *)argument)->handle =
			copy_of_stdout(BUFFER);
		((struct vcsm_allocate *)argument)->dma_addr = world.dma_addr;
	}
	return 0;
}

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	(void)fd;
	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	return answer((uint32_t)request, argument);
}

void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset)
{
	(void)at;
	(void)bytes;
	(void)protection;
	(void)flags;
	(void)fd;
	(void)offset;
	world.nmapped++;
	errno = EPERM;
	return world.no_mapping ? MAP_FAILED : page;
}

int
__wrap_munmap(void *at, size_t bytes)
{
	world.nunmapped += at == page && bytes == DEVICE_PAGE;
	return 0;
}

static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.meminfo = "MemFree: 5 kB\nCmaTotal:   65536 kB\n"
			"CmaFree:  6143 kB\n";
	world.dma_addr = 0x1a000000;
	why.text[0] = '\0';
}

static bool
open_source(struct memory_source *source, enum memory_kind kind)
{
	const struct pi_board board = { .soc = soc_of_compatible(
						"brcm,bcm2837"),
					.bus_alias = 0xc0000000,
					.memory_flags = 4,
					.memory = kind };

	return memory_open(source, &board, &why);
}

static bool
opened(unsigned i, const char *name, int flags)
{
	return world.nopened > i && strcmp(world.names[i], name) == 0 &&
	       world.flags[i] == flags;
}

static void
test_open(void)
{
	struct memory_source source;

	reset();
	ok(open_source(&source, MEMORY_DEV_MEM) &&
		   source.kind == MEMORY_DEV_MEM && source.node == NODE &&
		   source.heap == -1 && world.nopened == 1 &&
		   opened(0, "/dev/mem", O_SYNC),
	   "memory of the firmware is mapped by /dev/mem, past the caches");
	ok(source.bus_alias == 0xc0000000 && source.memory_flags == 4 &&
		   source.soc == soc_of_compatible("brcm,bcm2837"),
	   "as the board has it");
	memory_close(&source);
	ok(!is_open(NODE) && source.node == -1, "and is closed");

	reset();
	ok(open_source(&source, MEMORY_VCSM) && source.kind == MEMORY_VCSM &&
		   source.heap == -1 && world.nopened == 1 &&
		   opened(0, "/dev/vcsm-cma", 0),
	   "memory of the kernel");
	ok(!memory_give_up_cache(&source), "has no cache to be given up");
	memory_close(&source);

	reset();
	ok(open_source(&source, MEMORY_CACHED) &&
		   source.kind == MEMORY_CACHED && source.heap == HEAP &&
		   opened(0, "/dev/vcsm-cma", 0) &&
		   opened(1, "/dev/dma_heap/linux,cma", 0),
	   "cached memory has a heap, too");
	ok(memory_give_up_cache(&source) && source.kind == MEMORY_VCSM &&
		   source.heap == -1 && !is_open(HEAP) && is_open(NODE),
	   "which can be given up");
	memory_close(&source);
	ok(!is_open(NODE), "and the rest is closed");
	open_source(&source, MEMORY_CACHED);
	memory_close(&source);
	memory_close(&source);
	ok(!is_open(NODE) && !is_open(HEAP) && world.nothing_closed == 0,
	   "as is all at once, and once");

	reset();
	world.errors[1] = EACCES;
	ok(open_source(&source, MEMORY_CACHED) && source.kind == MEMORY_VCSM &&
		   source.heap == -1,
	   "without the heap it is not cached");
	memory_close(&source);
	reset();
	world.errors[0] = world.errors[1] = EACCES;
	ok(!open_source(&source, MEMORY_DEV_MEM), "a node may not be there");
	is(why.text, "/dev/mem: Permission denied", "and is named");
	ok(!open_source(&source, MEMORY_CACHED) &&
		   strcmp(why.text, "/dev/vcsm-cma: Permission denied") == 0 &&
		   source.node == -1 && source.heap == -1,
	   "the other one, too");
}

static void
test_names(void)
{
	is(memory_name(MEMORY_NONE), "nothing", "no memory");
	is(memory_name(MEMORY_CACHED), "/dev/dma_heap/linux,cma, cached",
	   "cached memory");
	is(memory_name(MEMORY_VCSM), "/dev/vcsm-cma, not cached",
	   "memory of the kernel");
	is(memory_name(MEMORY_DEV_MEM), "/dev/mem, not cached",
	   "memory of the firmware");
}

static void
test_meminfo(void)
{
	static char text[8300];

	reset();
	ok(memory_cma_kib("CmaTotal:") == 65536 &&
		   memory_cma_kib("CmaFree:") == 6143 && !is_open(MEMINFO),
	   "what the kernel tells of its memory for devices");
	ok(memory_cma_kib("CmaSpare:") == -1, "or does not tell");
	world.unreadable = true;
	ok(memory_cma_kib("CmaTotal:") == -1 && !is_open(MEMINFO),
	   "what cannot be read");
	world.unreadable = false;
	world.meminfo = NULL;
	ok(memory_cma_kib("CmaTotal:") == -1, "or opened");
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text + 8178, "CmaFree: 123456789", 18);
	world.meminfo = text;
	ok(memory_cma_kib("CmaFree:") == 1234, "8191 bytes are read");
	world.meminfo = "";
	ok(memory_cma_kib("CmaFree:") == -1, "there may be none");
}

static const struct memory_source *
source_of(enum memory_kind kind)
{
	static struct memory_source source;

	source = (struct memory_source){ .kind = kind,
					 .soc = soc_of_compatible(
						 "brcm,bcm2837"),
					 .bus_alias = 0xc0000000,
					 .node = NODE,
					 .heap = HEAP };
	return &source;
}

static bool
takes(enum memory_kind kind, size_t bytes, struct memory_piece *piece)
{
	why.text[0] = '\0';
	return memory_take(source_of(kind), bytes, piece, &why);
}

static void
test_sizes(void)
{
	struct memory_piece piece = { .shared.bytes = 5 };

	reset();
	ok(!takes(MEMORY_VCSM, 0, &piece) && world.ncalls == 0,
	   "nothing is not asked for");
	is(why.text, "there are no 0 bytes for the QPUs", "and why");
	ok(!takes(MEMORY_VCSM, (1 << 30) + 1, &piece) && world.ncalls == 0,
	   "more than a GiB is not asked for");
	is(why.text, "there are no 1073741825 bytes for the QPUs", "and why");
	world.error = ENOMEM;
	ok(!takes(MEMORY_VCSM, 1 << 30, &piece) && world.ncalls == 1 &&
		   piece.shared.bytes == 0 && piece.buffer == -1 &&
		   piece.import == -1,
	   "a GiB is");
	ok(!takes(MEMORY_NONE, 1, &piece) && world.ncalls == 1,
	   "of nobody there is none");
}

static void
test_shortage(void)
{
	struct memory_piece piece;

	reset();
	world.error = ENOMEM;
	takes(MEMORY_VCSM, 8192, &piece);
	is(why.text,
	   "/dev/vcsm-cma has no 8 KiB in one piece for the QPUs: Cannot "
	   "allocate memory (CmaTotal 64 MiB, CmaFree 5 MiB; " GIVES_MORE,
	   "no memory of the kernel");
	takes(MEMORY_CACHED, 8193, &piece);
	is(why.text,
	   "/dev/dma_heap/linux,cma has no 12 KiB in one piece for the QPUs: "
	   "Cannot allocate memory (CmaTotal 64 MiB, CmaFree 5 MiB; " GIVES_MORE,
	   "none that is cached");
	for (unsigned i = 0; i < 2; i++) {
		world.error = i ? ENFILE : EMFILE;
		takes(MEMORY_VCSM, 1, &piece);
		is(why.text,
		   "no file descriptors are left for memory of the QPUs", "%s",
		   strerror(world.error));
	}
	reset();
	world.import_error = EINVAL;
	ok(!takes(MEMORY_CACHED, 1, &piece) && world.ncalls == 2 &&
		   !is_open(BUFFER) && piece.buffer == -1 &&
		   strstr(why.text, "linux,cma has no 4 KiB in one piece for "
				    "the QPUs: Invalid argument ("),
	   "what cannot be imported is closed");
}

/* Two kinds of the kernel's memory, and the same three failures. */
static void
test_kernel(enum memory_kind kind, const char *giver, const char *what)
{
	struct memory_piece piece;
	char text[256];

	reset();
	ok(takes(kind, 1, &piece) && piece.shared.bus == 0xda000000 &&
		   piece.shared.cpu == page && piece.shared.bytes == 4096,
	   "%s: a page", what);
	memory_give_back(source_of(kind), &piece);
	ok(world.nunmapped == 1 && !is_open(BUFFER) && !is_open(IMPORT) &&
		   piece.shared.bytes == 0,
	   "%s: goes back", what);

	reset();
	world.no_mapping = true;
	snprintf(text, sizeof(text), "%s gives memory that cannot be mapped",
		 giver);
	ok(!takes(kind, 1, &piece) && world.nmapped == 1 && !is_open(BUFFER) &&
		   !is_open(IMPORT) && piece.shared.bytes == 0,
	   "%s: not mapped", what);
	is(why.text, text, "%s: and why", what);

	reset();
	world.dma_addr |= UINT64_C(1) << 32;
	ok(!takes(kind, 1, &piece) && world.nmapped == 0 && !is_open(BUFFER) &&
		   !is_open(IMPORT),
	   "%s: beyond 32 bits", what);
	is(why.text, text, "%s: and why", what);

	reset();
	world.dma_addr = 0x3f000000;
	snprintf(text, sizeof(text),
		 "%s gives 8 KiB at bus address 0xff000000, where the QPUs of "
		 "a BCM2837 share no memory with the CPU",
		 giver);
	ok(!takes(kind, 8192, &piece) && world.nmapped == 0 &&
		   !is_open(BUFFER) && !is_open(IMPORT),
	   "%s: where there is none", what);
	is(why.text, text, "%s: and why", what);
}

static void
test_requests(void)
{
	struct memory_piece piece;

	reset();
	takes(MEMORY_CACHED, 4097, &piece);
	ok(world.heap.bytes == 8192 && world.heap.fd == 0 &&
		   world.heap.fd_flags == (O_RDWR | O_CLOEXEC) &&
		   world.heap.heap_flags == 0,
	   "what the heap is asked for");
	ok(world.import.dmabuf == BUFFER && world.import.cached == 0 &&
		   strcmp((char *)world.import.name, "qpu-sha256sum") == 0 &&
		   piece.buffer == BUFFER && piece.import == IMPORT,
	   "and what is imported");
	world.sync_errors[0] = EINTR;
	world.sync_errors[1] = EAGAIN;
	ok(memory_flush(&piece) && world.nsyncs == 3 && world.sync_flags == 6,
	   "a flush that is interrupted is repeated");
	world.nsyncs = 0;
	ok(memory_refresh(&piece) && world.nsyncs == 3 && world.sync_flags == 1,
	   "and so is a refresh");
	world.nsyncs = 0;
	world.sync_errors[0] = EIO;
	ok(!memory_flush(&piece) && errno == EIO && world.nsyncs == 1,
	   "other failures are told");
	page[0] = page[DEVICE_PAGE - 1] = 1;
	piece.shared.bytes = DEVICE_PAGE;
	world.nsyncs = 3;
	memory_wipe(&piece);
	ok(page[0] == 0 && page[DEVICE_PAGE - 1] == 0 && world.nsyncs == 4 &&
		   world.sync_flags == 6,
	   "what is wiped is flushed");
	memory_give_back(source_of(MEMORY_CACHED), &piece);
	takes(MEMORY_VCSM, 4097, &piece);
	ok(world.kernel.size == 8192 && world.kernel.num == 1 &&
		   world.kernel.cached == 0 &&
		   strcmp((char *)world.kernel.name, "qpu-sha256sum") == 0,
	   "what the kernel is asked for");
	world.nsyncs = 0;
	ok(memory_flush(&piece) && memory_refresh(&piece) && world.nsyncs == 0,
	   "what is not cached needs no flush");
}

static unsigned
count_descriptors(unsigned limit)
{
	unsigned n = 0;

	for (unsigned fd = 0; fd < limit; fd++)
		n += is_open((int)fd);
	return n;
}

/* With so many descriptors to spare, is the kernel asked? */
static bool
asks_with(unsigned spare, int *error, bool *left)
{
	struct vcsm_import import = { .dmabuf = 1 };
	struct rlimit usual, few;
	unsigned limit = 0, free_ones = 0, before;

	while (free_ones < spare)
		free_ones += !is_open((int)limit++);
	getrlimit(RLIMIT_NOFILE, &usual);
	few = usual;
	few.rlim_cur = limit;
	before = count_descriptors(64);
	reset();
	world.import_error = EIO;
	setrlimit(RLIMIT_NOFILE, &few);
	vcsm_ask(NODE, VCSM_IMPORT, &import);
	*error = errno;
	setrlimit(RLIMIT_NOFILE, &usual);
	*left = *left || count_descriptors(64) != before;
	return world.ncalls == 1;
}

static void
test_spare(void)
{
	bool left = false;
	int error;

	/* One of them is that of standard input. */
	close(STDIN_FILENO);
	ok(asks_with(16, &error, &left) && error == EIO,
	   "with 16 descriptors to spare the kernel is asked");
	ok(!asks_with(15, &error, &left) && world.ncalls == 0 &&
		   error == EMFILE,
	   "with 15 it is not");
	ok(!left, "all are closed again");
}

int
main(void)
{
	struct claims_visit visit;

	test_open();
	test_names();
	test_meminfo();
	claims_begin(77);
	copy_of_stdout(NODE);
	test_sizes();
	test_shortage();
	test_kernel(MEMORY_VCSM, "/dev/vcsm-cma", "not cached");
	test_kernel(MEMORY_CACHED, "/dev/dma_heap/linux,cma", "cached");
	test_requests();
	test_spare();
	ok(claims_enter(&visit), "no visit is left open");
	claims_leave(&visit);
	claims_end();
	errno = 0;
	ok(!vcsm_ask(NODE, VCSM_IMPORT, &world.import) && errno == ECANCELED,
	   "a process that is about to end asks no more");
	return tap_done();
}
