/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	PERIPHERAL_BYTES = 16 << 20
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
	return (void *)syscall(SYS_mmap2, address, bytes, protection, flags,
			       fd, (unsigned long)(offset / PAGE));
#else
	return (void *)syscall(SYS_mmap, address, bytes, protection, flags,
			       fd, offset);
#endif
}

/* Programs of 32-bit times keep addresses in 32 bits: below 4 GiB if there
 * is room, where the caller has no wish. */
static void *
map_low(void *address, size_t bytes, int protection, int flags, int fd,
	uint64_t offset)
{
#ifdef MAP_32BIT
	if (!address && !(flags & MAP_FIXED)) {
		void *low = mapping_of_kernel(NULL, bytes, protection,
					      flags | MAP_32BIT, fd, offset);

		if (low != MAP_FAILED)
			return low;
	}
#endif
	return mapping_of_kernel(address, bytes, protection, flags, fd,
				 offset);
}

static bool
is_inside(uint64_t at, size_t bytes, uint64_t base, uint64_t size)
{
	return at >= base && at - base < size && bytes <= size - (at - base);
}

static void *
map_memory(const struct world *world, void *address, size_t bytes,
	   int protection, int flags, uint64_t offset)
{
	const int fd = world_open(world, STATE_MEMORY, O_RDWR);
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

static void *
refuse(uint64_t physical, size_t bytes, const char *why)
{
	world_say("%zu bytes of memory at 0x%08llx cannot be mapped: %s",
		  bytes, (unsigned long long)physical, why);
	errno = EPERM;
	return MAP_FAILED;
}

void *
mapping_create(const struct world *world, void *address, size_t bytes,
	       int protection, int flags, uint64_t physical)
{
	if (is_inside(physical, bytes, world->memory_base,
		      world->memory_bytes))
		return map_memory(world, address, bytes, protection, flags,
				  physical - world->memory_base);
	if (is_inside(physical, bytes, world->soc->peripherals,
		      PERIPHERAL_BYTES))
		return refuse(physical, bytes, "registers are not there");
	return refuse(physical, bytes, "it is neither GPU memory nor "
		      "peripherals");
}

int
mapping_remove(void *address, size_t bytes)
{
	return (int)syscall(SYS_munmap, address, bytes);
}
