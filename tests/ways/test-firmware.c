/* SPDX-License-Identifier: MIT */
/*
 * Promise: messages to the firmware are right word by word (the numbers here
 * are literal, so a wrong one in qpu/abi is seen); and what is wrong with the
 * firmware is told.
 */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>

#include "qpu/abi/vcsm.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static struct {
	uint32_t asked[32];
	unsigned n, no_memory; /* requests, and those that fail at first */
	/* The firmware's answer. */
	bool no_answer;
	uint32_t code, length, value; /* length 0: as it should be */
	unsigned waits;
} world;

static struct diag why;

static int
answer(int fd, unsigned long request, void *argument)
{
	uint32_t *message = argument;

	(void)fd;
	memcpy(world.asked, message, message[0]);
	errno = world.n++ < world.no_memory ? ENOMEM : EIO;
	if (errno == ENOMEM || world.no_answer ||
	    request != (sizeof(void *) == 8 ? 0xc0086400 : 0xc0046400))
		return -1;
	message[1] = world.code;
	message[4] = world.length ? world.length : message[3] | 0x80000000;
	message[5] = world.value;
	return 0;
}

static int
count_wait(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	world.waits += n == 0 && ms == 10;
	return 0;
}

static void
begin(void)
{
	fault_clear();
	fault_hooks.ioctl = answer;
	fault_hooks.poll = count_wait;
	memset(&world, 0, sizeof(world));
	world.code = 0x80000000;
	world.value = 9;
	errno = 0;
}

/* --- Messages ------------------------------------------------------------- */

static void
test_messages(void)
{
	static const uint32_t words[] = { 40, 0,	  0x30011, 16,	16,
					  12, 0xc0001000, 0,	   900, 0 };
	uint32_t values[] = { 12, 0xc0001000, 0, 900 };

	begin();
	ok(firmware_call(3, MAILBOX_EXECUTE_QPU, values, 4, 1) &&
		   values[0] == 9 && values[1] == 0xc0001000 &&
		   memcmp(world.asked, words, sizeof(words)) == 0,
	   "a request is sent word by word, and only its answer is changed");
	begin();
	ok(!firmware_call(3, MAILBOX_ENABLE_QPU, world.asked, 17, 1) &&
		   errno == EINVAL && world.n == 0,
	   "more than 16 values are never sent");
}

static void
test_failures(void)
{
	static const struct {
		const char *name;
		bool no_answer;
		uint32_t code, length;
	} rows[] = {
		{ "an ioctl that fails", true, 0x80000000, 0 },
		{ "a message that could not be parsed", false, 0x80000001, 0 },
		{ "a message that nobody answered", false, 0, 0 },
		{ "a tag that the firmware does not know", false, 0x80000000,
		  4 },
	};
	uint32_t value = 1;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin();
		world.no_answer = rows[i].no_answer;
		world.code = rows[i].code;
		world.length = rows[i].length;
		ok(!firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) &&
			   errno == EIO && value == 1,
		   "%s is a failure that leaves the values", rows[i].name);
	}
	/* The kernel wants memory at once, and sends nothing without it. */
	begin();
	world.no_memory = 1;
	ok(firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) && value == 9 &&
		   world.n == 2 && world.waits == 1,
	   "a request for which the kernel has no memory is made once more "
	   "after 10 ms");
	begin();
	world.no_memory = 2;
	ok(!firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) &&
		   errno == ENOMEM && world.n == 2,
	   "a request for which the kernel has no memory twice is a failure");
}

/* Numbers that no other test knows. */
static void
test_numbers(void)
{
	ok(MAILBOX_BOARD_MODEL == 0x10001 &&
		   MAILBOX_BOARD_REVISION == 0x10002 &&
		   MAILBOX_ARM_MEMORY == 0x10005 &&
		   MAILBOX_TEMPERATURE == 0x30006 &&
		   MAILBOX_MIN_CLOCK_RATE == 0x30007 &&
		   MAILBOX_UNLOCK_MEMORY == 0x3000e &&
		   MAILBOX_RELEASE_MEMORY == 0x3000f &&
		   MAILBOX_EXECUTE_CODE == 0x30010 &&
		   MAILBOX_THROTTLED == 0x30046,
	   "tags have the numbers of the firmware");
	ok(MAILBOX_MEMORY_DIRECT == 4 && MAILBOX_MEMORY_COHERENT == 8 &&
		   MAILBOX_MEMORY_L1_NONALLOCATING == 12,
	   "flags of memory have the bits of the firmware");
	ok(sizeof(struct vcsm_allocate) == 64 &&
		   offsetof(struct vcsm_allocate, name) == 16 &&
		   offsetof(struct vcsm_allocate, handle) == 48 &&
		   offsetof(struct vcsm_allocate, dma_addr) == 56 &&
		   VCSM_ALLOCATE == 0x80404a5a,
	   "a request to /dev/vcsm-cma has the kernel's layout");
}

/* --- Nodes ---------------------------------------------------------------- */

static int opened;

static int
open_node(const char *name, int flags, mode_t mode)
{
	(void)mode;
	opened = strcmp(name, "/dev/vcio") == 0 &&
				 flags == (O_RDWR | O_CLOEXEC) ?
			 fcntl(STDOUT_FILENO, F_DUPFD, 20) :
			 -1;
	return opened;
}

static void
test_locks(void)
{
	static const struct {
		int error;
		const char *reason;
	} rows[] = {
		{ EWOULDBLOCK, "another program uses the QPUs" },
		{ ENOLCK, "/dev/vcio cannot be locked: No locks available" },
	};

	for (unsigned i = 0; i < 2; i++) {
		begin();
		fault_hooks.open = open_node;
		fault_at(FAULT_flock, 1, rows[i].error);
		ok(firmware_open(&why) == -1 && opened >= 20 &&
			   fcntl(opened, F_GETFD) < 0 &&
			   strcmp(why.text, rows[i].reason) == 0,
		   "a mailbox that cannot be locked is closed: %s",
		   rows[i].reason);
	}
	fault_at(FAULT_open, 1, ENOENT);
	ok(firmware_open(&why) == -1 &&
		   strcmp(why.text, "/dev/vcio: No such file or directory") ==
			   0,
	   "a mailbox that is not there is told");
}

int
main(void)
{
	test_messages();
	test_failures();
	test_numbers();
	test_locks();
	fault_clear();
	return tap_done();
}
