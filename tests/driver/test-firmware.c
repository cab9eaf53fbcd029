/* SPDX-License-Identifier: MIT */
/*
 * Opening the board's nodes: descriptors that are no standard streams, the
 * lock, and what is said where the firmware does not answer or has no QPUs.
 */
#include "config.h"

#include "qpu/driver/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/driver/mailbox.h"
#include "tests/support/tap.h"

static struct {
	int open_error, lock_error; /* 0 = none */
	int fd;			    /* that open gives */
	char name[64];
	int flags, lock;
	/* The firmware's answers: the first and the second of a call. */
	bool answers[2];
	uint32_t values[2];
	unsigned ncalls;
	enum mailbox_tag tags[4];
	uint32_t asked[4];
	unsigned request, response;
} world;

static struct diag why;

int
__wrap_open(const char *name, int flags, ...);
int
__wrap_open64(const char *name, int flags, ...)
	__attribute__((alias("__wrap_open")));
int
__wrap_flock(int fd, int operation);
bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response);

int
__wrap_open(const char *name, int flags, ...)
{
	snprintf(world.name, sizeof(world.name), "%s", name);
	world.flags = flags;
	errno = world.open_error;
	return world.open_error ? -1 : world.fd;
}

int
__wrap_flock(int fd, int operation)
{
	world.lock = operation;
	errno = world.lock_error;
	return world.lock_error || fd != world.fd ? -1 : 0;
}

bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response)
{
	const unsigned call = world.ncalls++ % 2;

	world.tags[call] = tag;
	world.asked[call] = request ? values[0] : 0;
	world.request = request;
	world.response = response;
	values[1] = world.values[call];
	errno = EIO;
	return fd == 9 && world.answers[call];
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
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.fd = copy_of_stdout(20);
	why.text[0] = '\0';
}

static void
test_lift(void)
{
	struct rlimit usual, none;
	const int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 30);
	int fd;

	fd = firmware_lift(copy_of_stdout(STDERR_FILENO));
	ok(fd > STDERR_FILENO && (fcntl(fd, F_GETFD) & FD_CLOEXEC) &&
		   !is_open(STDERR_FILENO),
	   "a descriptor leaves the place of standard error");
	close(fd);
	fd = firmware_lift(copy_of_stdout(STDIN_FILENO));
	ok(fd > STDERR_FILENO && !is_open(STDIN_FILENO),
	   "and that of standard input");
	close(fd);
	copy_of_stdout(3);
	ok(firmware_lift(3) == 3 && is_open(3), "the next one is as good");
	errno = ENODEV;
	ok(firmware_lift(-1) == -1 && errno == ENODEV,
	   "none stays none, for its reason");
	copy_of_stdout(STDERR_FILENO);
	getrlimit(RLIMIT_NOFILE, &usual);
	none = usual;
	none.rlim_cur = STDERR_FILENO + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	fd = firmware_lift(STDERR_FILENO);
	ok(fd == -1 && (errno == EMFILE || errno == EINVAL) &&
		   !is_open(STDERR_FILENO),
	   "where there is no other place it is closed");
	setrlimit(RLIMIT_NOFILE, &usual);
	close(3);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void
test_nodes(void)
{
	reset();
	ok(firmware_open_node("/dev/x", 0) == 20 &&
		   strcmp(world.name, "/dev/x") == 0 &&
		   world.flags == (O_RDWR | O_CLOEXEC),
	   "a node is opened for both ways");
	firmware_open_node("/dev/x", O_SYNC);
	ok(world.flags == (O_RDWR | O_CLOEXEC | O_SYNC), "with further flags");
	world.open_error = EACCES;
	ok(firmware_open_node("/dev/x", 0) == -1 && errno == EACCES,
	   "and may not be there");
}

static void
test_lock(void)
{
	reset();
	ok(firmware_open(&why) == 20 && strcmp(world.name, "/dev/vcio") == 0 &&
		   world.flags == (O_RDWR | O_CLOEXEC) &&
		   world.lock == (LOCK_EX | LOCK_NB) && is_open(20),
	   "the mailbox is locked for one user, without waiting");
	world.open_error = ENOENT;
	ok(firmware_open(&why) == -1, "a mailbox that is not there");
	is(why.text, "/dev/vcio: No such file or directory", "and why");
	reset();
	world.lock_error = EWOULDBLOCK;
	ok(firmware_open(&why) == -1 && !is_open(20), "one that is in use");
	is(why.text, "another program uses the QPUs", "and why");
	reset();
	world.lock_error = ENOLCK;
	ok(firmware_open(&why) == -1 && !is_open(20),
	   "one that cannot be locked");
	is(why.text, "/dev/vcio cannot be locked: No locks available",
	   "and why");
}

static void
test_ask(void)
{
	reset();
	world.answers[0] = true;
	world.values[0] = 17 << 20;
	ok(firmware_ask(9, &why) && world.tags[0] == MAILBOX_VC_MEMORY &&
		   world.request == 0 && world.response == 2,
	   "a firmware with 17 MiB has QPUs");
	world.ncalls = 0;
	world.values[0] = (17 << 20) - 1;
	ok(!firmware_ask(9, &why), "one with less has none");
	is(why.text,
	   "gpu_mem is 16 MiB, and the firmware for so little has no QPUs: put "
	   "gpu_mem=64 into /boot/firmware/config.txt (older systems: "
	   "/boot/config.txt) and reboot",
	   "and what helps");
	reset();
	ok(!firmware_ask(9, &why), "one that does not answer");
	is(why.text,
	   "the firmware does not answer through /dev/vcio: Input/output error",
	   "is named");
}

static void
test_clock(void)
{
	static const struct {
		bool answers[2];
		uint32_t values[2];
		uint32_t hz;
		unsigned calls;
	} rows[] = { { { true, true }, { 300, 250 }, 300, 1 },
		     { { true, true }, { 1, 250 }, 1, 1 },
		     { { true, true }, { 0, 250 }, 250, 2 },
		     { { false, true }, { 300, 250 }, 250, 2 },
		     { { false, true }, { 300, 0 }, 0, 2 },
		     { { false, false }, { 300, 250 }, 0, 2 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset();
		memcpy(world.answers, rows[i].answers, sizeof(world.answers));
		memcpy(world.values, rows[i].values, sizeof(world.values));
		ok(firmware_clock(9) == rows[i].hz &&
			   world.ncalls == rows[i].calls &&
			   world.tags[0] == MAILBOX_MEASURED_CLOCK_RATE &&
			   (rows[i].calls == 1 ||
			    (world.tags[1] == MAILBOX_CLOCK_RATE &&
			     world.asked[1] == 5)) &&
			   world.asked[0] == 5 && world.request == 1 &&
			   world.response == 2,
		   "a clock of %u Hz after %u questions", (unsigned)rows[i].hz,
		   rows[i].calls);
	}
}

int
main(void)
{
	test_lift();
	test_nodes();
	test_lock();
	test_ask();
	test_clock();
	return tap_done();
}
