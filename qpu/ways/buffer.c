/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"
#include "qpu/ways/board.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/held.h"
#include "src/base/clock.h"

enum {
	MOST_BYTES = 1 << 30, /* all memory of these chips */
	SPARE_DESCRIPTORS = 16,
	/* How long memory may take to come back, and looks at it. */
	BACK_MS = 200,
	BACK_WAIT_MS = 20,
	BACK_WAITS = 3
};

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The kernel's two allocators ---------------------------------------------- */

/* Are there descriptors to spare?  Other threads may open files meanwhile. */
static bool
has_descriptors(int node)
{
	int fds[SPARE_DESCRIPTORS];
	unsigned n = 0;
	int error;

	while (n < SPARE_DESCRIPTORS &&
	       (fds[n] = fcntl(node, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	error = errno;
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	errno = error;
	return n == SPARE_DESCRIPTORS;
}

/*
 * A request to /dev/vcsm-cma that nothing interrupts; false and errno.
 *
 * VCSM_ALLOCATE waits in a way that any signal to this thread interrupts, even
 * the stop of the process or its end by a signal to another thread.  The
 * kernel's cleanup then dereferences a list entry that was never added, with a
 * lock held; want of a descriptor leads to the same cleanup.  Therefore all
 * signals are blocked here, those of other threads wait for the end of the
 * critical section, and there are descriptors to spare.  SIGKILL, SIGSTOP, the
 * freezer of a cgroup and a debugger that attaches remain.  VCSM_IMPORT waits in
 * the same way, but cleans up after itself.
 */
static bool
request_vcsm(int node, unsigned long request, void *argument)
{
	struct critical_section section;
	sigset_t all;
	int result, error;

	if (!has_descriptors(node))
		return false;
	if (!critical_enter(&section)) {
		errno = ECANCELED;
		return false;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	result = ioctl(node, request, argument);
	error = errno;
	critical_leave(&section);
	errno = error;
	return result >= 0;
}

/* The descriptor of a dma-buf, or -1 and errno. */
static int
allocate_dma_buf(int heap, size_t bytes)
{
	struct dma_heap_allocate allocate = { .bytes = bytes,
					      .fd_flags = O_RDWR | O_CLOEXEC };

	if (ioctl(heap, DMA_HEAP_ALLOCATE, &allocate) != 0)
		return -1;
	return firmware_lift((int)allocate.fd);
}

/* Uncached memory has nothing to synchronize.  A signal may interrupt it. */
static bool
sync_caches(const struct buffer *buffer, uint64_t flags)
{
	int result;

	if (buffer->dma_buf < 0)
		return true;
	do
		result = ioctl(buffer->dma_buf, DMA_HEAP_SYNC, &flags);
	while (result < 0 && (errno == EINTR || errno == EAGAIN));
	return result == 0;
}

bool
buffer_flush(const struct buffer *buffer)
{
	return sync_caches(buffer, DMA_HEAP_WRITES | DMA_HEAP_END);
}

bool
buffer_refresh(const struct buffer *buffer)
{
	return sync_caches(buffer, DMA_HEAP_READS);
}

/* The source --------------------------------------------------------------- */

bool
buffer_source_open(struct buffer_source *source, const struct vcio_nodes *nodes,
		   struct diag *why_not)
{
	source->kind = nodes->memory;
	source->soc = nodes->board.soc;
	source->bus_alias = nodes->board.bus_alias;
	source->heap = -1;
	source->vcsm = firmware_open_node("/dev/vcsm-cma", 0);
	if (source->vcsm < 0) {
		diag_set(why_not, "/dev/vcsm-cma: %s", strerror(errno));
		return false;
	}
	if (source->kind == MEMORY_CACHED) {
		source->heap_node = nodes->heap;
		source->heap =
			firmware_open_node(vcio_nodes_heap(nodes->heap), 0);
		if (source->heap < 0)
			source->kind = MEMORY_VCSM;
	}
	return true;
}

void
buffer_source_close(struct buffer_source *source)
{
	close_one(&source->vcsm);
	close_one(&source->heap);
}

bool
buffer_source_give_up_cache(struct buffer_source *source)
{
	if (source->kind != MEMORY_CACHED)
		return false;
	source->kind = MEMORY_VCSM;
	close_one(&source->heap);
	return true;
}

const char *
buffer_source_name(enum memory_kind kind, enum dma_heap_node heap)
{
	static const char *const names[] = {
		[MEMORY_NONE] = "nothing",
		[MEMORY_VCSM] = "/dev/vcsm-cma, not cached"
	};
	static const char *const heaps[DMA_HEAP_NODES] = {
		[DMA_HEAP_OF_TREE] = DMA_HEAP_NODE ", cached",
		[DMA_HEAP_SINCE_6_17] = DMA_HEAP_NODE_SINCE_6_17 ", cached",
		[DMA_HEAP_OF_COMMAND_LINE] = DMA_HEAP_NODE_OF_COMMAND_LINE
		", cached"
	};

	return kind == MEMORY_CACHED ? heaps[heap] : names[kind];
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
			 board_contiguous_kib("CmaTotal:") >> 10,
			 board_contiguous_kib("CmaFree:") >> 10);
}

static bool
map(struct buffer *buffer, int fd)
{
	void *cpu = mmap(NULL, buffer->shared.bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);

	buffer->shared.cpu = cpu == MAP_FAILED ? NULL : cpu;
	return buffer->shared.cpu != NULL;
}

/* Its address for the QPUs, from the kernel.  What is at a wrong address may be
 * the kernel's, or no memory.  An alias may be in the topmost bits of 32, or
 * none. */
static bool
place(const struct buffer_source *source, struct buffer *buffer,
      uint64_t dma_addr, const char *giver, struct diag *why_not)
{
	struct device_memory *shared = &buffer->shared;

	if (dma_addr >> 32 != 0)
		return false;
	shared->bus = soc_bus(source->bus_alias, (uint32_t)dma_addr);
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

/*
 * The kernel gives back what an import or an allocation of /dev/vcsm-cma had
 * when the firmware has released it, which it asks for without waiting (vc_sm.c
 * of Raspberry Pi's kernels).  Is it worth asking again after a request that has
 * failed with this errno?
 */
static bool
comes_back(const struct buffer_source *source, unsigned *waits)
{
	if (errno != ENOMEM || *waits == BACK_WAITS ||
	    source->given_back == 0 ||
	    clock_ns() - source->given_back >
		    BACK_MS * (uint64_t)CLOCK_NS_PER_MS)
		return false;
	++*waits;
	poll(NULL, 0, BACK_WAIT_MS);
	return true;
}

/* From the kernel, cached.  The import is the driver's of /dev/vcsm-cma, which
 * then keeps the caches for us. */
static bool
take_cached(const struct buffer_source *source, struct buffer *buffer,
	    struct diag *why_not)
{
	struct vcsm_import import = { .name = "qpu-sha256sum" };
	const char *node = vcio_nodes_heap(source->heap_node);
	unsigned waits = 0;

	do
		buffer->dma_buf =
			allocate_dma_buf(source->heap, buffer->shared.bytes);
	while (buffer->dma_buf < 0 && comes_back(source, &waits));
	import.dmabuf = buffer->dma_buf;
	if (buffer->dma_buf < 0 ||
	    !request_vcsm(source->vcsm, VCSM_IMPORT, &import)) {
		explain_no_buffer(node, buffer->shared.bytes, errno, why_not);
		close_one(&buffer->dma_buf);
		return false;
	}
	buffer->import = firmware_lift(import.handle);
	diag_set(why_not, "%s gives memory that cannot be mapped", node);
	if (place(source, buffer, import.dma_addr, node, why_not) &&
	    map(buffer, buffer->dma_buf))
		return true;
	close_one(&buffer->import);
	close_one(&buffer->dma_buf);
	return false;
}

/*
 * From the kernel, which frees it when its last mapping is gone.  The
 * descriptor is closed: its mapping keeps the memory.
 */
static bool
take_uncached(const struct buffer_source *source, struct buffer *buffer,
	      struct diag *why_not)
{
	const uint32_t bytes = (uint32_t)buffer->shared.bytes;
	struct vcsm_allocate allocate = { .size = bytes,
					  .num = 1,
					  .cached = VCSM_UNCACHED,
					  .name = "qpu-sha256sum" };
	unsigned waits = 0;
	bool taken, mapped;

	do
		taken = request_vcsm(source->vcsm, VCSM_ALLOCATE, &allocate);
	while (!taken && comes_back(source, &waits));
	if (!taken) {
		explain_no_buffer("/dev/vcsm-cma", buffer->shared.bytes, errno,
				  why_not);
		return false;
	}
	diag_set(why_not, "/dev/vcsm-cma gives memory that cannot be mapped");
	mapped = place(source, buffer, allocate.dma_addr, "/dev/vcsm-cma",
		       why_not) &&
		 map(buffer, allocate.handle);
	close(allocate.handle);
	return mapped;
}

bool
buffer_take(const struct buffer_source *source, size_t bytes,
	    struct buffer *buffer, struct diag *why_not)
{
	if (bytes == 0 || bytes > MOST_BYTES) {
		diag_set(why_not, "there are no %zu bytes for the QPUs", bytes);
		return false;
	}
	*buffer = (struct buffer){ .shared.bytes = (bytes + DEVICE_PAGE - 1) /
						   DEVICE_PAGE * DEVICE_PAGE,
				   .dma_buf = -1,
				   .import = -1 };
	if (source->kind == MEMORY_CACHED ?
		    take_cached(source, buffer, why_not) :
		    take_uncached(source, buffer, why_not))
		return true;
	buffer->shared.bytes = 0;
	return false;
}

void
buffer_wipe(const struct buffer *buffer)
{
	memset(buffer->shared.cpu, 0, buffer->shared.bytes);
	buffer_flush(buffer);
}

void
buffer_give_back(struct buffer_source *source, struct buffer *buffer)
{
	munmap(buffer->shared.cpu, buffer->shared.bytes);
	close_one(&buffer->import);
	close_one(&buffer->dma_buf);
	buffer->shared.bytes = 0;
	source->given_back = clock_ns();
}
