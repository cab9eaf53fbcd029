/* SPDX-License-Identifier: MIT */
/*
 * Promise: messages to the firmware are right word by word (the numbers here
 * are literal, so a wrong one in qpu/abi is seen); nodes are never opened as a
 * standard stream; and what is wrong with the firmware is told.
 */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/abi/vcsm.h"
#include "src/base/descriptor.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { FD = 20, WORDS = 32 };

static struct {
	char name[64]; /* of the node that was opened */
	int flags, lock;
	/* The firmware's answers, one request after the other. */
	uint32_t asked[4][WORDS];
	uint32_t code, length; /* of the response, and of its tag */
	uint32_t answers[4][16];
	bool no_answer[4], no_memory[4];
	unsigned waits;
	unsigned n_asked;
	int fd;
	unsigned long request;
} world;

static struct diag why;

static int
open_node(const char *name, int flags, mode_t mode)
{
	(void)mode;
	snprintf(world.name, sizeof(world.name), "%s", name);
	world.flags = flags;
	return FD;
}

static int
lock_node(int fd, int operation)
{
	world.lock = fd == FD ? operation : 0;
	return 0;
}

static int
answer(int fd, unsigned long request, void *argument)
{
	const unsigned call = world.n_asked++ % 4;
	uint32_t *message = argument;

	world.fd = fd;
	world.request = request;
	memcpy(world.asked[call], message, message[0]);
	if (world.no_answer[call] || world.no_memory[call]) {
		errno = world.no_answer[call] ? EIO : ENOMEM;
		return -1;
	}
	message[1] = world.code;
	message[4] = world.length ? world.length : message[3] | 0x80000000;
	memcpy(message + 5, world.answers[call], message[3]);
	return 0;
}

static int
count_wait(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	world.waits += n == 0 && ms == 10;
	return 0;
}

static int
copy_of_stdout(int number)
{
	if (dup2(STDOUT_FILENO, number) != number)
		_exit(99);
	return number;
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void
begin(void)
{
	fault_clear();
	fault_hooks.open = open_node;
	fault_hooks.flock = lock_node;
	fault_hooks.ioctl = answer;
	fault_hooks.poll = count_wait;
	memset(&world, 0, sizeof(world));
	world.code = 0x80000000;
	copy_of_stdout(FD);
	errno = 0;
}

/* --- Messages ------------------------------------------------------------- */

/* Words of a message: its values, and the first two that come back. */
static void
test_messages(void)
{
	static const struct {
		const char *name;
		enum mailbox_tag tag;
		unsigned request, response;
		uint32_t values[4], answers[2], words[11];
	} rows[] = {
		{ "memory of the VideoCore",
		  MAILBOX_VC_MEMORY,
		  0,
		  2,
		  { 0 },
		  { 5, 64 << 20 },
		  { 32, 0, 0x10006, 8, 0, 0, 0, 0 } },
		{ "execute QPU",
		  MAILBOX_EXECUTE_QPU,
		  4,
		  1,
		  { 12, 0xc0001000, 0, 900 },
		  { 3 },
		  { 40, 0, 0x30011, 16, 16, 12, 0xc0001000, 0, 900, 0 } },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t values[16] = { 0 };

		begin();
		memcpy(values, rows[i].values, sizeof(rows[i].values));
		memcpy(world.answers[0], rows[i].answers,
		       sizeof(rows[i].answers));
		ok(firmware_call(3, rows[i].tag, values, rows[i].request,
				 rows[i].response) &&
			   memcmp(values, rows[i].answers,
				  rows[i].response * 4) == 0 &&
			   values[2] == rows[i].values[2],
		   "%s gives its answer, and leaves the other values",
		   rows[i].name);
		ok(memcmp(world.asked[0], rows[i].words, rows[i].words[0]) == 0,
		   "%s is sent word by word", rows[i].name);
	}
	ok(world.fd == 3 && world.request == (sizeof(void *) == 8 ? 0xc0086400 :
								    0xc0046400),
	   "the ioctl has the size of a pointer");
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

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t value = 1;

		begin();
		world.no_answer[0] = rows[i].no_answer;
		world.code = rows[i].code;
		world.length = rows[i].length;
		world.answers[0][0] = 9;
		ok(!firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) &&
			   errno == EIO && value == 1,
		   "%s is a failure that leaves the values", rows[i].name);
	}
}

