/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that are about descriptors and mappings.
 */
#include "config.h"
/* Both sizes of file offsets are defined here, none is chosen. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/mailbox.h"
#include "qpu/pi/cma.h"
#include "qpu/pi/render_node.h"
#include "qpu/pi/vcsm.h"
#include "qpu/pi/virtual_firmware.h"
#include "qpu/virtual/mmio/next.h"
#include "qpu/virtual/preload/mapping.h"
#include "qpu/virtual/preload/node.h"

enum { MESSAGE_LEAST = 12, MESSAGE_MOST = 1 << 20 };

/*
 * The kernel replaces a message's last word by an end tag of its own: in a
 * message without an end tag the last value gets lost.
 */
static int
ask_firmware(const struct board *board, uint32_t *message, uint32_t words)
{
	const uint32_t last = message[words - 1];
	sigset_t signals;
	int error;

	message[words - 1] = 0;
	board_shared_lock(board->shared, &signals);
	error = firmware_answer(board, message, words);
	board_shared_unlock(board->shared, &signals);
	message[words - 1] = last;
	return error;
}

/*
 * The copy is in memory of mmap(): a signal handler may be the caller, in the
 * middle of malloc().
 */
static int
answer_message(const struct board *board, void *theirs, uint32_t bytes)
{
	uint32_t *message =
		mapping_of_kernel(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (message == MAP_FAILED)
		return ENOMEM;
	memcpy(message, theirs, bytes);
	error = ask_firmware(board, message, bytes / 4);
	/* The kernel returns nothing of what has failed. */
	if (!error)
		memcpy(theirs, message, bytes);
	syscall(SYS_munmap, message, bytes);
	return error;
}

/*
 * The number depends on the size of pointers.  Many scripts contain the 32-bit
 * number, which is right for a 32-bit Python.
 */
#define OTHER_MAILBOX_IOCTL                                                    \
	((uint32_t)MAILBOX_IOCTL ^ (4u ^ 8u) << _IOC_SIZESHIFT)

static void
warn_of_other_size(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		board_say("the number of an ioctl is that of a system of %u "
			  "bits; a kernel of %u bits refuses it",
			  sizeof(void *) == 8 ? 32 : 64,
			  (unsigned)(8 * sizeof(void *)));
}

static int
mailbox_ioctl(const struct board *board, uint32_t request, void *argument)
{
	uint32_t bytes;

	if (request == OTHER_MAILBOX_IOCTL)
		warn_of_other_size();
	else if (request != (uint32_t)MAILBOX_IOCTL)
		return EINVAL;
	memcpy(&bytes, argument, sizeof(bytes));
	if (bytes < MESSAGE_LEAST || bytes > MESSAGE_MOST || bytes % 4 != 0)
		return EINVAL;
	return answer_message(board, argument, bytes);
}

static int
answer_import(const struct board *board, struct vcsm_import *import)
{
	struct board_stand_in file;
	unsigned number;

	node_of_descriptor(board, import->dmabuf, &file);
	number = cma_of_file(board, &file);
	return number < CMA_BUFFERS ? vcsm_import(board, number, import) :
				      EINVAL;
}

/* Requests whose argument is copied from the program, changed by the answer,
 * and copied back if that succeeds. */
static const struct {
	enum board_node node;
	uint32_t request;
} requests[] = {
	{ BOARD_VCSM, (uint32_t)VCSM_ALLOCATE },
	{ BOARD_VCSM, (uint32_t)VCSM_IMPORT },
	{ BOARD_HEAP, (uint32_t)DMA_HEAP_ALLOCATE },
};

static int
answer_request(const struct board *board, uint32_t request, void *theirs)
{
	union {
		struct vcsm_allocate allocate;
		struct vcsm_import import;
		struct dma_heap_allocate heap;
	} argument;
	sigset_t signals;
	int error;

	memcpy(&argument, theirs, _IOC_SIZE(request));
	board_shared_lock(board->shared, &signals);
	if (request == (uint32_t)VCSM_ALLOCATE)
		error = vcsm_allocate(board, &argument.allocate);
	else if (request == (uint32_t)VCSM_IMPORT)
		error = answer_import(board, &argument.import);
	else
		error = heap_allocate(board, &argument.heap);
	board_shared_unlock(board->shared, &signals);
	if (!error)
		memcpy(theirs, &argument, _IOC_SIZE(request));
	return error;
}

/*
 * VC_SM_CMA_CMD_CLEAN_INVALID2 of the kernel's vc-sm-cma: clean or invalidate
 * the CPU's caches for blocks of memory; here are no caches.  Kernels
 * of 64 bits do not have it.  qmkl calls it before and after each of its
 * functions.
 */
#define VCSM_CACHES _IOR('J', 0x5c, uint64_t)

/* Each node has its own error for a request that is not known. */
static int
device_ioctl(const struct board *board, enum board_node node, uint32_t request,
	     void *argument)
{
	int error = node == BOARD_VCSM ? EINVAL : ENOTTY;

	if (node == BOARD_VCIO)
		error = mailbox_ioctl(board, request, argument);
	if (node == BOARD_VCSM && request == (uint32_t)VCSM_CACHES &&
	    !system_has_64_bits(board->system, board->soc))
		error = 0;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (requests[i].node == node && requests[i].request == request)
			error = answer_request(board, request, argument);
	return error;
}

/* DMA_BUF_IOCTL_SYNC, which changes cached memory only. */
static int
sync_buffer(const struct board *board, unsigned number, const void *argument)
{
	sigset_t signals;
	uint64_t flags;
	int error = 0;

	memcpy(&flags, argument, sizeof(flags));
	if (flags & ~(uint64_t)(DMA_HEAP_READS | DMA_HEAP_WRITES |
				DMA_HEAP_END) ||
	    !(flags & (DMA_HEAP_READS | DMA_HEAP_WRITES)))
		error = EINVAL;
	board_shared_lock(board->shared, &signals);
	if (!error && board->shared->buffers[number].cache.ino != 0)
		error = heap_sync(board, number, flags);
	board_shared_unlock(board->shared, &signals);
	return error;
}

enum { DRM_TYPE = 'd' };

/* Most requests of a program are not about the board, as their number shows. */
static bool
may_be_ours(uint32_t request)
{
	return _IOC_TYPE(request) == DRM_TYPE || request == DMA_HEAP_SYNC ||
	       request == DMA_HEAP_ALLOCATE ||
	       _IOC_TYPE(request) == _IOC_TYPE(MAILBOX_IOCTL) ||
	       _IOC_TYPE(request) == _IOC_TYPE(VCSM_ALLOCATE);
}

static int
control(int fd, unsigned long request, void *argument)
{
	const struct board *board =
		may_be_ours((uint32_t)request) ? board_get() : NULL;
	struct board_stand_in file;
	const enum board_node node = node_of_descriptor(board, fd, &file);
	const unsigned buffer = board && request == DMA_HEAP_SYNC ?
					cma_of_file(board, &file) :
					CMA_BUFFERS;
	int error;

	if (buffer < CMA_BUFFERS)
		error = sync_buffer(board, buffer, argument);
	else if (node == BOARD_CARD || node == BOARD_RENDER)
		error = render_node_request(board, &file, request, argument);
	else if (node != BOARD_NO_NODE)
		error = device_ioctl(board, node, (uint32_t)request, argument);
	else
		return (int)syscall(SYS_ioctl, fd, request, argument);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

#define ARGUMENT_AFTER(request)                                                \
	__extension__({                                                        \
		va_list args_;                                                 \
		va_start(args_, request);                                      \
		void *argument_ = va_arg(args_, void *);                       \
		va_end(args_);                                                 \
		argument_;                                                     \
	})

EXPORT int
ioctl(int fd, unsigned long request, ...)
{
	return control(fd, request, ARGUMENT_AFTER(request));
}

/* 32-bit programs that were compiled for 64-bit times call this one. */
EXPORT int
__ioctl_time64(int fd, unsigned long request, ...)
{
	return control(fd, request, ARGUMENT_AFTER(request));
}

/* A buffer of an open node, whose offset says which. */
static void *
map_drm(const struct board *board, void *address, size_t bytes, int protection,
	int flags, const struct board_stand_in *file, uint64_t offset)
{
	const int fd = render_node_file_at(board, file, offset, bytes,
					   protection & PROT_WRITE);
	void *mapping;

	if (fd < 0)
		return MAP_FAILED;
	mapping = mapping_of_kernel(address, bytes, protection, flags, fd, 0);
	syscall(SYS_close, fd);
	return mapping;
}

static void *
map(void *address, size_t bytes, int protection, int flags, int fd,
    uint64_t offset)
{
	const struct board *board =
		flags & MAP_ANONYMOUS || fd < 0 ? NULL : board_get();
	struct board_stand_in file;
	const enum board_node node = node_of_descriptor(board, fd, &file);

	if (node == BOARD_CARD || node == BOARD_RENDER)
		return map_drm(board, address, bytes, protection, flags, &file,
			       offset);
	if (node == BOARD_MEM) {
		if (!(fcntl(fd, F_GETFL) & O_SYNC))
			board_say("/dev/mem is mapped through the caches of "
				  "the CPU: open it with O_SYNC");
		return mapping_create(board, address, bytes, protection, flags,
				      offset);
	}
	return mapping_of_kernel(address, bytes, protection, flags, fd, offset);
}

/* An offset of 32 bits is a physical address, and has no sign. */
EXPORT void *
mmap(void *address, size_t bytes, int protection, int flags, int fd,
     off_t offset)
{
	return map(address, bytes, protection, flags, fd,
		   sizeof(offset) == 4 ? (uint32_t)offset : (uint64_t)offset);
}

EXPORT void *
mmap64(void *address, size_t bytes, int protection, int flags, int fd,
       off64_t offset)
{
	return map(address, bytes, protection, flags, fd, (uint64_t)offset);
}

EXPORT int
munmap(void *address, size_t bytes)
{
	return mapping_remove(address, bytes);
}

/* Programs ask it whether the kernel has 64 bits. */
EXPORT int
uname(struct utsname *name)
{
	const struct board *board = board_get();
	const char *machine =
		board ? system_machine(board->system, board->soc) : NULL;

	if (syscall(SYS_uname, name) != 0)
		return -1;
	if (machine)
		strcpy(name->machine, machine);
	return 0;
}
