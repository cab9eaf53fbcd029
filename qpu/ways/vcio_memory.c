/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/vcio_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"
#include "qpu/ways/cleanup.h"

enum { SPARE_DESCRIPTORS = 16 };

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The kernel's two allocators ---------------------------------------------- */

/* Return true if descriptors are to spare; other threads may open files at the
 * same time. */
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

static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };

enum { STOPS = sizeof(stops) / sizeof(*stops) };

/* Signals that would stop the process do nothing; which, as bits. */
static unsigned
ignore_stops(void)
{
	unsigned ignored = 0;

	for (unsigned i = 0; i < STOPS; i++) {
		struct sigaction action;

		if (sigaction(stops[i], NULL, &action) == 0 &&
		    action.sa_handler == SIG_DFL) {
			signal(stops[i], SIG_IGN);
			ignored |= 1u << i;
		}
	}
	return ignored;
}

/*
 * Send a request to /dev/vcsm-cma that nothing interrupts.  On failure return
 * false with errno.
 *
 * Any signal to this thread interrupts the wait in VCSM_ALLOCATE, even a stop
 * of the process or its end by a signal to another thread.  The kernel's
 * cleanup then dereferences a list entry that was never added, with a lock
 * held; running out of descriptors leads to the same cleanup.  Therefore all
 * signals are blocked here, other threads' signals wait for the end of the
 * critical section, ^Z does nothing for these milliseconds, and descriptors are
 * kept to spare.  SIGKILL, SIGSTOP, the freezer of a cgroup and a debugger that
 * attaches remain.  VCSM_IMPORT waits in the same way, but cleans up after
 * itself.
 */
static bool
request_vcsm(int node, unsigned long request, void *argument)
{
	unsigned ignored;
	sigset_t all;
	int result, error;

	if (!has_descriptors(node))
		return false;
	if (!critical_enter()) {
		errno = ECANCELED;
		return false;
	}
	ignored = ignore_stops();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	result = ioctl(node, request, argument);
	error = errno;
	for (unsigned i = 0; i < STOPS; i++)
		if (ignored >> i & 1)
			signal(stops[i], SIG_DFL);
	critical_leave();
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
	return (int)allocate.fd;
}

bool
vcio_memory_open(struct vcio_memory *self, const struct vcio_nodes *nodes,
		 struct diag *why_not)
{
	*self = (struct vcio_memory){ .host = nodes->host,
				      .vcsm = firmware_open_node(
					      "/dev/vcsm-cma", 0),
				      .heap = -1 };
	if (self->vcsm < 0) {
		diag_set(why_not, "/dev/vcsm-cma: %s", strerror(errno));
		return false;
	}
	if (nodes->heap)
		self->heap = firmware_open_node(nodes->heap, 0);
	if (self->heap >= 0)
		self->heap_path = nodes->heap;
	return true;
}

/* One buffer --------------------------------------------------------------- */

static void
explain_no_buffer(const char *node, size_t bytes, int error,
		  struct diag *why_not)
{
	struct diag how_much;

	if (error == EMFILE || error == ENFILE) {
		diag_set(why_not, "no file descriptors are left for memory of "
				  "the QPUs");
		return;
	}
	host_explain_contiguous(&how_much);
	diag_set(why_not,
		 "%s has no %zu KiB in one piece for the QPUs: %s; %.300s",
		 node, bytes >> 10, strerror(error), how_much.text);
}

static bool
map(struct vcio_buffer *buffer, int fd)
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
set_address(const struct vcio_memory *self, struct vcio_buffer *buffer,
	    uint64_t dma_addr, const char *giver, struct diag *why_not)
{
	struct way_memory *shared = &buffer->shared;

	if (dma_addr >> 32 != 0)
		return false;
	shared->bus = soc_bus(self->host.bus_alias, (uint32_t)dma_addr);
	if (soc_shares(self->host.soc, self->host.bus_alias, shared->bus,
		       shared->bytes))
		return true;
	diag_set(why_not,
		 "%s gives %zu KiB at bus address 0x%08x, where the QPUs of a "
		 "%s share no memory with the CPU",
		 giver, shared->bytes >> 10, (unsigned)shared->bus,
		 self->host.soc->name);
	return false;
}

/* From the kernel, cached.  The import is the driver's of /dev/vcsm-cma, which
 * then keeps the caches for us. */
static bool
alloc_cached(const struct vcio_memory *self, struct vcio_buffer *buffer,
	     struct diag *why_not)
{
	struct vcsm_import import = { .name = "qpu-sha256sum" };
	const char *node = self->heap_path;