/* The kernel wants memory at once, and sends nothing without it. */
static void
test_no_memory(void)
{
	uint32_t value = 1;

	begin();
	world.no_memory[0] = true;
	world.answers[1][0] = 9;
	ok(firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) && value == 9 &&
		   world.n_asked == 2 && world.waits == 1 &&
		   memcmp(world.asked[0], world.asked[1],
			  sizeof(world.asked[0])) == 0,
	   "a request for which the kernel has no memory is made once more "
	   "after 10 ms");
	begin();
	world.no_memory[0] = world.no_memory[1] = true;
	ok(!firmware_call(3, MAILBOX_ENABLE_QPU, &value, 1, 1) &&
		   errno == ENOMEM && world.n_asked == 2,
	   "a request for which the kernel has no memory twice is a failure");
}

static void
test_most(void)
{
	uint32_t v[17], expected[22] = { 88, 0, 0x30012, 64, 64 };

	for (unsigned i = 0; i < 17; i++)
		v[i] = 0xffffff00 + i;
	memcpy(expected + 5, v, 64);
	begin();
	world.answers[0][15] = 5;
	ok(firmware_call(3, MAILBOX_ENABLE_QPU, v, 16, 16) &&
		   memcmp(world.asked[0], expected, sizeof(expected)) == 0 &&
		   v[15] == 5 && v[16] == 0xffffff10,
	   "16 values are sent and come back, and the next one is left alone");
	begin();
	ok(!firmware_call(3, MAILBOX_ENABLE_QPU, v, 17, 1) && errno == EINVAL &&
		   !firmware_call(3, MAILBOX_ENABLE_QPU, v, 1, 17) &&
		   world.n_asked == 0,
	   "more than 16 values are never sent, nor wanted");
}

