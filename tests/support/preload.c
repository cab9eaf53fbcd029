/* SPDX-License-Identifier: MIT */
/*
 * preload: faults on order, for suites in bats (LD_PRELOAD).
 *
 * The environment variable FAULTS holds rules, separated by blanks:
 *
 *	read:NAME:N:eio		reads of the file NAME (without its directories)
 *				fail with EIO from the Nth on
 *	read:NAME:N:run		before the Nth the shell runs FAULTS_COMMAND
 *	read:NAME:N:runs	the same, and before all that follow
 *	short:SEED		reads return as few bytes as it pleases
 *	eintr:N			every Nth read or write fails with EINTR first
 *	halves			writes take half of what they get
 *	still			the monotonic clock stands still
 *	enospc:LEN		writes to stdout fail after LEN bytes
 *	threads:N		pthread_create fails after N successes
 *	memory:LEN		allocations above LEN bytes fail
 *	calls:N			allocations fail after N of them
 *	opens:N:ERRNO:LAST	the Nth to the last open fail with this error, a
 *				number; LAST is 0 for all that follow
 *	nonblock:FD		this descriptor does not block, from the start
 *	clock:N			the monotonic clock goes on by N ms whenever it
 *				is read
 *	peak			at the end the log has "peak - LEN", the most KiB of
 *				memory that the program had (0 if unknown)
 *	plain			as on a file system without locks, links and modes:
 *				flock, link and fchmod fail
 *	kill:N			SIGKILL comes before the Nth change of a file: a file
 *				created, written, synchronized, linked, renamed,
 *				removed; of a write half is done
 *	ioctl:N:SIGNAL		before the Nth ioctl this signal (a number) is sent
 *	ioctl:N:run		before it the shell runs FAULTS_COMMAND
 *
 * What happened is appended to the file FAULTS_LOG, a line each: the name of
 * a rule's kind when it strikes, and "bytes NAME TOTAL" after every read of
 * a file that a rule names; "dropped - LEN" when pages of a file should leave
 * the page cache (LEN bytes, or 0 for all), which they do not.  Only what the program
 * calls itself is seen; the C library's own calls are not.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The kinds of rules that have at most one number, by their names. */
enum kind {
	SHORT,
	INTERRUPT,
	HALVES,
	STILL,
	ENOSPC_AT,
	THREADS,
	MEMORY,
	CALLS,
	NONBLOCK,
	CLOCK,
	IOCTL,
	OPENS,
	PEAK,
	PLAIN,
	KILL,
	KINDS
};

static const char *const kind_names[KINDS] = { "short",	 "eintr",  "halves",
					       "still",	 "enospc", "threads",
					       "memory", "calls",  "nonblock",
					       "clock",	 "ioctl",  "opens",
					       "peak",	 "plain",  "kill" };

static struct {
	bool is_set;
	unsigned long number;
} rules[KINDS];
static unsigned long ioctl_signal; /* 0 to run the command */
static struct {
	unsigned long error, last;
} open_rule;

/* The rule about a file. */
static struct {
	char name[64];
	unsigned long at;
	bool fails; /* or else there is a command */
	bool repeats;
} read_rule;

static atomic_ulong reads_of_name, bytes_of_name, transfers, random_state;
static atomic_ulong written, threads_made, allocations, clock_ms, ioctls;
static atomic_ulong opens, changes;
static atomic_bool ready;

/* --- Rules ------------------------------------------------------------- */

static void
log_line(const char *kind, const char *name, unsigned long number)
{
	const char *file = getenv("FAULTS_LOG");
	char line[128];
	int fd, len;

	if (!file)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, file,
			  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	len = snprintf(line, sizeof(line), "%s %s %lu\n", kind, name, number);
	if (len > 0)
		syscall(SYS_write, fd, line, (size_t)len);
	close(fd);
}

static void
take_read_rule(const char *rule)
{
	char action[8] = "";

	if (sscanf(rule, "%63[^:]:%lu:%7s", read_rule.name, &read_rule.at,
		   action) != 3)
		abort();
	read_rule.fails = strcmp(action, "eio") == 0;
	read_rule.repeats = strcmp(action, "runs") == 0;
}

