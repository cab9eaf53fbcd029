/* SPDX-License-Identifier: MIT */
/*
 * Promise: files are opened for reading, past interruptions, never under the
 * number of a standard stream, and are not inherited.
 */
#include "config.h"

#include "src/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static struct {
	unsigned interrupted; /* how often, before it opens */
	unsigned calls;
	int flags; /* of the last call */
} opened;

static int
fake_open(const char *name, int flags, mode_t mode)
{
	opened.calls++;
	opened.flags = flags;
	if (opened.interrupted) {
		opened.interrupted--;
		errno = EINTR;
		return -1;
	}
	return fault_real_open(name, flags, mode);
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void
check_flags(void)
{
	const int lowest = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	close(lowest);
	int fd = descriptor_open("/dev/null", O_NONBLOCK);

	ok(fd > STDERR_FILENO && fd == lowest,
	   "a file has the lowest number above the standard ones");
	ok((opened.flags & O_ACCMODE) == O_RDONLY &&
		   (opened.flags & O_NOCTTY) && (opened.flags & O_CLOEXEC) &&
		   (opened.flags & O_NONBLOCK),
	   "a file is opened for reading, not as the terminal, with the flags given");
	ok(fcntl(fd, F_GETFD) == FD_CLOEXEC, "a file is not inherited");
	close(fd);

	opened.interrupted = 2;
	opened.calls = 0;
	fd = descriptor_open("/dev/null", 0);
	ok(fd >= 0 && opened.calls == 3, "an interrupted open is repeated");
	close(fd);

	opened.calls = 0;
	errno = 0;
	fd = descriptor_open("/dev/null/x", 0);
	ok(fd == -1 && errno == ENOTDIR && opened.calls == 1,
	   "an open that fails is not repeated");
}

/* As in a program that was started with some standard streams closed. */
static void
check_closed(int stream)
{
	int saved = fcntl(stream, F_DUPFD_CLOEXEC, 10);

	close(stream);
	int fd = descriptor_open("/dev/null", 0);
	const bool good = fd > STDERR_FILENO && !is_open(stream);
	const int flags = fcntl(fd, F_GETFD);
	close(fd);

	struct rlimit limit, none;
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = STDERR_FILENO + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	errno = 0;
	fd = descriptor_open("/dev/null", 0);
	const int error = errno;
	const bool left = is_open(stream);
	setrlimit(RLIMIT_NOFILE, &limit);

	descriptor_init();
	const int here = descriptor_standard(stream);
	dup2(saved, stream);
	close(saved);
	ok(good && flags == FD_CLOEXEC,
	   "stream %d stays closed when a file is opened", stream);
	/* F_DUPFD with a number beyond the limit is EINVAL. */
	ok(fd == -1 && (error == EINVAL || error == EMFILE) && !left,
	   "no number above stream %d is an error, and leaves nothing open",
	   stream);
	ok(here == -1, "stream %d is known to be closed", stream);
}

int
main(void)
{
	fault_hooks.open = fake_open;
	check_flags();
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		check_closed(stream);
	descriptor_init();
	bool good = true;
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		good = good && descriptor_standard(stream) ==
				       (is_open(stream) ? stream : -1);
	ok(good, "streams that are open are themselves");
	return tap_done();
}