/* Numbers that no other test knows. */
static void
test_numbers(void)
{
	ok(MAILBOX_FIRMWARE_REVISION == 0x1 && MAILBOX_BOARD_MODEL == 0x10001 &&
		   MAILBOX_BOARD_REVISION == 0x10002 &&
		   MAILBOX_ARM_MEMORY == 0x10005 &&
		   MAILBOX_MAX_CLOCK_RATE == 0x30004 &&
		   MAILBOX_TEMPERATURE == 0x30006 &&
		   MAILBOX_MIN_CLOCK_RATE == 0x30007,
	   "tags that only ask have the numbers of the firmware");
	ok(MAILBOX_UNLOCK_MEMORY == 0x3000e &&
		   MAILBOX_RELEASE_MEMORY == 0x3000f &&
		   MAILBOX_EXECUTE_CODE == 0x30010 &&
		   MAILBOX_THROTTLED == 0x30046 &&
		   MAILBOX_MEASURED_CLOCK_RATE == 0x30047 &&
		   MAILBOX_SET_CLOCK_RATE == 0x38002,
	   "tags that do something have the numbers of the firmware");
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

static void
test_lift(void)
{
	const int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 30);
	struct rlimit usual, none;
	int fd;

	fault_clear();
	fd = descriptor_raise(copy_of_stdout(STDERR_FILENO));
	ok(fd > STDERR_FILENO && (fcntl(fd, F_GETFD) & FD_CLOEXEC) &&
		   !is_open(STDERR_FILENO),
	   "a descriptor leaves the place of standard error");
	close(fd);
	fd = descriptor_raise(copy_of_stdout(STDIN_FILENO));
	ok(fd > STDERR_FILENO && !is_open(STDIN_FILENO),
	   "a descriptor leaves the place of standard input");
	close(fd);
	copy_of_stdout(3);
	ok(descriptor_raise(3) == 3 && is_open(3),
	   "a descriptor beside the standard streams stays");
	errno = ENODEV;
	ok(descriptor_raise(-1) == -1 && errno == ENODEV,
	   "no descriptor stays none, with its errno");
	copy_of_stdout(STDERR_FILENO);
	getrlimit(RLIMIT_NOFILE, &usual);
	none = usual;
	none.rlim_cur = STDERR_FILENO + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	fd = descriptor_raise(STDERR_FILENO);
	ok(fd == -1 && (errno == EMFILE || errno == EINVAL) &&
		   !is_open(STDERR_FILENO),
	   "a descriptor that finds no other place is closed");
	setrlimit(RLIMIT_NOFILE, &usual);
	close(3);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void
test_nodes(void)
{
	begin();
	ok(firmware_open_node("/dev/x", O_SYNC) == FD &&
		   strcmp(world.name, "/dev/x") == 0 &&
		   world.flags == (O_RDWR | O_CLOEXEC | O_SYNC),
	   "a node is opened for both ways, with further flags");
	fault_at(FAULT_open, 1, EACCES);
	ok(firmware_open_node("/dev/x", 0) == -1 && errno == EACCES,
	   "a node that cannot be opened has its errno");

	begin();
	ok(firmware_open(&why) == FD && strcmp(world.name, "/dev/vcio") == 0 &&
		   world.flags == (O_RDWR | O_CLOEXEC) &&
		   world.lock == (LOCK_EX | LOCK_NB) && is_open(FD),
	   "the mailbox is locked for one user, without waiting");
	fault_at(FAULT_open, 1, ENOENT);
	ok(firmware_open(&why) == -1 &&
		   strcmp(why.text, "/dev/vcio: No such file or directory") ==
			   0,
	   "a mailbox that is not there is told");
	fault_at(FAULT_flock, 1, EWOULDBLOCK);
	ok(firmware_open(&why) == -1 && !is_open(FD) &&
		   strcmp(why.text, "another program uses the QPUs") == 0,
	   "a mailbox in use is told, and closed");
	copy_of_stdout(FD);
	fault_at(FAULT_flock, 1, ENOLCK);
	ok(firmware_open(&why) == -1 && !is_open(FD) &&
		   strcmp(why.text,
			  "/dev/vcio cannot be locked: No locks available") ==
			   0,
	   "a mailbox that cannot be locked is told, and closed");
}

/* --- The clock ------------------------------------------------------------- */

static void
test_clock(void)
{
	static const struct {
		bool lost[2];
		uint32_t values[2], hz;
		unsigned calls;
	} rows[] = { { { false, false }, { 300, 250 }, 300, 1 },
		     { { false, false }, { 1, 250 }, 1, 1 },
		     { { false, false }, { 0, 250 }, 250, 2 },
		     { { true, false }, { 300, 250 }, 250, 2 },
		     { { true, false }, { 300, 0 }, 0, 2 },
		     { { true, true }, { 300, 250 }, 0, 2 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin();
		for (unsigned k = 0; k < 2; k++) {
			world.no_answer[k] = rows[i].lost[k];
			world.answers[k][1] = rows[i].values[k];
		}
		ok(firmware_clock(9) == rows[i].hz &&
			   world.n_asked == rows[i].calls &&
			   world.asked[0][2] == 0x30047 &&
			   world.asked[0][5] == 5 &&
			   (rows[i].calls == 1 ||
			    (world.asked[1][2] == 0x30002 &&
			     world.asked[1][5] == 5)),
		   "a clock of %u Hz is known after %u questions",
		   (unsigned)rows[i].hz, rows[i].calls);
	}
}

int
main(void)
{
	test_messages();
	test_failures();
	test_no_memory();
	test_most();
	test_numbers();
	test_lift();
	test_nodes();
	test_clock();
	fault_clear();
	return tap_done();
}
