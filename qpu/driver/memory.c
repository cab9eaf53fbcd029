/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/driver/dma_heap.h"
#include "qpu/driver/firmware.h"
#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/mailbox.h"
#include "qpu/driver/vcsm.h"

enum { MOST_BYTES = 1 << 30 /* all memory of these chips */ };

bool
memory_open(struct memory_source *source, const struct pi_board *board,
	    struct diag *why_not)
{
	/* Synchronous: mapped past the caches. */
	const bool mem = board->memory == MEMORY_DEV_MEM;
	const char *name = mem ? "/dev/mem" : "/dev/vcsm-cma";

	source->kind = board->memory;
	source->soc = board->soc;
	source->bus_alias = board->bus_alias;
	source->memory_flags = board->memory_flags;
	source->heap = -1;
	source->node = firmware_open_node(name, mem ? O_SYNC : 0);
	if (source->node < 0) {
		diag_set(why_not, "%s: %s", name, strerror(errno));
		return false;
	}
	if (source->kind == MEMORY_CACHED) {
		source->heap = firmware_open_node(DMA_HEAP_NODE, 0);
		if (source->heap < 0)
			source->kind = MEMORY_VCSM;
	}
	return true;
}

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
memory_close(struct memory_source *source)
{
	close_one(&source->node);
	close_one(&source->heap);
}

bool
memory_give_up_cache(struct memory_source *source)
{
	if (source->kind != MEMORY_CACHED)
		return false;
	source->kind = MEMORY_VCSM;
	close_one(&source->heap);
	return true;
}

const char *
memory_name(enum memory_kind kind)
{
	static const char *const names[] = {
		[MEMORY_NONE] = "nothing",
		[MEMORY_CACHED] = DMA_HEAP_NODE ", cached",
		[MEMORY_VCSM] = "/dev/vcsm-cma, not cached",
		[MEMORY_DEV_MEM] = "/dev/mem, not cached"
	};

	return names[kind];
}

