/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif
#endif

/* Written once, before there is a second thread. */
static bool closed[STDERR_FILENO + 1];

void
descriptor_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		closed[fd] = fcntl(fd, F_GETFD) < 0;
		/* It gets this number, the lowest that is free. */
		if (closed[fd])
			socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	}
}

/* Return whether the name, such as /dev/stdin, leads to a standard stream that was
 * closed. */
static bool
is_closed(const char *name)
{
	struct stat named, stream;

	if (stat(name, &named) != 0)
		return false;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (closed[fd] && fstat(fd, &stream) == 0 &&
		    named.st_dev == stream.st_dev &&
		    named.st_ino == stream.st_ino)
			return true;
	return false;
}

/* Return whether the name is that of a descriptor which the program was not started
 * with, such as /dev/fd/5.  All that it opens itself is closed on exec. */
static bool
is_own(const char *name)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const size_t len = strlen(folders[i]);

		if (strncmp(name, folders[i], len) == 0 && name[len] >= '0' &&
		    name[len] <= '9')
			/* -1, for one that is closed, has all bits. */
			return fcntl(atoi(name + len), F_GETFD) & FD_CLOEXEC;
	}
	return false;
}

/* Set the error that a name of a closed stream has: a socket cannot be opened. */
static int
correct_error(int fd, const char *name)
{
	if (fd < 0 && errno == ENXIO)
		errno = is_closed(name) ? ENOENT : ENXIO;
	return fd;
}

void
descriptor_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int
descriptor_standard(int fd)
{
	return closed[fd] ? -1 : fd;
}

unsigned
descriptor_share(unsigned parts, unsigned most)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur / parts < most ?
		       (unsigned)(limit.rlim_cur / parts) :
		       most;
}

/* Names without links, and of any length ----------------------------------- */

/* openat(2), repeated after a signal. */
static int
open_again(int directory, const char *path, int flags)
{
	int fd;

	do
		fd = openat(directory, path, flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Open without following any symbolic link.  Fail with ENOSYS if openat2(2) is not
 * available. */
static int
open_without_links(int directory, const char *path, int flags)
{
#ifdef SYS_openat2
	const struct open_how how = { .flags = (unsigned)flags,
				      .resolve = RESOLVE_NO_SYMLINKS };
	int fd;

	do
		fd = (int)syscall(SYS_openat2, directory, path, &how,
				  sizeof(how));
	while (fd < 0 && errno == EINTR);
	/* Some sandboxes refuse unknown system calls with EPERM. */
	if (fd < 0 && errno == EPERM)
		errno = ENOSYS;
	return fd;
#else
	(void)directory;
	(void)path;
	(void)flags;
	errno = ENOSYS;
	return -1;
#endif
}

/* Return the length of a path's longest leading part that ends at a '/' or at the
 * path's end and has at most `most` bytes; if there is none, of its first entry. */
static size_t
part_length(const char *path, size_t most)
{
	size_t slash = 0;

	for (size_t at = 0; at <= most; at++) {
		if (!path[at])
			return at;
		if (path[at] == '/')
			slash = at;
	}
	return slash > 0 ? slash : strcspn(path, "/");
}

/*
 * Open the longest leading part of a path that fits into PATH_MAX, following
 * symbolic links if `links` is true.  If they cannot be excluded from the whole part,
 * open only the first entry.  *len is the length of the part that was opened.
 */
static int
open_part(int directory, const char *path, size_t *len, int flags, bool links)
{
	const int above = O_PATH | O_DIRECTORY | O_CLOEXEC;
	char part[PATH_MAX];
	int fd;

	*len = part_length(path, PATH_MAX - 1);
	if (*len >= sizeof(part)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(part, path, *len);
	part[*len] = '\0';
	if (links)
		return open_again(directory, *len ? part : "/",
				  path[*len] ? above : flags);
	fd = open_without_links(directory, part, path[*len] ? above : flags);
	if (fd >= 0 || errno != ENOSYS)
		return fd;
	/* O_NOFOLLOW looks only at the last entry, so open one. */
	*len = strcspn(path, "/");
	part[*len] = '\0';
	return open_again(directory, part,
			  (path[*len] ? above : flags) | O_NOFOLLOW);
}

static int
open_parts(int directory, const char *name, int flags, bool links)
{
	int at = directory;

	for (;;) {
		size_t len;
		const int fd = open_part(at, name, &len, flags, links);

		if (at != directory) {
			const int saved = errno;

			close(at);
			errno = saved;
		}
		if (fd < 0 || !name[len])
			return fd;
		at = fd;
		name += len + strspn(name + len, "/");
		if (!*name)
			name = ".";
	}
}

int
descriptor_open_below(int directory, const char *name, int flags)
{
	flags |= O_RDONLY | O_CLOEXEC | O_NOCTTY | O_LARGEFILE;
	return open_parts(directory, name, flags, false);
}

int
descriptor_open_cached(const char *name, int flags)
{
#ifdef SYS_openat2
	static bool is_unsupported;
	const struct open_how how = { .flags = (unsigned)flags | O_RDONLY |
					       O_CLOEXEC | O_NOCTTY |
					       O_LARGEFILE,
				      .resolve = RESOLVE_CACHED };
	int fd;

	if (__atomic_load_n(&is_unsupported, __ATOMIC_RELAXED) || is_own(name))
		return descriptor_open(name, flags);
	fd = (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
	/* Old kernels lack the flag or the call, and sandboxes refuse it. */
	if (fd < 0 && (errno == EINVAL || errno == ENOSYS ||
		       (errno == EPERM && !(flags & O_NOATIME))))
		__atomic_store_n(&is_unsupported, true, __ATOMIC_RELAXED);
	else if (fd >= 0 || (errno != EINTR && errno != ENAMETOOLONG))
		return correct_error(fd, name);
#endif
	return descriptor_open(name, flags);
}

int
descriptor_open(const char *name, int flags)
{
	int fd;

	if (is_own(name)) {
		errno = ENOENT;
		return -1;
	}
	flags |= O_RDONLY | O_CLOEXEC | O_NOCTTY;
	do
		fd = open(name, flags);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 && errno == ENAMETOOLONG && strlen(name) >= PATH_MAX) {
		fd = open_parts(AT_FDCWD, name, flags | O_LARGEFILE, true);
		/* Report what GNU's programs do, which cannot open it. */
		if (fd < 0)
			errno = ENAMETOOLONG;
	}
	return correct_error(fd, name);
}

bool
descriptor_is_on(int fd, const uint32_t *file_systems, size_t n)
{
	struct statfs system;

	if (fstatfs(fd, &system) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((uint32_t)system.f_type == file_systems[i])
			return true;
	return false;
}
