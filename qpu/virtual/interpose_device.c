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
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "qpu/mailbox.h"
#include "qpu/virtual/buffer.h"
#include "qpu/virtual/firmware.h"
#include "qpu/virtual/mapping.h"
#include "qpu/virtual/next.h"
#include "qpu/virtual/node.h"

enum {
	MESSAGE_LEAST = 12,
	MESSAGE_MOST = 1 << 20
};

/* Copies to and from the program may fail where it gave a wrong address. */
static int
copy_in(void *ours, const void *theirs, size_t bytes)
{
	const struct iovec to = { ours, bytes };
	const struct iovec from = { (void *)(uintptr_t)theirs, bytes };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
	    (ssize_t)bytes)
		return 0;
	if (errno != ENOSYS && errno != EPERM)
		return EFAULT;
	memcpy(ours, theirs, bytes);
	return 0;
}

static int
copy_out(void *theirs, const void *ours, size_t bytes)
{
	const struct iovec from = { (void *)(uintptr_t)ours, bytes };
	const struct iovec to = { theirs, bytes };

	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) ==
	    (ssize_t)bytes)
		return 0;
	if (errno != ENOSYS && errno != EPERM)
		return EFAULT;
	memcpy(theirs, ours, bytes);
	return 0;
}

/*
 * Instead of a message's last word the kernel passes on an end of its own, and
 * leaves the program's alone: without an end the last value gets lost.
 */
static int
ask_firmware(const struct world *world, uint32_t *message, uint32_t words)
{
	const uint32_t last = message[words - 1];
	sigset_t signals;
	int error;

	message[words - 1] = 0;
	state_lock(world->state, &signals);
	error = firmware_answer(world, message, words);
	state_unlock(world->state, &signals);
	message[words - 1] = last;
	return error;
}

/* Memory is the kernel's: a handler of signals may call, amid malloc(). */
static int
answer_message(const struct world *world, void *theirs, uint32_t bytes)
{
	uint32_t *message = mapping_of_kernel(NULL, bytes,
					      PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1,
					      0);
	int error;

	if (message == MAP_FAILED)
		return ENOMEM;
	error = copy_in(message, theirs, bytes);
	if (!error) {
		error = ask_firmware(world, message, bytes / 4);
		if (copy_out(theirs, message, bytes))
			error = EFAULT;
	}
	syscall(SYS_munmap, message, bytes);
	return error;
}

/*
 * The number depends on the size of pointers.  Scripts have that of 32 bits
 * in them, and are right where Python has 32 bits.
 */
#define OTHER_MAILBOX_IOCTL ((uint32_t)MAILBOX_IOCTL ^			\
			     (4u ^ 8u) << _IOC_SIZESHIFT)

static void
note_other_size(void)
{
	static atomic_flag noted = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&noted))
		world_say("the number of an ioctl is that of a system of %u "
			  "bits; a kernel of %u bits refuses it",
			  sizeof(void *) == 8 ? 32 : 64,
			  (unsigned)(8 * sizeof(void *)));
}

static int
mailbox_ioctl(const struct world *world, uint32_t request, void *argument)
{
	uint32_t bytes;

	if (request == OTHER_MAILBOX_IOCTL)
		note_other_size();
	else if (request != (uint32_t)MAILBOX_IOCTL)
		return EINVAL;
	if (copy_in(&bytes, argument, sizeof(bytes)))
		return EFAULT;
	if (bytes < MESSAGE_LEAST || bytes > MESSAGE_MOST || bytes % 4 != 0)
		return EINVAL;
	return answer_message(world, argument, bytes);
}

static int
vcsm_ioctl(const struct world *world, uint32_t request, void *argument)
{
	struct vcsm_allocate allocate;
	sigset_t signals;
	int error;

	if (request != (uint32_t)VCSM_ALLOCATE)
		return EINVAL;
	if (copy_in(&allocate, argument, sizeof(allocate)))
		return EFAULT;
	state_lock(world->state, &signals);
	error = buffer_allocate(world, &allocate);
	state_unlock(world->state, &signals);
	if (!error && copy_out(argument, &allocate, sizeof(allocate))) {
		close(allocate.handle);
		error = EFAULT;
	}
	return error;
}

static int
device_ioctl(const struct world *world, enum state_node node,
	     uint32_t request, void *argument)
{
	int error = ENOTTY;

	if (node == STATE_VCIO)
		error = mailbox_ioctl(world, request, argument);
	if (node == STATE_VCSM)
		error = vcsm_ioctl(world, request, argument);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* Most calls of a program are none of ours, and their number tells. */
static bool
may_be_ours(uint32_t request)
{
	return _IOC_TYPE(request) == _IOC_TYPE(MAILBOX_IOCTL) ||
	       _IOC_TYPE(request) == _IOC_TYPE(VCSM_ALLOCATE);
}

static int
control(int fd, unsigned long request, void *argument)
{
	const struct world *world = may_be_ours((uint32_t)request) ?
				    world_get() : NULL;
	const enum state_node node = world ? node_of_descriptor(world, fd) :
					     STATE_NO_NODE;

	if (node != STATE_NO_NODE)
		return device_ioctl(world, node, (uint32_t)request, argument);
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

/* What programs of 32 bits call that were compiled for times of 64. */
EXPORT int __ioctl_time64(int fd, unsigned long request, ...);

#define ARGUMENT_BEHIND(request) __extension__ ({			\
	va_list args_;							\
	va_start(args_, request);					\
	void *argument_ = va_arg(args_, void *);			\
	va_end(args_);							\
	argument_; })

EXPORT int
ioctl(int fd, unsigned long request, ...)
{
	return control(fd, request, ARGUMENT_BEHIND(request));
}

int
__ioctl_time64(int fd, unsigned long request, ...)
{
	return control(fd, request, ARGUMENT_BEHIND(request));
}

static void *
map(void *address, size_t bytes, int protection, int flags, int fd,
    uint64_t offset)
{
	const struct world *world = flags & MAP_ANONYMOUS || fd < 0 ? NULL :
				    world_get();

	if (world && node_of_descriptor(world, fd) == STATE_MEM)
		return mapping_create(world, address, bytes, protection,
				      flags, offset);
	return mapping_of_kernel(address, bytes, protection, flags, fd,
				 offset);
}

/* An offset of 32 bits is a physical address, and has no sign. */
EXPORT void *
mmap(void *address, size_t bytes, int protection, int flags, int fd,
     off_t offset)
{
	return map(address, bytes, protection, flags, fd,
		   sizeof(offset) == 4 ? (uint32_t)offset :
					 (uint64_t)offset);
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
