/* SPDX-License-Identifier: MIT */
/*
 * hanging-open: storage on which one file cannot be opened yet (LD_PRELOAD).
 *
 * An open of the file HANG_NAME waits until two bytes were read from the FIFO
 * HANG_GATE, which somebody holds open.  An open that must not wait fails until then.
 * An open of the file HANG_LAST writes one of these bytes.  What happened is
 * appended to the file HANG_LOG: "hang", or "blind" where the system cannot tell
 * what is cached, and no open hangs.
 */
#include "config.h"

/* openat and openat64 are two functions here. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif
#endif

static atomic_bool is_open;

static long
call(long number, long a, long b, long c, long d)
{
	static long (*real)(long, ...);

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d);
}

static int
open_variable(const char *variable, int flags)
{
	const int fd = (int)call(SYS_openat, AT_FDCWD, (long)getenv(variable),
				 flags | O_CLOEXEC, 0666);

	if (fd < 0)
		abort();
	return fd;
}

static void
write_variable(const char *variable, const char *text)
{
	const int fd = open_variable(variable, O_RDWR | O_APPEND | O_CREAT);

	if (write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

/* Return whether a file can be opened and read only as far as it is cached. */
static bool
can_tell(const char *path)
{
#ifdef SYS_openat2
	const struct open_how how = { .flags = O_PATH,
				      .resolve = RESOLVE_CACHED };
	int fd = (int)call(SYS_openat2, AT_FDCWD, (long)"/", (long)&how,
			   sizeof(how));
	char byte;
	bool can = fd >= 0 || errno == EAGAIN;

	if (fd >= 0)
		close(fd);
	fd = (int)call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
	can &= preadv2(fd, &(struct iovec){ &byte, 1 }, 1, 0, RWF_NOWAIT) >=
		       0 ||
	       errno == EAGAIN;
	close(fd);
	return can;
#else
	(void)path;
	return false;
#endif
}

static void
pass_gate(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!is_open) {
		const int fd = open_variable("HANG_GATE", O_RDWR);
		char byte;

		for (int i = 0; i < 2; i++)
			if (read(fd, &byte, 1) != 1)
				abort();
		close(fd);
	}
	is_open = true;
	pthread_mutex_unlock(&lock);
}

static bool
is_named(const char *path, const char *variable)
{
	const char *name = getenv(variable);

	return name && strcmp(path, name) == 0;
}

/* Return whether this open fails, since it must not wait; errno says so. */
static bool
strike(const char *path, bool waits)
{
	static atomic_flag last_was_met = ATOMIC_FLAG_INIT;

	if (is_named(path, "HANG_LAST") &&
	    !atomic_flag_test_and_set(&last_was_met))
		write_variable("HANG_GATE", "x");
	if (is_open || !is_named(path, "HANG_NAME"))
		return false;
	if (!can_tell(path)) {
		write_variable("HANG_LOG", "blind\n");
		return false;
	}
	write_variable("HANG_LOG", "hang\n");
	if (waits)
		pass_gate();
	errno = EAGAIN;
	return !waits;
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
		strike(path, true);                                            \
		return (int)call(SYS_openat, at, (long)path, flags,            \
				 (long)mode);                                  \
	}
#define AT int at,
DEFINE_OPEN(open, , AT_FDCWD)
DEFINE_OPEN(open64, , AT_FDCWD)
DEFINE_OPEN(openat, AT, at)
DEFINE_OPEN(openat64, AT, at)

/* openat2(2) has no function in the C library. */
long
syscall(long number, ...)
{
	va_list args;
	long a, b, c, d;

	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	va_end(args);
#ifdef SYS_openat2
	if (number == SYS_openat2) {
		const struct open_how *how = (const struct open_how *)c;

		if (strike((const char *)b, !(how->resolve & RESOLVE_CACHED)))
			return -1;
	}
#endif
	return call(number, a, b, c, d);
}
