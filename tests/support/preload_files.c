/* SPDX-License-Identifier: MIT */
/*
 * preload_files: the rules of preload.c about files: reads, writes, opens, links.
 */
#include "config.h"

#include "tests/support/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/fault.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

enum { PATH_BYTES = 4096 };

/* Count a change of a file.  Return true if it is the last one. */
static bool
is_last_change(void)
{
	return count(ON_kill) == rules[ON_kill].number[0];
}

static void
count_change(void)
{
	if (is_last_change())
		kill(getpid(), SIGKILL);
}

/* Get the path of a descriptor.  Return an empty string if it has none. */
static const char *
path_of(int fd, char path[PATH_BYTES])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_BYTES - 1);
	path[n > 0 ? n : 0] = '\0';
	return path;
}

/* Wait as for storage that is far away, if the file is there. */
static void
travel(int fd)
{
	const char *below = getenv("FAULTS_BELOW");
	const unsigned long us = rules[ON_slow].number[0];
	const struct timespec latency = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000 * 1000),
	};
	char path[PATH_BYTES];

	if (!rules[ON_slow].is_set || !below || fd < 0 ||
	    strncmp(path_of(fd, path), below, strlen(below)) != 0)
		return;
	log_line("slow", "-", us);
	nanosleep(&latency, NULL);
}

/* --- Reading and writing --------------------------------------------------------- */

/* Return true if this is the file of the read rule. */
static bool
is_named(int fd)
{
	const char *name = rules[ON_read].field[0], *slash;
	const size_t len = strlen(name);
	char path[PATH_BYTES];

	if (len == 0)
		return false;
	slash = strrchr(path_of(fd, path), '/');
	return slash && strncmp(slash + 1, name, len) == 0 &&
	       (!slash[1 + len] || strcmp(slash + 1 + len, " (deleted)") == 0);
}

/* Do what the read rule says.  Return false if the read fails, with errno set. */
static bool
strike_read(void)
{
	const unsigned long nth = count(ON_read), at = rules[ON_read].number[1];
	const char *name = rules[ON_read].field[0];
	const char *action = rules[ON_read].field[2];

	if (strcmp(action, "eio") == 0 && nth >= at) {
		log_line("eio", name, nth);
		errno = EIO;
		return false;
	}
	if (nth == at || (strcmp(action, "runs") == 0 && nth > at)) {
		log_line("run", name, nth);
		run_command();
	}
	return true;
}

/* Choose the length of a read: half of them very short, half of any length. */
static size_t
shorten(size_t bytes)
{
	unsigned long x =
		atomic_fetch_add(&rules[ON_short].count, 0x9e3779b9UL);

	x = (x ^ (x >> 15)) * 0x2c1b3c6dUL & 0xffffffffUL;
	x ^= x >> 12;
	return bytes <= 1 ? bytes : 1 + (x >> 1) % (x & 1 ? bytes : 7);
}

static bool
is_interrupted(void)
{
	unsigned long nth;

	if (rules[ON_eintr].number[0] == 0)
		return false;
	nth = count(ON_eintr);
	if (nth % rules[ON_eintr].number[0] != 0)
		return false;
	log_line("eintr", "-", nth);
	errno = EINTR;
	return true;
}

/* Read, or read at an offset that is not negative. */
static ssize_t
read_at(int fd, void *to, size_t n, off_t at)
{
	static _Atomic unsigned long bytes;
	bool named;
	ssize_t got;

	if (is_interrupted())
		return -1;
	named = is_named(fd);
	if (named && !strike_read())
		return -1;
	travel(fd);
	if (rules[ON_short].is_set)
		n = shorten(n);
	got = at < 0 ? fault_real_read(fd, to, n) :
		       fault_real_pread(fd, to, n, at);
	if (named && got >= 0) {
		bytes += (unsigned long)got;
		log_line("bytes", rules[ON_read].field[0], bytes);
	}
	return got;
}

static ssize_t
read_ruled(int fd, void *to, size_t n)
{
	return read_at(fd, to, n, -1);
}

