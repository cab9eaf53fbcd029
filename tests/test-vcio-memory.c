/* SPDX-License-Identifier: MIT */
/*
 * Memory of both kinds: where it is for the CPU and for the QPUs, and what is
 * given back when it cannot be had.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/device_vcio_hold.h"
#include "qpu/device_vcio_memory.h"
#include "qpu/vcsm.h"
#include "tests/tap.h"

enum { VCIO = 77, NODE = 78 };

static struct {
	uint32_t handle, bus;		/* the firmware's answers */
	uint64_t dma_addr;		/* the kernel's */
	bool no_buffer, no_mapping;
	unsigned allocated, unlocked, released;
	uint32_t size, alignment, flags;	/* asked for */
	int buffer;
	struct vcsm_allocate asked;
	/* of the last mapping */
	int fd;
	off_t offset;
	size_t bytes;
	unsigned unmapped;
} world;

static char page[DEVICE_PAGE] __attribute__((aligned(DEVICE_PAGE)));

int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
		  off_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
		    off_t offset);
int __wrap_munmap(void *at, size_t bytes);

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
	case 0x3000d:
		message[5] = world.bus;
		break;
	case 0x3000e:
		world.unlocked++;
		break;
	case 0x3000f:
		world.released++;
		break;
	}
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
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
	if (fd != NODE || (uint32_t)request != 0x80404a5a || world.no_buffer) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(&world.asked, argument, sizeof(world.asked));
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

static const struct soc *
soc(const char *name)
{
	for (const struct soc *row = soc_rows; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.handle = 5;
	hold_begin(VCIO);
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void
test_firmware(const char *chip, uint32_t bus, off_t physical, uint32_t flags)
{
	const struct memory_source source = {
		.kind = BOARD_DEV_MEM, .soc = soc(chip), .node = NODE
	};

	reset();
	world.bus = bus;
	ok(memory_take(&source, 5000, &piece, &why) &&
	   piece.shared.cpu == page && piece.shared.bus == bus &&
	   piece.shared.bytes == 8192, "%s: memory of the firmware", chip);
	ok(world.size == 8192 && world.alignment == 4096 &&
	   world.flags == flags, "%s: whole pages, for the right alias", chip);
	ok(world.fd == NODE && world.offset == physical && world.bytes == 8192,
	   "%s: mapped where the ARM sees it", chip);
	memory_give_back(&source, &piece);
	ok(world.unmapped == 1 && world.unlocked == 1 && world.released == 1 &&
	   piece.shared.bytes == 0, "%s: it goes back", chip);

	reset();
	world.bus = bus;
	world.no_mapping = true;
	ok(!memory_take(&source, 4096, &piece, &why) &&
	   strstr(why.text, "not permitted") && world.released == 1 &&
	   piece.shared.bytes == 0, "%s: what cannot be mapped goes back",
	   chip);
	reset();
	world.bus = bus + 64;
	ok(!memory_take(&source, 4096, &piece, &why) && world.released == 1,
	   "%s: as does what is not aligned", chip);
	reset();
	world.handle = 0;
	ok(!memory_take(&source, 4096, &piece, &why) &&
	   strstr(why.text, "gpu_mem") && world.released == 0,
	   "%s: no memory, and what helps", chip);
	hold_release();
}

static void
test_kernel(const char *chip, uint64_t dma_addr, uint32_t bus)
{
	const struct memory_source source = {
		.kind = BOARD_VCSM, .soc = soc(chip), .node = NODE
	};

	reset();
	world.dma_addr = dma_addr;
	ok(memory_take(&source, 1, &piece, &why) && piece.shared.bus == bus &&
	   piece.shared.cpu == page, "%s: memory of the kernel", chip);
	ok(world.asked.size == 4096 && world.asked.num == 1 &&
	   world.asked.cached == 0, "%s: a page, past the caches", chip);
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
	world.no_buffer = true;
	ok(!memory_take(&source, 1, &piece, &why) &&
	   strstr(why.text, "Cannot allocate"), "%s: no memory", chip);
	hold_release();
}

int
main(void)
{
	const struct memory_source source = { .kind = BOARD_VCSM };

	test_firmware("BCM2835", 0x5c001000, 0x1c001000, 0xc);
	test_firmware("BCM2836", 0xfb001000, 0x3b001000, 0x4);
	test_firmware("BCM2837", 0xfb001000, 0x3b001000, 0x4);
	test_kernel("BCM2835", 0x1a000000, 0x5a000000);
	test_kernel("BCM2835", 0x5a000000, 0x5a000000);
	test_kernel("BCM2836", 0x1a000000, 0xda000000);
	test_kernel("BCM2837", 0xda000000, 0xda000000);
	ok(!memory_take(&source, 0, &piece, &why) &&
	   !memory_take(&source, (size_t)1 << 31, &piece, &why),
	   "neither nothing nor more than there can be");
	return tap_done();
}
