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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
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
	const int saved = fcntl(stream, F_DUPFD_CLOEXEC, 10);
	char name[32];

	close(stream);
	descriptor_init();
	const int fd = descriptor_open("/dev/null", 0);
	const int flags = fcntl(fd, F_GETFD);
	close(fd);
	snprintf(name, sizeof(name), "/dev/fd/%d", stream);
	const int named = descriptor_open(name, 0), error = errno;
	const int here = descriptor_standard(stream);
	dup2(saved, stream);
	close(saved);
	ok(fd > STDERR_FILENO && flags == FD_CLOEXEC,
	   "where stream %d is closed no file gets its number", stream);
	ok(here == -1 && named == -1 && error == ENOENT,
	   "stream %d is known to be closed, and has no name", stream);
}

/* Below a directory -------------------------------------------------------- */

/* System calls so far. */
static struct {
	unsigned calls, interrupted;
	int openat2_error; /* errno of a refused openat2, or 0 */
	bool careless;	   /* a link could be followed */
} asked;

static bool
is_interrupted(void)
{
	asked.calls++;
	if (!asked.interrupted)
		return false;
	asked.interrupted--;
	errno = EINTR;
	return true;
}

static int
count_openat(int directory, const char *path, int flags, mode_t mode)
{
	asked.careless |= !(flags & O_NOFOLLOW) || strchr(path, '/');
	return is_interrupted() ?
		       -1 :
		       fault_real_openat(directory, path, flags, mode);
}

static long
count_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	const struct open_how *how = (const struct open_how *)c;

	if (number == SYS_openat2) {
		if (asked.openat2_error) {
			errno = asked.openat2_error;
			return -1;
		}
		asked.careless |= how->resolve != RESOLVE_NO_SYMLINKS;
		if (is_interrupted())
			return -1;
	}
#endif
	return fault_real_syscall(number, a, b, c, d, e, f);
}

static int
open_below(int top, const char *path, int flags)
{
	asked.calls = 0;
	return descriptor_open_below(top, path, flags);
}

/* Return true if the file `path` is opened, and nothing else stays open. */
static bool
opens(int top, const char *path, ino_t inode)
{
	const unsigned files = balance_now().files;
	const int fd = open_below(top, path, O_NONBLOCK);
	struct stat st = { .st_ino = 0 };
	bool good;

	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && st.st_ino == inode &&
	       fcntl(fd, F_GETFD) == FD_CLOEXEC &&
	       (fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) ==
		       (O_RDONLY | O_NONBLOCK) &&
	       balance_now().files == files + 1;
	close(fd);
	return good;
}

/* Check paths below a directory, of three entries, each of which takes `calls` system
 * calls. */
static void
check_below(int top, unsigned calls, const char *how)
{
	const unsigned files = balance_now().files;
	struct stat st;

	if (stat("a/bc/d", &st) != 0)
		exit(99);
	ok(opens(top, "a/bc/d", st.st_ino) && asked.calls == calls,
	   "to open a path takes as many calls as it has to %s (%u)", how,
	   calls);
	asked.interrupted = 3;
	ok(opens(top, "a/bc/d", st.st_ino) && asked.calls == calls + 3,
	   "interrupted calls are repeated %s", how);
	ok(open_below(top, "a/bc/none/d", 0) == -1 && errno == ENOENT &&
		   open_below(top, "a/bc/d", O_DIRECTORY) == -1 &&
		   errno == ENOTDIR && balance_now().files == files,
	   "an error leaves nothing open %s", how);
	ok(open_below(top, "link/d", 0) == -1 &&
		   (errno == ELOOP || errno == ENOTDIR) &&
		   open_below(top, "a/link", 0) == -1 && errno == ELOOP,
	   "no link is followed %s", how);
}

/* Return true if a name of more than PATH_MAX bytes is opened past an interruption. */
static bool
opens_long_name(int top, const char *path)
{
	/* The name has the number of a descriptor, as one that was inherited. */
	const int given = dup(top);
	char *name = NULL;
	int fd;

	asked.interrupted = 1;
	if (asprintf(&name, "/proc/self/fd/%d/%s", given, path) < 0)
		exit(99);
	fd = descriptor_open(name, 0);
	free(name);
	close(given);
	close(fd);
	return fd >= 0 && asked.interrupted == 0;
}

/* A path of 3,999 bytes is opened at once, one of 9,899 in few calls. */
static void
check_long(int top, bool at_once)
{
	enum { DEEP = 99, SHORT = 40 };
	char name[100] = "", path[3 * PATH_MAX] = "";
	struct stat st;
	bool good = true;

	memset(name, 'x', 99);
	for (int i = 1; i <= DEEP; i++) {
		if (mkdir(name, 0777) != 0 || chdir(name) != 0 ||
		    stat(".", &st) != 0)
			exit(99);
		strcat(path, name);
		if (i == SHORT || i == DEEP)
			good &= opens(top, path, st.st_ino) &&
				(!at_once ||
				 asked.calls == (i == SHORT ? 1u : 3u));
		strcat(path, "/");
	}
	ok(good, "paths of 3,999 and 9,899 bytes are opened, in few calls");
	/* A name that a user gives may have links. */
	const bool careless = asked.careless;
	ok(opens_long_name(top, path),
	   "a name longer than PATH_MAX is opened past an interruption");
	asked.careless = careless;
	for (int i = 0; i < DEEP; i++)
		if (chdir("..") != 0 || rmdir(name) != 0)
			exit(99);
	memset(path, 'x', PATH_MAX);
	path[PATH_MAX] = '\0';
	ok(open_below(top, path, 0) == -1 && errno == ENAMETOOLONG,
	   "an entry longer than the system takes cannot be opened");
}

static void
test_below(void)
{
	int top, fd;

	scratch_enter();
	scratch_text("a/bc/d", "");
	scratch_link("link", "a/bc");
	scratch_link("a/link", "bc/d");
	top = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fault_hooks.openat = count_openat;
	fault_hooks.syscall = count_syscall;
	fd = open_below(top, "a", 0);
	close(fd);
	/* Containers may forbid openat2. */
	if (asked.calls == 1) {
		check_below(top, 1, "with openat2");
		check_long(top, true);
	} else {
		tap_skip("no openat2");
	}
	asked.openat2_error = EPERM;
	check_below(top, 3, "where openat2 is forbidden");
	asked.openat2_error = ENOSYS;
	check_below(top, 3, "without openat2");
	check_long(top, false);
	ok(!asked.careless, "no call would follow a link");
	close(top);
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
	ok(good, "the descriptor of an open stream is its own");

	test_below();
	return tap_done();
}