long
memory_cma_kib(const char *name)
{
	const int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char text[8192] = "";
	const char *at;
	ssize_t len = 0;

	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

static void
explain_no_buffer(const char *node, size_t bytes, int error,
		  struct diag *why_not)
{
	if (error == EMFILE || error == ENFILE)
		diag_set(why_not, "no file descriptors are left for memory of "
				  "the QPUs");
	else
		diag_set(why_not,
			 "%s has no %zu KiB in one piece for the "
			 "QPUs: %s (CmaTotal %ld MiB, CmaFree %ld MiB; "
			 "dtoverlay=cma,cma-128 in " PI_CONFIG " gives more)",
			 node, bytes >> 10, strerror(error),
			 memory_cma_kib("CmaTotal:") >> 10,
			 memory_cma_kib("CmaFree:") >> 10);
}

static bool
map(struct memory_piece *piece, int node, off_t offset)
{
	void *cpu = mmap(NULL, piece->shared.bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, node, offset);

	piece->shared.cpu = cpu == MAP_FAILED ? NULL : cpu;
	return piece->shared.cpu != NULL;
}

/* What is at a wrong address may be the kernel's, or no memory. */
static bool
is_shared(const struct memory_source *source, const struct memory_piece *piece,
	  const char *giver, struct diag *why_not)
{
	const struct device_memory *shared = &piece->shared;

	if (soc_shares(source->soc, source->bus_alias, shared->bus,
		       shared->bytes))
		return true;
	diag_set(why_not,
		 "%s gives %zu KiB at bus address 0x%08x, where the QPUs of a "
		 "%s share no memory with the CPU",
		 giver, shared->bytes >> 10, (unsigned)shared->bus,
		 source->soc->name);
	return false;
}

/* Its address for the QPUs, from the kernel; false if they cannot reach it.  An
 * alias may be in the topmost bits of 32, or none. */
static bool
place(const struct memory_source *source, struct memory_piece *piece,
      uint64_t dma_addr, const char *giver, struct diag *why_not)
{
	piece->shared.bus = soc_bus(source->bus_alias, (uint32_t)dma_addr);
	return dma_addr >> 32 == 0 && is_shared(source, piece, giver, why_not);
}

/* From the kernel, cached.  The import is the driver's of /dev/vcsm-cma, which
 * then keeps the caches for us. */
static bool
take_cached(const struct memory_source *source, struct memory_piece *piece,
	    struct diag *why_not)
{
	struct vcsm_import import = { .name = "qpu-sha256sum" };

	piece->buffer = firmware_lift(
		dma_heap_allocate(source->heap, piece->shared.bytes));
	import.dmabuf = piece->buffer;
	if (piece->buffer < 0 ||
	    !vcsm_ask(source->node, VCSM_IMPORT, &import)) {
		explain_no_buffer(DMA_HEAP_NODE, piece->shared.bytes, errno,
				  why_not);
		close_one(&piece->buffer);
		return false;
	}
	piece->import = firmware_lift(import.handle);
	diag_set(why_not, DMA_HEAP_NODE " gives memory that cannot be mapped");
	if (place(source, piece, import.dma_addr, DMA_HEAP_NODE, why_not) &&
	    map(piece, piece->buffer, 0))
		return true;
	close_one(&piece->import);
	close_one(&piece->buffer);
	return false;
}

/*
 * From the kernel, which frees it when its last mapping is gone.  The
 * descriptor is closed: its mapping keeps the memory.
 */
static bool
take_from_kernel(const struct memory_source *source, struct memory_piece *piece,
		 struct diag *why_not)
{
	struct vcsm_allocate allocate = { .size = (uint32_t)piece->shared.bytes,
					  .num = 1,
					  .cached = VCSM_UNCACHED,
					  .name = "qpu-sha256sum" };
	bool mapped;

	if (!vcsm_ask(source->node, VCSM_ALLOCATE, &allocate)) {
		explain_no_buffer("/dev/vcsm-cma", piece->shared.bytes, errno,
				  why_not);
		return false;
	}
	diag_set(why_not, "/dev/vcsm-cma gives memory that cannot be mapped");
	mapped = place(source, piece, allocate.dma_addr, "/dev/vcsm-cma",
		       why_not) &&
		 map(piece, allocate.handle, 0);
	close(allocate.handle);
	return mapped;
}

/* From the firmware, to which it has to be returned.  All of it is written
 * before it is read, so the firmware need not fill it. */
static bool
take_from_firmware(const struct memory_source *source,
		   struct memory_piece *piece, struct diag *why_not)
{
	struct claims_memory memory;

	if (!claims_allocate((uint32_t)piece->shared.bytes,
			     source->memory_flags | MAILBOX_MEMORY_NO_INIT,
			     &memory)) {
		diag_set(why_not,
			 "the firmware has no %zu KiB for the QPUs: "
			 "a larger gpu_mem in " PI_CONFIG " helps",
			 piece->shared.bytes >> 10);
		return false;
	}
	piece->handle = memory.handle;
	piece->shared.bus = memory.bus;
	if (is_shared(source, piece, "the firmware", why_not)) {
		if (map(piece, source->node, soc_physical(memory.bus)))
			return true;
		diag_set(why_not,
			 "memory of the GPU cannot be mapped through "
			 "/dev/mem: %s",
			 strerror(errno));
	}
	claims_free(piece->handle);
	return false;
}

static bool
take(const struct memory_source *source, struct memory_piece *piece,
     struct diag *why_not)
{
	switch (source->kind) {
	case MEMORY_CACHED: return take_cached(source, piece, why_not);
	case MEMORY_VCSM: return take_from_kernel(source, piece, why_not);
	case MEMORY_DEV_MEM: return take_from_firmware(source, piece, why_not);
	case MEMORY_NONE: break;
	}
	return false;
}

bool
memory_take(const struct memory_source *source, size_t bytes,
	    struct memory_piece *piece, struct diag *why_not)
{
	if (bytes == 0 || bytes > MOST_BYTES) {
		diag_set(why_not, "there are no %zu bytes for the QPUs", bytes);
		return false;
	}
	*piece = (struct memory_piece){ .shared.bytes =
						(bytes + DEVICE_PAGE - 1) /
						DEVICE_PAGE * DEVICE_PAGE,
					.buffer = -1,
					.import = -1 };
	if (take(source, piece, why_not))
		return true;
	piece->shared.bytes = 0;
	return false;
}

void
memory_wipe(const struct memory_piece *piece)
{
	memset(piece->shared.cpu, 0, piece->shared.bytes);
	memory_flush(piece);
}

void
memory_give_back(const struct memory_source *source, struct memory_piece *piece)
{
	munmap(piece->shared.cpu, piece->shared.bytes);
	if (source->kind == MEMORY_DEV_MEM)
		claims_free(piece->handle);
	close_one(&piece->import);
	close_one(&piece->buffer);
	piece->shared.bytes = 0;
}

bool
memory_flush(const struct memory_piece *piece)
{
	return piece->buffer < 0 || dma_heap_flush(piece->buffer);
}

bool
memory_refresh(const struct memory_piece *piece)
{
	return piece->buffer < 0 || dma_heap_refresh(piece->buffer);
}

/*
 * C's fence orders CPUs among each other (dmb ish); the QPUs are outside of
 * that inner shareable domain.  On ARMv6 GCC's barrier is CP15's DMB.
 */
void
memory_publish(void)
{
#if defined(__ARM_ARCH) && __ARM_ARCH >= 7
	__asm__ volatile("dsb sy" : : : "memory");
#else
	__sync_synchronize();
#endif
}
