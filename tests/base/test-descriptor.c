/* SPDX-License-Identifier: MIT */
/*
 * Promise: files are opened for reading, past interruptions, never under the
 * number of a standard stream, and are not inherited.  What a walk has found is
 * opened without following any link, in as few calls as the system permits,
 * however long its path is.
 */
#include "config.h"

#include "src/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

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

/* A program may be started with some standard streams closed. */
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

/* Below a directory -------------------------------------------------------- */

enum {
	TOP = 77, /* the number of a directory that is never looked at */
	MOST_CALLS = 200,
	FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_LARGEFILE,
	FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC
};

/* A system that opens whatever it is asked for. */
static struct call {
	bool at_once; /* openat2 */
	bool without_links;
	int directory;
	size_t len; /* of its path */
	unsigned flags;
	int fd; /* what it gave */
} calls[MOST_CALLS];
static unsigned ncalls, interrupted;
static int openat2_error, fails_at = -1, fails_with;
static char whole[3 * PATH_MAX]; /* all paths, with '/' between them */

static int
answer(struct call call, const char *path)
{
	int fd = -1;

	if (interrupted > 0) {
		interrupted--;
		errno = EINTR;
		return -1;
	}
	call.len = strlen(path);
	if (call.at_once && openat2_error) {
		errno = openat2_error;
		return -1;
	}
	if ((int)ncalls == fails_at)
		errno = fails_with;
	else
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	call.fd = fd;
	if (ncalls > 0)
		strcat(whole, "/");
	strcat(whole, path);
	calls[ncalls++] = call;
	return fd;
}

static int
fake_openat(int directory, const char *path, int flags, mode_t mode)
{
	(void)mode;
	return answer((struct call){ .without_links = flags & O_NOFOLLOW,
				     .directory = directory,
				     .flags = (unsigned)flags & ~O_NOFOLLOW },
		      path);
}

static long
fake_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	const int directory = (int)a;
	const char *path = (const char *)b;
	const struct open_how *how = (const struct open_how *)c;
	const size_t size = (size_t)d;

	(void)e;
	(void)f;
	if (number == SYS_openat2 && size == sizeof(*how) && how->mode == 0)
		return answer((struct call){ .at_once = true,
					     .without_links =
						     how->resolve ==
						     RESOLVE_NO_SYMLINKS,
					     .directory = directory,
					     .flags = (unsigned)how->flags },
			      path);
#else
	(void)number;
#endif
	errno = ENOSYS;
	return -1;
}

static int
open_below(const char *path, int flags)
{
	ncalls = 0;
	whole[0] = '\0';
	return descriptor_open_below(TOP, path, flags);
}

/* Each part below the one before, which is closed; no link is followed. */
static bool
calls_are_chained(bool at_once, unsigned flags)
{
	bool good = ncalls > 0;

	for (unsigned i = 0; i < ncalls; i++) {
		const bool last = i + 1 == ncalls;

		good &= calls[i].at_once == at_once && calls[i].without_links &&
			calls[i].directory ==
				(i == 0 ? TOP : calls[i - 1].fd) &&
			calls[i].flags == (last ? flags : FOLDER_FLAGS);
	}
	return good;
}

static void
test_at_once(void)
{
	int fd = open_below("a/b/c", O_NONBLOCK);

	ok(fd >= 0 && ncalls == 1 &&
		   calls_are_chained(true, FLAGS | O_NONBLOCK),
	   "a path is opened at once");
	is(whole, "a/b/c", "the path is passed on as it is");
	close(fd);

	interrupted = 3;
	fd = open_below("a", 0);
	ok(fd >= 0 && ncalls == 1, "an interrupted open is repeated");
	close(fd);

	fails_at = 0;
	fails_with = ELOOP;
	fd = open_below("a/b", 0);
	ok(fd == -1 && errno == ELOOP && ncalls == 1,
	   "an error of the open is final");
	fails_at = -1;
}

/* A system without openat2, or one that forbids it. */
static void
test_by_entries(int error)
{
	openat2_error = error;
	int fd = open_below("a/bc/d", O_DIRECTORY);

	ok(fd >= 0 && ncalls == 3 && fd == calls[2].fd &&
		   calls_are_chained(false, FLAGS | O_DIRECTORY),
	   "without openat2 a path is opened entry by entry (%s)",
	   strerror(error));
	is(whole, "a/bc/d", "the entries that are opened make up the path");
	ok(is_open(fd), "only the last entry stays open");
	close(fd);
	interrupted = 3;
	fd = open_below("a", 0);
	ok(fd >= 0 && ncalls == 1 && calls_are_chained(false, FLAGS),
	   "an interrupted open is repeated");
	close(fd);

	fails_at = 2;
	fails_with = ENOENT;
	fd = open_below("a/b/c/d", 0);
	ok(fd == -1 && errno == ENOENT && ncalls == 3 &&
		   !is_open(calls[0].fd) && !is_open(calls[1].fd),
	   "an error closes all entries that were opened");
	fails_at = -1;
	openat2_error = 0;
}

/* Is a path of this length opened in parts that the system takes? */
static bool
opens_long(const char *path)
{
	const int fd = open_below(path, 0);
	bool good = fd >= 0 && calls_are_chained(true, FLAGS) &&
		    strcmp(whole, path) == 0;

	for (unsigned i = 0; i < ncalls; i++)
		good &= calls[i].len < PATH_MAX &&
			(!is_open(calls[i].fd) || calls[i].fd == fd);
	close(fd);
	return good;
}

static void
test_long(void)
{
	static char path[3 * PATH_MAX];
	bool good;
	int fd;

	memset(path, 'x', sizeof(path));
	for (size_t at = 99; at < 10000; at += 100)
		path[at] = '/';
	path[10000 - 1] = '\0';
	ok(opens_long(path) && ncalls == 3,
	   "a long path is opened in few parts, whose directories are closed");

	/* Paths around the longest part, and entries that are as long. */
	good = true;
	for (size_t len = PATH_MAX - 2; len <= PATH_MAX + 2; len++) {
		memset(path, 'x', sizeof(path));
		path[1] = path[100] = '/';
		path[len] = '\0';
		good &= opens_long(path) && ncalls == (len < PATH_MAX ? 1 : 2);
	}
	memset(path, 'x', sizeof(path));
	path[PATH_MAX - 1] = '/';
	path[PATH_MAX + 1] = '\0';
	ok(good && opens_long(path) && ncalls == 2,
	   "parts end where entries do, as long as the system takes");
	path[PATH_MAX - 1] = 'x';
	path[PATH_MAX] = '/';
	path[PATH_MAX + 2] = '\0';
	fd = open_below(path, 0);
	ok(fd == -1 && errno == ENAMETOOLONG && ncalls == 0,
	   "an entry longer than a part cannot be opened");
}

/* A number of a standard stream that is closed is not taken. */
static void
test_standard(void)
{
	const int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	int fd;

	close(STDIN_FILENO);
	fd = open_below("a", 0);
	ok(fd > STDERR_FILENO && !is_open(STDIN_FILENO),
	   "what is opened is no standard stream");
	close(fd);
	dup2(saved, STDIN_FILENO);
	close(saved);
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

	fault_hooks.openat = fake_openat;
	fault_hooks.syscall = fake_syscall;
#ifdef SYS_openat2
	test_at_once();
	test_by_entries(ENOSYS);
	test_by_entries(EPERM);
	test_long();
#else
	test_by_entries(ENOSYS);
#endif
	test_standard();
	return tap_done();
}
