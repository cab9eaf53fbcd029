/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/device_vcio_hold.h"
#include "qpu/device_vcio_node.h"
#include "qpu/vcsm.h"

/* All memory of these chips. */
enum { MOST_BYTES = 1 << 30 };

bool
memory_open(struct memory_source *source, const struct board *board,
	    struct diag *why_not)
{
	/* Synchronous: mapped past the caches. */
	const bool vcsm = board->memory == BOARD_VCSM;
	const char *name = vcsm ? "/dev/vcsm-cma" : "/dev/mem";

	source->kind = board->memory;
	source->soc = board->soc;
	source->node = node_open(name, vcsm ? 0 : O_SYNC);
	if (source->node < 0)
		diag_set(why_not, "%s: %s", name, strerror(errno));
	return source->node >= 0;
}

void
memory_close(struct memory_source *source)
{
	if (source->node >= 0)
		close(source->node);
	source->node = -1;
}

static bool
map(struct memory_piece *piece, int node, off_t offset)
{
	void *cpu = mmap(NULL, piece->shared.bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, node, offset);

	piece->shared.cpu = cpu == MAP_FAILED ? NULL : cpu;
	return piece->shared.cpu != NULL;
}

/*
 * The kernel's memory: it goes back by itself when it is mapped no more.  Its
 * descriptor is not needed for that, and 200 of them are a lot.
 */
static bool
take_from_kernel(const struct memory_source *source,
		 struct memory_piece *piece, struct diag *why_not)
{
	struct vcsm_allocate allocate = {
		.size = (uint32_t)piece->shared.bytes,
		.num = 1,
		.cached = VCSM_UNCACHED,
		.name = "qpu-sha256sum"
	};
	bool good;

	if (ioctl(source->node, VCSM_ALLOCATE, &allocate) < 0) {
		diag_set(why_not, "/dev/vcsm-cma has no %zu KiB for the QPUs: "
			 "%s", piece->shared.bytes >> 10, strerror(errno));
		return false;
	}
	piece->shared.bus = soc_bus(source->soc, (uint32_t)allocate.dma_addr);
	/* An alias may be in the topmost bits of 32, or none. */
	good = allocate.dma_addr >> 32 == 0 &&
	       soc_physical(piece->shared.bus) % DEVICE_PAGE == 0 &&
	       map(piece, allocate.handle, 0);
	close(allocate.handle);
	if (!good)
		diag_set(why_not, "/dev/vcsm-cma gives memory that cannot be "
			 "mapped");
	return good;
}

/* The firmware's: it has to be given back. */
static bool
take_from_firmware(const struct memory_source *source,
		   struct memory_piece *piece, struct diag *why_not)
{
	struct hold_memory memory;

	if (!hold_allocate((uint32_t)piece->shared.bytes,
			   source->soc->memory_flags, &memory)) {
		diag_set(why_not, "the firmware has no %zu KiB for the QPUs: "
			 "a larger gpu_mem in " BOARD_CONFIG " helps",
			 piece->shared.bytes >> 10);
		return false;
	}
	piece->handle = memory.handle;
	piece->shared.bus = memory.bus;
	if (memory.bus % DEVICE_PAGE == 0 &&
	    map(piece, source->node, soc_physical(memory.bus)))
		return true;
	diag_set(why_not, "memory of the GPU cannot be mapped through "
		 "/dev/mem: %s", strerror(errno));
	hold_free(piece->handle);
	return false;
}

bool
memory_take(const struct memory_source *source, size_t bytes,
	    struct memory_piece *piece, struct diag *why_not)
{
	bool taken;

	if (bytes == 0 || bytes > MOST_BYTES) {
		diag_set(why_not, "there are no %zu bytes for the QPUs", bytes);
		return false;
	}
	*piece = (struct memory_piece){
		.shared.bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE *
				DEVICE_PAGE
	};
	taken = source->kind == BOARD_VCSM ?
		take_from_kernel(source, piece, why_not) :
		take_from_firmware(source, piece, why_not);
	if (!taken)
		piece->shared.bytes = 0;
	return taken;
}

void
memory_give_back(const struct memory_source *source,
		 struct memory_piece *piece)
{
	munmap(piece->shared.cpu, piece->shared.bytes);
	if (source->kind != BOARD_VCSM)
		hold_free(piece->handle);
	piece->shared.bytes = 0;
}