static void
take_rule(const char *rule)
{
	unsigned long number = 0;
	char name[16] = "";
	int kind = 0;

	if (strncmp(rule, "read:", 5) == 0) {
		take_read_rule(rule + 5);
		return;
	}
	if (strncmp(rule, "opens:", 6) == 0)
		sscanf(rule, "%15[^:]:%lu:%lu:%lu", name, &number,
		       &open_rule.error, &open_rule.last);
	else
		sscanf(rule, "%15[^:]:%lu:%lu", name, &number, &ioctl_signal);
	while (kind < KINDS && strcmp(name, kind_names[kind]) != 0)
		kind++;
	if (kind == KINDS)
		abort();
	rules[kind].is_set = true;
	rules[kind].number = number;
	if (kind == SHORT)
		random_state = number;
	if (kind == NONBLOCK &&
	    fcntl((int)number, F_SETFL,
		  fcntl((int)number, F_GETFL) | O_NONBLOCK) != 0)
		abort();
}

__attribute__((constructor)) static void
take_rules(void)
{
	const char *all = getenv("FAULTS");
	char copy[1024], *rest = copy, *rule;

	if (!all)
		return;
	snprintf(copy, sizeof(copy), "%s", all);
	while ((rule = strtok_r(rest, " ", &rest)))
		take_rule(rule);
	ready = true;
}

/* --- Killing ------------------------------------------------------------ */

/* Return true if this change of a file is the last one. */
static bool
is_last_change(void)
{
	return ready && rules[KILL].is_set &&
	       atomic_fetch_add(&changes, 1) + 1 == rules[KILL].number;
}

static void
count_change(void)
{
	if (is_last_change())
		kill(getpid(), SIGKILL);
}

/* --- Reading ------------------------------------------------------------ */

/* Whatever signals the program blocks just now, the command does not. */
static void
run_command(void)
{
	const char *command = getenv("FAULTS_COMMAND");
	sigset_t none;
	pid_t child;

	unsetenv("FAULTS");
	sigemptyset(&none);
	child = command ? fork() : -1;
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &none, NULL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		abort();
}

/* Return true if this is the file of the read rule. */
static bool
is_named(int fd)
{
	const size_t len = strlen(read_rule.name);
	char link[64], path[PATH_BYTES];
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = len > 0 ? readlink(link, path, sizeof(path) - 1) : -1;
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	return slash && strncmp(slash + 1, read_rule.name, len) == 0 &&
	       (!slash[1 + len] || strcmp(slash + 1 + len, " (deleted)") == 0);
}

/* Does what the read rule says; false: the read fails, errno says why. */
static bool
strike(void)
{
	unsigned long nth = atomic_fetch_add(&reads_of_name, 1) + 1;

	if (read_rule.fails && nth >= read_rule.at) {
		log_line("eio", read_rule.name, nth);
		errno = EIO;
		return false;
	}
	if (nth == read_rule.at || (read_rule.repeats && nth > read_rule.at)) {
		log_line("run", read_rule.name, nth);
		run_command();
	}
	return true;
}

static size_t
shorten(size_t bytes)
{
	unsigned long x = atomic_fetch_add(&random_state, 0x9e3779b9UL);

	x = (x ^ (x >> 15)) * 0x2c1b3c6dUL & 0xffffffffUL;
	x ^= x >> 12;
	/* Half of the reads very short, half of any length. */
	return bytes <= 1 ? bytes : 1 + (x >> 1) % (x & 1 ? bytes : 7);
}

static bool
interrupted(void)
{
	unsigned long nth = atomic_fetch_add(&transfers, 1) + 1;

	if (!rules[INTERRUPT].number || nth % rules[INTERRUPT].number != 0)
		return false;
	log_line("eintr", "-", nth);
	errno = EINTR;
	return true;
}

static ssize_t
real_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	ssize_t (*next)(int, void *, size_t, off_t);

	*(void **)&next = dlsym(
		RTLD_NEXT, sizeof(offset) > sizeof(long) ? "pread64" : "pread");
	return next(fd, buffer, bytes, offset);
}

/* read(2), or pread(2) at an offset that is not negative. */
static ssize_t
read_at(int fd, void *buffer, size_t bytes, off_t offset)
{
	bool named;
	ssize_t got;

	if (interrupted())
		return -1;
	named = is_named(fd);
	if (named && !strike())
		return -1;
	if (rules[SHORT].is_set)
		bytes = shorten(bytes);
	got = offset < 0 ? syscall(SYS_read, fd, buffer, bytes) :
			   real_pread(fd, buffer, bytes, offset);
	if (named && got >= 0) {
		atomic_fetch_add(&bytes_of_name, (unsigned long)got);
		log_line("bytes", read_rule.name, bytes_of_name);
	}
	return got;
}