	buffer->dma_buf = import.dmabuf =
		allocate_dma_buf(self->heap, buffer->shared.bytes);
	if (buffer->dma_buf < 0 ||
	    !request_vcsm(self->vcsm, VCSM_IMPORT, &import)) {
		explain_no_buffer(node, buffer->shared.bytes, errno, why_not);
		close_one(&buffer->dma_buf);
		return false;
	}
	buffer->import = import.handle;
	diag_set(why_not, "%s gives memory that cannot be mapped", node);
	if (set_address(self, buffer, import.dma_addr, node, why_not) &&
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
alloc_uncached(const struct vcio_memory *self, struct vcio_buffer *buffer,
	       struct diag *why_not)
{
	const uint32_t bytes = (uint32_t)buffer->shared.bytes;
	struct vcsm_allocate allocate = { .size = bytes,
					  .num = 1,
					  .cached = VCSM_UNCACHED,
					  .name = "qpu-sha256sum" };
	bool mapped;

	if (!request_vcsm(self->vcsm, VCSM_ALLOCATE, &allocate)) {
		explain_no_buffer("/dev/vcsm-cma", buffer->shared.bytes, errno,
				  why_not);
		return false;
	}
	diag_set(why_not, "/dev/vcsm-cma gives memory that cannot be mapped");
	mapped = set_address(self, buffer, allocate.dma_addr, "/dev/vcsm-cma",
			     why_not) &&
		 map(buffer, allocate.handle);
	close(allocate.handle);
	return mapped;
}

static bool
alloc_buffer(const struct vcio_memory *self, size_t bytes,
	     struct vcio_buffer *buffer, struct diag *why_not)
{
	*buffer = (struct vcio_buffer){ .shared.bytes =
						(bytes + DEVICE_PAGE - 1) /
						DEVICE_PAGE * DEVICE_PAGE,
					.dma_buf = -1,
					.import = -1,
					.written = true };
	if (self->heap_path ? alloc_cached(self, buffer, why_not) :
			      alloc_uncached(self, buffer, why_not))
		return true;
	buffer->shared.bytes = 0;
	return false;
}

static void
free_buffer(struct vcio_buffer *buffer)
{
	munmap(buffer->shared.cpu, buffer->shared.bytes);
	close_one(&buffer->import);
	close_one(&buffer->dma_buf);
	buffer->shared.bytes = 0;
}

/* Caches of the CPU: DMA_HEAP_WRITES to memory before a launch, DMA_HEAP_READS
 * after it.  Uncached memory has nothing to synchronize.  A signal may
 * interrupt
 * it. */
static bool
sync_caches(const struct vcio_buffer *buffer, uint64_t flags)
{
	int result;

	if (buffer->dma_buf < 0)
		return true;
	do
		result = ioctl(buffer->dma_buf, DMA_HEAP_SYNC, &flags);
	while (result < 0 && (errno == EINTR || errno == EAGAIN));
	return result == 0;
}

static bool
flush(const struct vcio_buffer *buffer)
{
	return sync_caches(buffer, DMA_HEAP_WRITES | DMA_HEAP_END);
}

/* Overwrite it with zeros, also the memory that the CPU's caches hide. */
static void
wipe(const struct vcio_buffer *buffer)
{
	if (!critical_enter())
		return;
	memset(buffer->shared.cpu, 0, buffer->shared.bytes);
	flush(buffer);
	critical_leave();
}

/* All of them -------------------------------------------------------------- */

static bool
is_used(const struct vcio_buffer *buffer)
{
	return buffer->shared.bytes > 0;
}

static bool
holds(const struct vcio_buffer *buffer, uint32_t bus)
{
	return is_used(buffer) &&
	       bus - buffer->shared.bus < buffer->shared.bytes;
}

const struct way_memory *
vcio_memory_alloc(struct vcio_memory *self, size_t bytes, struct diag *why_not)
{
	struct vcio_buffer *row = self->rows;
	bool taken;

	while (row < self->rows + VCIO_BUFFERS && is_used(row))
		row++;
	if (row == self->rows + VCIO_BUFFERS) {
		diag_set(why_not, "too many buffers");
		return NULL;
	}
	taken = alloc_buffer(self, bytes, row, why_not);
	if (!taken && !self->any && self->heap_path) {
		/* The heap exists, but gives no memory. */
		self->heap_path = NULL;
		taken = alloc_buffer(self, bytes, row, why_not);
	}
	self->any |= taken;
	return taken ? &row->shared : NULL;
}

void
vcio_memory_free(struct vcio_memory *self, const struct way_memory *memory)
{
	for (unsigned i = 0; i < VCIO_BUFFERS; i++)
		if (holds(&self->rows[i], memory->bus)) {
			if (!memory->unused)
				wipe(&self->rows[i]);
			free_buffer(&self->rows[i]);
		}
}

void
vcio_memory_wipe(struct vcio_memory *self)
{
	for (unsigned i = 0; i < VCIO_BUFFERS; i++)
		if (is_used(&self->rows[i]))
			wipe(&self->rows[i]);
}

void
vcio_memory_close(struct vcio_memory *self, bool keep)
{
	for (unsigned i = 0; i < VCIO_BUFFERS && !keep; i++)
		if (is_used(&self->rows[i]))
			free_buffer(&self->rows[i]);
	close_one(&self->vcsm);
	close_one(&self->heap);
}

void
vcio_memory_note_written(struct vcio_memory *self,
			 const struct way_memory *memory)
{
	for (unsigned i = 0; i < VCIO_BUFFERS; i++)
		if (holds(&self->rows[i], memory->bus))
			self->rows[i].written = true;
}

bool
vcio_memory_flush(struct vcio_memory *self)
{
	for (unsigned i = 0; i < VCIO_BUFFERS; i++) {
		struct vcio_buffer *buffer = &self->rows[i];

		if (!buffer->written || !is_used(buffer))
			continue;
		if (!flush(buffer))
			return false;
		buffer->written = false;
	}
	return true;
}

static bool
has_results(const struct vcio_buffer *buffer,
	    const struct device_program *programs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (holds(buffer, programs[i].results))
			return true;
	return false;
}

bool
vcio_memory_invalidate(struct vcio_memory *self,
		       const struct device_program *programs, unsigned n)
{
	for (unsigned i = 0; i < VCIO_BUFFERS; i++)
		if (has_results(&self->rows[i], programs, n) &&
		    !sync_caches(&self->rows[i], DMA_HEAP_READS))
			return false;
	return true;
}
