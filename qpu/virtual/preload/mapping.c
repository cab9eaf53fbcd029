/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/preload/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/pi/gpu.h"
#include "qpu/virtual/mmio/trap.h"

enum {
	PAGE = 4096,
	BUS_ALIAS_OF_FIRST = 0x40000000, /* BCM2835 */
	/* GPU_FFT 2.0 maps twice what there is. */
	PERIPHERAL_BYTES = 32 << 20
};

void *
mapping_of_kernel(void *address, size_t bytes, int protection, int flags,
		  int fd, uint64_t offset)
{
#ifdef SYS_mmap2
	/* Its offset counts pages, so that it fits a register. */
	if (offset % PAGE != 0) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap2, address, bytes, protection, flags, fd,
			       (unsigned long)(offset / PAGE));
#else
	return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd,
			       offset);
#endif
}

#if UINTPTR_MAX > UINT32_MAX
/* Map below 4 GiB if possible: classic programs keep addresses in 32 bits. */
static void *
map_low(void *address, size_t bytes, int protection, int flags, int fd,
	uint64_t offset)
{
	const uintptr_t first = 64 << 20, step = 1 << 20, end = UINT32_MAX;
	uintptr_t at = address || flags & MAP_FIXED ? end : first;

	for (; bytes < end && at < end - bytes; at += step) {
		void *low = mapping_of_kernel((void *)at, bytes, protection,
					      flags | MAP_FIXED_NOREPLACE, fd,
					      offset);

		if (low == (void *)at)
			return low;
		if (low != MAP_FAILED)
			syscall(SYS_munmap, low, bytes);
	}
	return mapping_of_kernel(address, bytes, protection, flags, fd, offset);
}
#else
#define map_low mapping_of_kernel
#endif

/* Before the base `at - base` wraps around and is more than any size. */
static bool
is_inside(uint64_t at, size_t bytes, uint64_t base, uint64_t size)
{
	return at - base < size && bytes <= size - (at - base);
}

static void *
map_memory(const struct board *board, void *address, size_t bytes,
	   int protection, int flags, uint64_t offset)
{
	const int fd = board_open(board, BOARD_MEMORY, O_RDWR);
	void *mapping;
	int error;

	if (fd < 0)
		return MAP_FAILED;
	mapping = map_low(address, bytes, protection, flags, fd, offset);
	error = errno;
	close(fd);
	errno = error;
	return mapping;
}

/* The lock guards the registers; a program that uses them does not hold it. */
static void
access_registers(void *context, enum trap_access access, uint32_t offset,
		 uint32_t *values, size_t n)
{
	const struct board *board = context;
	sigset_t signals;

	board_shared_lock(board->shared, &signals);
	switch (access) {
	case TRAP_READ: *values = gpu_read(board, offset); break;
	case TRAP_WRITE: gpu_write(board, offset, *values); break;
	case TRAP_PEEK: gpu_peek(board, offset, values, n); break;
	}
	board_shared_unlock(board->shared, &signals);
}

/* Map a window with the registers of the V3D, if it covers them, and zeros. */
static void *
map_peripherals(const struct board *board, void *address, size_t bytes,
		int protection, int flags, uint64_t offset)
{
	uint8_t *window = map_low(address, bytes, protection,
				  (flags & MAP_FIXED) | MAP_PRIVATE |
					  MAP_ANONYMOUS | MAP_NORESERVE,
				  -1, 0);
	struct diag why;

	if (window == MAP_FAILED ||
	    !is_inside(SOC_V3D_OFFSET, SOC_V3D_BYTES, offset, bytes) ||
	    trap_add(window + (SOC_V3D_OFFSET - offset), SOC_V3D_BYTES,
		     access_registers, (void *)(uintptr_t)board, &why))
		return window;
	board_say("%s", why.text);
	mapping_remove(window, bytes);
	errno = EPERM;
	return MAP_FAILED;
}

/*
 * The ARM of the first boards ignores the top bits of an address, and programs
 * of that time map the firmware's bus address.
 */
static uint64_t
physical_of(const struct board *board, uint64_t address)
{
	if (board->soc->bus_alias == BUS_ALIAS_OF_FIRST &&
	    address <= UINT32_MAX)
		return soc_physical((uint32_t)address);
	return address;
}

void *
mapping_create(const struct board *board, void *address, size_t length,
	       int protection, int flags, uint64_t offset)
{
	const uint64_t physical = physical_of(board, offset);
	const size_t bytes = (length + PAGE - 1) & ~(size_t)(PAGE - 1);

	if (is_inside(physical, bytes, board->memory_base, board->memory_bytes))
		return map_memory(board, address, bytes, protection, flags,
				  physical - board->memory_base);
	if (is_inside(physical, bytes, board->soc->peripherals,
		      PERIPHERAL_BYTES))
		return map_peripherals(board, address, bytes, protection, flags,
				       physical - board->soc->peripherals);
	board_say("%zu bytes of memory at 0x%08llx cannot be mapped: "
		  "it is neither GPU memory nor peripherals",
		  bytes, (unsigned long long)physical);
	errno = EPERM;
	return MAP_FAILED;
}

int
mapping_remove(void *address, size_t bytes)
{
	trap_remove(address, bytes);
	return (int)syscall(SYS_munmap, address, bytes);
}