ssize_t
read(int fd, void *buffer, size_t bytes)
{
	return read_at(fd, buffer, bytes, -1);
}

ssize_t
pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	return read_at(fd, buffer, bytes, offset);
}

/* Fail like a file system without RWF_NOWAIT, so that the program uses read.
 * The C library has this function under two names. */
struct iovec;
ssize_t
preadv2(int fd, const struct iovec *to, int n, off_t offset, int flags);
ssize_t
preadv64v2(int fd, const struct iovec *to, int n, off_t offset, int flags);

ssize_t
preadv64v2(int fd, const struct iovec *to, int n, off_t offset, int flags)
{
	(void)fd;
	(void)to;
	(void)n;
	(void)offset;
	(void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

ssize_t
preadv2(int fd, const struct iovec *to, int n, off_t offset, int flags)
{
	return preadv64v2(fd, to, n, offset, flags);
}

/* --- Opening ------------------------------------------------------------ */

/* Count an open.  Return true with errno set if it is to fail. */
static bool
open_fails(void)
{
	const unsigned long nth = ready && rules[OPENS].is_set ?
					  atomic_fetch_add(&opens, 1) + 1 :
					  0;

	if (nth < rules[OPENS].number || nth == 0 ||
	    (open_rule.last > 0 && nth > open_rule.last))
		return false;
	if (nth == rules[OPENS].number)
		log_line("opens", "-", nth);
	errno = (int)open_rule.error;
	return true;
}

/* Open by the next function of this name, possibly a virtual board's. */
#define OPEN_FUNCTION(name, parameters, arguments)                             \
	int name parameters                                                    \
	{                                                                      \
		static int(*real) parameters;                                  \
		va_list args;                                                  \
		mode_t mode = 0;                                               \
                                                                               \
		va_start(args, flags);                                         \
		if (flags & O_CREAT)                                           \
			mode = va_arg(args, mode_t);                           \
		va_end(args);                                                  \
		if (!real)                                                     \
			*(void **)&real = dlsym(RTLD_NEXT, #name);             \
		if (flags & O_CREAT)                                           \
			count_change();                                        \
		return open_fails() ? -1 : real arguments;                     \
	}
OPEN_FUNCTION(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN_FUNCTION(openat, (int at, const char *path, int flags, ...),
	      (at, path, flags, mode))
/* With files of 64 bits on systems of 32 these are the names of those above. */
#ifndef __USE_FILE_OFFSET64
OPEN_FUNCTION(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN_FUNCTION(openat64, (int at, const char *path, int flags, ...),
	      (at, path, flags, mode))
#endif

/* openat2 has no function of its own. */
long
syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
#ifdef SYS_openat2
	if (number == SYS_openat2 && open_fails())
		return -1;
#endif
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- Writing ------------------------------------------------------------ */

ssize_t
write(int fd, const void *buffer, size_t bytes)
{
	ssize_t put;

	if (interrupted())
		return -1;
	if (is_last_change()) {
		put = syscall(SYS_write, fd, buffer, bytes / 2);
		kill(getpid(), SIGKILL);
	}
	if (rules[HALVES].is_set && bytes > 1)
		bytes /= 2;
	if (rules[ENOSPC_AT].is_set && fd == STDOUT_FILENO) {
		if (written >= rules[ENOSPC_AT].number) {
			log_line("enospc", "-", written);
			errno = ENOSPC;
			return -1;
		}
		if (bytes > rules[ENOSPC_AT].number - written)
			bytes = rules[ENOSPC_AT].number - written;
	}
	put = syscall(SYS_write, fd, buffer, bytes);
	if (put > 0 && fd == STDOUT_FILENO)
		written += (unsigned long)put;
	return put;
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

int
flock(int fd, int operation)
{
	return rules[PLAIN].is_set ? fail_plainly(ENOLCK) :
				     (int)syscall(SYS_flock, fd, operation);
}

int
fchmod(int fd, mode_t mode)
{
	return rules[PLAIN].is_set ? fail_plainly(EPERM) :
				     (int)syscall(SYS_fchmod, fd, mode);
}

int
link(const char *from, const char *to)
{
	count_change();
	return rules[PLAIN].is_set ? fail_plainly(EPERM) :
				     (int)syscall(SYS_linkat, AT_FDCWD, from,
						  AT_FDCWD, to, 0);
}

int
rename(const char *from, const char *to)
{
	count_change();
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
unlink(const char *name)
{
	count_change();
	return (int)syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}

int
fsync(int fd)
{
	count_change();
	return (int)syscall(SYS_fsync, fd);
}

/* --- Time ----------------------------------------------------------------- */

#if defined SYS_clock_gettime64 && defined __USE_TIME_BITS64
enum { GET_TIME = SYS_clock_gettime64 };
#else
enum { GET_TIME = SYS_clock_gettime };
#endif

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	unsigned long ms;

	if ((!rules[CLOCK].is_set && !rules[STILL].is_set) ||
	    clock == CLOCK_REALTIME)
		return (int)syscall(GET_TIME, clock, now);
	ms = atomic_fetch_add(&clock_ms, rules[CLOCK].number);
	if (ms == 0)
		log_line("clock", "-", rules[CLOCK].number);
	now->tv_sec = (time_t)(ms / 1000);
	now->tv_nsec = (long)(ms % 1000 * 1000000);
	return 0;
}

/* --- Requests to devices ------------------------------------------------ */

/* sys/ioctl.h has it with an int in some C libraries. */
int
ioctl(int fd, unsigned long request, ...);

int
ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, void *);
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ioctl");
	if (ready && rules[IOCTL].is_set &&
	    atomic_fetch_add(&ioctls, 1) + 1 == rules[IOCTL].number) {
		log_line("ioctl", "-", rules[IOCTL].number);
		if (ioctl_signal > 0)
			kill(getpid(), (int)ioctl_signal);
		else
			run_command();
	}
	return real(fd, request, argument);
}

/* Its name in programs of 32 bits with times of 64. */
int
__ioctl_time64(int fd, unsigned long request, ...)
	__attribute__((alias("ioctl")));

/* --- Threads -------------------------------------------------------------- */

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
	       void *(*start)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *);

	if (rules[THREADS].is_set && threads_made >= rules[THREADS].number) {
		log_line("threads", "-", threads_made);
		return EAGAIN;
	}
	threads_made++;
	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	return next(thread, attributes, start, argument);
}

/* --- The page cache --------------------------------------------------------- */

int
posix_fadvise(int fd, off_t offset, off_t n, int advice)
{
	(void)fd, (void)offset;
	if (advice == POSIX_FADV_DONTNEED)
		log_line("dropped", "-", (unsigned long)n);
	return 0;
}

/* --- What was used ----------------------------------------------------------- */

/* Log the peak from /proc; getrusage would include the calling program's. */
__attribute__((destructor)) static void
log_peak(void)
{
	char status[4096] = "";
	const char *line;
	int fd;

	if (!rules[PEAK].is_set)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY);
	syscall(SYS_read, fd, status, sizeof(status) - 1);
	close(fd);
	line = strstr(status, "VmHWM:");
	log_line("peak", "-", line ? strtoul(line + 6, NULL, 10) : 0);
}

/* --- Memory --------------------------------------------------------------- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *
__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool
memory_is_short(size_t bytes)
{
	if (!ready)
		return false;
	if (!(rules[MEMORY].is_set && bytes > rules[MEMORY].number) &&
	    !(rules[CALLS].is_set &&
	      atomic_fetch_add(&allocations, 1) >= rules[CALLS].number))
		return false;
	log_line(rules[MEMORY].is_set ? "memory" : "calls", "-", bytes);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t bytes)
{
	return memory_is_short(bytes) ? NULL : __libc_malloc(bytes);
}

void *
calloc(size_t n, size_t bytes)
{
	return memory_is_short(n * bytes) ? NULL : __libc_calloc(n, bytes);
}

void *
realloc(void *old, size_t bytes)
{
	return memory_is_short(bytes) ? NULL : __libc_realloc(old, bytes);
}

void *
aligned_alloc(size_t alignment, size_t bytes)
{
	return memory_is_short(bytes) ? NULL :
					__libc_memalign(alignment, bytes);
}

int
posix_memalign(void **to, size_t alignment, size_t bytes)
{
	void *memory = memory_is_short(bytes) ?
			       NULL :
			       __libc_memalign(alignment, bytes);

	if (!memory)
		return ENOMEM;
	*to = memory;
	return 0;
}