/* Fail like a file system without RWF_NOWAIT, so that the program uses read. */
static ssize_t
refuse_preadv2(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	(void)fd, (void)to, (void)n, (void)at, (void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

static ssize_t
write_ruled(int fd, const void *from, size_t n)
{
	const unsigned long limit = rules[ON_enospc].number[0];
	const unsigned long written = rules[ON_enospc].count;
	ssize_t put;

	if (is_interrupted())
		return -1;
	if (is_last_change()) {
		put = fault_real_write(fd, from, n / 2);
		kill(getpid(), SIGKILL);
	}
	if (rules[ON_halves].is_set && n > 1)
		n /= 2;
	if (rules[ON_enospc].is_set && fd == STDOUT_FILENO) {
		if (written >= limit) {
			log_line("enospc", "-", written);
			errno = ENOSPC;
			return -1;
		}
		n = n > limit - written ? limit - written : n;
	}
	put = fault_real_write(fd, from, n);
	if (put > 0 && fd == STDOUT_FILENO)
		rules[ON_enospc].count += (unsigned long)put;
	return put;
}

/* coreutils read streams, whose system calls cannot be intercepted.  A stream
 * that is read in order has 128 KiB read ahead. */
#undef fread_unlocked
size_t
fread_unlocked(void *to, size_t size, size_t n, FILE *stream)
{
	static size_t (*real)(void *, size_t, size_t, FILE *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fread_unlocked");
	if (ftello(stream) % (128 << 10) == 0)
		travel(fileno(stream));
	return real(to, size, n, stream);
}

/* --- Opening ------------------------------------------------------------ */

/* Return true with errno set if this open is to fail. */
static bool
is_missing(void)
{
	const unsigned long *number = rules[ON_opens].number;
	const unsigned long nth = rules[ON_opens].is_set ? count(ON_opens) : 0;

	if (nth == 0 || nth < number[0] || (number[2] > 0 && nth > number[2]))
		return false;
	if (nth == number[0])
		log_line("opens", "-", nth);
	errno = (int)number[1];
	return true;
}

static int
open_gate(void)
{
	const int fd =
		fault_real_open(getenv("FAULTS_GATE"), O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		abort();
	return fd;
}

/* Return whether a file can be opened and read only as far as it is cached. */
static bool
can_tell(const char *path)
{
#ifdef SYS_openat2
	const struct open_how how = { .flags = O_PATH,
				      .resolve = RESOLVE_CACHED };
	int fd = (int)fault_real_syscall(SYS_openat2, AT_FDCWD,
					 (long)(uintptr_t) "/",
					 (long)(uintptr_t)&how, sizeof(how), 0,
					 0);
	bool can = fd >= 0 || errno == EAGAIN;
	char byte;

	if (fd >= 0)
		fault_real_close(fd);
	fd = fault_real_open(path, O_RDONLY | O_CLOEXEC, 0);
	can &= fault_real_preadv2(fd, &(struct iovec){ &byte, 1 }, 1, 0,
				  RWF_NOWAIT) >= 0 ||
	       errno == EAGAIN;
	fault_real_close(fd);
	return can;
#else
	(void)path;
	return false;
#endif
}

/* Do what the hang rule says.  Return true with errno set if this open fails, since
 * it must not wait. */
static bool
is_late(const char *path, bool waits)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static _Atomic bool is_open, last_was_met;
	bool opened = true;
	char byte;
	int gate;

	if (strcmp(path, rules[ON_hang].field[1]) == 0 &&
	    !atomic_exchange(&last_was_met, true)) {
		gate = open_gate();
		opened = fault_real_write(gate, "x", 1) == 1;
		fault_real_close(gate);
	}
	if (is_open || strcmp(path, rules[ON_hang].field[0]) != 0)
		return false;
	if (!can_tell(path)) {
		log_line("blind", "-", 0);
		return false;
	}
	log_line("hang", "-", waits);
	errno = EAGAIN;
	if (!waits)
		return true;
	pthread_mutex_lock(&lock);
	gate = open_gate();
	for (int i = 0; i < 2 && !is_open && opened; i++)
		opened = fault_real_read(gate, &byte, 1) == 1;
	fault_real_close(gate);
	if (!opened)
		abort();
	is_open = true;
	pthread_mutex_unlock(&lock);
	return false;
}

/* Open by the next function of this name, possibly a virtual board's. */
static int
open_ruled(const char *path, int flags, mode_t mode)
{
	int fd = -1;

	if (flags & O_CREAT)
		count_change();
	if (!is_missing() && !is_late(path, true))
		fd = fault_real_open(path, flags, mode);
	travel(fd);
	return fd;
}

static int
openat_ruled(int at, const char *path, int flags, mode_t mode)
{
	int fd = -1;

	if (flags & O_CREAT)
		count_change();
	if (!is_missing() && !is_late(path, true))
		fd = fault_real_openat(at, path, flags, mode);
	travel(fd);
	return fd;
}

static FILE *
fopen_ruled(const char *path, const char *mode)
{
	FILE *stream = fault_real_fopen(path, mode);

	if (stream)
		travel(fileno(stream));
	return stream;
}

/* openat2 has no function of its own. */
static long
syscall_ruled(long n, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	const struct open_how *how = (const struct open_how *)(uintptr_t)c;
	long fd = -1;

	if (n == SYS_openat2) {
		if (!is_missing() && !is_late((const char *)(uintptr_t)b,
					      !(how->resolve & RESOLVE_CACHED)))
			fd = fault_real_syscall(n, a, b, c, d, e, f);
		travel((int)fd);
		return fd;
	}
#endif
	return fault_real_syscall(n, a, b, c, d, e, f);
}

/* --- File systems -------------------------------------------------------- */

/* Log that a call failed, and set errno. */
static int
fail_plainly(int error)
{
	log_line("plain", "-", (unsigned long)error);
	errno = error;
	return -1;
}

static int
flock_plainly(int fd, int operation)
{
	(void)fd, (void)operation;
	return fail_plainly(ENOLCK);
}

static int
fchmod_plainly(int fd, mode_t mode)
{
	(void)fd, (void)mode;
	return fail_plainly(EPERM);
}

static int
link_ruled(const char *from, const char *to)
{
	count_change();
	return rules[ON_plain].is_set ? fail_plainly(EPERM) :
					fault_real_link(from, to);
}

static int
rename_ruled(const char *from, const char *to)
{
	count_change();
	return fault_real_rename(from, to);
}

static int
unlink_ruled(const char *name)
{
	count_change();
	return fault_real_unlink(name);
}

static int
fsync_ruled(int fd)
{
	count_change();
	return fault_real_fsync(fd);
}

static int
advise_ruled(int fd, off_t at, off_t n, int advice)
{
	(void)fd, (void)at;
	if (advice == POSIX_FADV_DONTNEED)
		log_line("dropped", "-", (unsigned long)n);
	return 0;
}

void
hook_files(void)
{
	const bool counts = rules[ON_total].is_set || rules[ON_hang].is_set;

	fault_hooks.read = read_ruled;
	fault_hooks.pread = read_at;
	fault_hooks.preadv2 = counts ? NULL : refuse_preadv2;
	fault_hooks.write = write_ruled;
	fault_hooks.open = open_ruled;
	fault_hooks.openat = openat_ruled;
	fault_hooks.fopen = fopen_ruled;
	fault_hooks.syscall = syscall_ruled;
	fault_hooks.posix_fadvise = advise_ruled;
	if (rules[ON_plain].is_set) {
		fault_hooks.flock = flock_plainly;
		fault_hooks.fchmod = fchmod_plainly;
	}
	fault_hooks.link = link_ruled;
	fault_hooks.rename = rename_ruled;
	fault_hooks.unlink = unlink_ruled;
	fault_hooks.fsync = fsync_ruled;
}
