/* SPDX-License-Identifier: MIT */
/*
 * slow-storage: a model of storage far away, to be preloaded (LD_PRELOAD).
 *
 * Below the directory LATENCY_BELOW each open and each read of a file or a
 * directory takes LATENCY_US microseconds more; any number runs at a time, as
 * with a file server.  Nothing is known of the page cache.
 */
#include "config.h"

/* openat and openat64 are two functions here. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *below;
static struct timespec latency;

static long
call(long number, long a, long b, long c, long d)
{
	static long (*real)(long, ...);

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d);
}

__attribute__((constructor)) static void
begin(void)
{
	const char *us = getenv("LATENCY_US");
	const long value = us ? atol(us) : 0;

	below = getenv("LATENCY_BELOW");
	latency = (struct timespec){ .tv_sec = value / 1000000,
				     .tv_nsec = value % 1000000 * 1000 };
}

/* A file or directory that is below takes longer. */
static void
travel(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = below ? readlink(link, path, sizeof(path) - 1) : 0;
	path[len > 0 ? len : 0] = '\0';
	if (len > 0 && strncmp(path, below, strlen(below)) == 0)
		nanosleep(&latency, NULL);
}

ssize_t
read(int fd, void *to, size_t bytes)
{
	travel(fd);
	return call(SYS_read, fd, (long)to, (long)bytes, 0);
}

ssize_t
pread64(int fd, void *to, size_t bytes, off64_t at)
{
	travel(fd);
	return preadv64(fd, &(struct iovec){ to, bytes }, 1, at);
}

ssize_t
pread(int fd, void *to, size_t bytes, off_t at)
{
	return pread64(fd, to, bytes, at);
}

/* Under both names that the C library has for it. */
ssize_t
preadv64v2(int fd, const struct iovec *to, int n, off64_t at, int flags)
{
	(void)fd;
	(void)to;
	(void)n;
	(void)at;
	(void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

ssize_t
preadv2(int fd, const struct iovec *to, int n, off_t offset, int flags)
{
	return preadv64v2(fd, to, n, offset, flags);
}

static long
note_open(long fd)
{
	if (fd >= 0)
		travel((int)fd);
	return fd;
}

#define DEFINE_OPEN(name, parameter, at)                                       \
	int name(parameter const char *path, int flags, ...)                   \
	{                                                                      \
		va_list args;                                                  \
		mode_t mode;                                                   \
                                                                               \
		va_start(args, flags);                                         \
		mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;             \
		va_end(args);                                                  \
		return (int)note_open(                                         \
			call(SYS_openat, at, (long)path, flags, (long)mode));  \
	}
#define AT int at,
DEFINE_OPEN(open, , AT_FDCWD)
DEFINE_OPEN(open64, , AT_FDCWD)
DEFINE_OPEN(openat, AT, at)
DEFINE_OPEN(openat64, AT, at)

/* coreutils read streams, whose system calls cannot be intercepted.  A stream
 * that is read in order has 128 KiB read ahead. */
typedef FILE *
open_stream(const char *, const char *);
typedef size_t
read_stream(void *, size_t, size_t, FILE *);

FILE *
fopen(const char *path, const char *mode)
{
	open_stream *real = (open_stream *)dlsym(RTLD_NEXT, "fopen");
	FILE *stream = real(path, mode);

	if (stream)
		note_open(fileno(stream));
	return stream;
}

#undef fread_unlocked
size_t
fread_unlocked(void *to, size_t size, size_t n, FILE *stream)
{
	read_stream *real = (read_stream *)dlsym(RTLD_NEXT, "fread_unlocked");

	if (ftello(stream) % (128 << 10) == 0)
		travel(fileno(stream));
	return real(to, size, n, stream);
}

/* openat2(2) has no function in the C library. */
long
syscall(long number, ...)
{
	va_list args;
	long a, b, c, d, result;

	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	va_end(args);
	result = call(number, a, b, c, d);
#ifdef SYS_openat2
	if (number == SYS_openat2)
		return note_open(result);
#endif
	return result;
}
