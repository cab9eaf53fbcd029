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
 *	enospc:LEN		writes to stdout fail after LEN bytes
 *	threads:N		pthread_create fails after N successes
 *	memory:LEN		allocations above LEN bytes fail
 *	calls:N			allocations fail after N of them
 *	opens:N:ERRNO:LAST	the Nth to the last open fail with this error, a
 *				number; LAST is 0 for all that follow
 *	slow:US			storage is far away: each open and each read below the
 *				directory FAULTS_BELOW takes US microseconds more
 *	hang:NAME:LAST		an open of NAME waits until two bytes were read
 *				from the FIFO FAULTS_GATE, which somebody holds
 *				open, and fails if it must not wait; an open of
 *				LAST writes one of them
 *	nonblock:FD		this descriptor does not block, from the start
 *	clock:N			the monotonic clock goes on by N ms whenever it
 *				is read, or stands still
 *	plain			as on a file system without locks, links and modes:
 *				flock, link and fchmod fail
 *	kill:N			SIGKILL comes before the Nth change of a file: a file
 *				created, written, synchronized, linked, renamed,
 *				removed; of a write half is done
 *	ioctl:N:SIGNAL		before the Nth ioctl this signal (a number) is sent
 *	ioctl:N:run		before it the shell runs FAULTS_COMMAND
 *	peak			at the end the log has "peak - LEN", the most KiB of
 *				memory that the program had (0 if unknown)
 *	total			at the end it has "total - N", the calls for files
 *
 * What happened is appended to the file FAULTS_LOG, a line each: the name of
 * a rule's kind when it strikes, or at the end "failures - N" of threads and
 * calls; "bytes NAME TOTAL" after every read of a file that a rule names;
 * "dropped - LEN" when pages of a file should leave the page cache (LEN bytes, or
 * 0 for all), which they do not; "blind" where an open would hang, but the system
 * cannot tell what is cached.  Only what the program calls itself is seen; the C
 * library's own calls are not.  Except with `hang` and `total` the system cannot
 * tell what is cached.
 */
#include "config.h"

#include "tests/support/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fault.h"

static const char *const kind_names[KINDS] = {
#define KIND_NAME(name) #name,
	PRELOAD_KINDS(KIND_NAME)
};

struct preload_rule rules[KINDS];

void
log_line(const char *kind, const char *name, unsigned long number)
{
	const char *file = getenv("FAULTS_LOG");
	char line[128];
	int fd, len;

	if (!file)
		return;
	fd = fault_real_open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
			     0666);
	if (fd < 0)
		return;
	len = snprintf(line, sizeof(line), "%s %s %lu\n", kind, name, number);
	if (len > 0)
		fault_real_write(fd, line, (size_t)len);
	fault_real_close(fd);
}

unsigned long
count(enum preload_kind kind)
{
	return ++rules[kind].count;
}

void
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

/* --- The rest of the system ----------------------------------------------------- */

static int
clock_ruled(clockid_t clock, struct timespec *now)
{
	const unsigned long step = rules[ON_clock].number[0];
	unsigned long ms;

	if (clock == CLOCK_REALTIME)
		return fault_real_clock_gettime(clock, now);
	ms = atomic_fetch_add(&rules[ON_clock].count, step);
	if (ms == 0 && step > 0)
		log_line("clock", "-", step);
	now->tv_sec = (time_t)(ms / 1000);
	now->tv_nsec = (long)(ms % 1000 * 1000000);
	return 0;
}

static int
ioctl_ruled(int fd, unsigned long request, void *argument)
{
	if (count(ON_ioctl) == rules[ON_ioctl].number[0]) {
		log_line("ioctl", "-", rules[ON_ioctl].number[0]);
		if (rules[ON_ioctl].number[1] > 0)
			kill(getpid(), (int)rules[ON_ioctl].number[1]);
		else
			run_command();
	}
	return fault_real_ioctl(fd, request, argument);
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *
__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Return true with errno set if this block is too long. */
static bool
is_too_long(size_t bytes)
{
	if (!rules[ON_memory].is_set || bytes <= rules[ON_memory].number[0])
		return false;
	log_line("memory", "-", bytes);
	errno = ENOMEM;
	return true;
}

/* Without the search for a symbol, which allocates. */
void *
fault_real_malloc(size_t bytes)
{
	return is_too_long(bytes) ? NULL : __libc_malloc(bytes);
}

void *
fault_real_calloc(size_t n, size_t bytes)
{
	return is_too_long(n * bytes) ? NULL : __libc_calloc(n, bytes);
}

void *
fault_real_realloc(void *old, size_t bytes)
{
	return is_too_long(bytes) ? NULL : __libc_realloc(old, bytes);
}

void *
fault_real_aligned_alloc(size_t alignment, size_t bytes)
{
	return is_too_long(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

/* --- Rules ------------------------------------------------------------- */

static void
take_rule(char *rule)
{
	const char *name = strsep(&rule, ":");
	int kind = 0;

	while (kind < KINDS && strcmp(name, kind_names[kind]) != 0)
		kind++;
	if (kind == KINDS)
		abort();
	for (int i = 0; i < PRELOAD_FIELDS && rule; i++) {
		snprintf(rules[kind].field[i], sizeof(rules[kind].field[i]),
			 "%s", strsep(&rule, ":"));
		rules[kind].number[i] = strtoul(rules[kind].field[i], NULL, 10);
	}
	rules[kind].is_set = true;
}

static void
set_hooks(void)
{
	hook_files();
	if (rules[ON_clock].is_set)
		fault_hooks.clock_gettime = clock_ruled;
	if (rules[ON_ioctl].is_set)
		fault_hooks.ioctl = ioctl_ruled;
	if (rules[ON_threads].is_set)
		fault_from(FAULT_pthread_create,
			   (unsigned)rules[ON_threads].number[0] + 1, EAGAIN);
	if (rules[ON_calls].is_set)
		fault_from(FAULT_MEMORY,
			   (unsigned)rules[ON_calls].number[0] + 1, ENOMEM);
}

__attribute__((constructor)) static void
take_rules(void)
{
	const char *all = getenv("FAULTS");
	char copy[1024], *rest = copy, *rule;
	int fd;

	if (!all)
		return;
	snprintf(copy, sizeof(copy), "%s", all);
	while ((rule = strtok_r(rest, " ", &rest)))
		take_rule(rule);
	rules[ON_short].count = rules[ON_short].number[0];
	fd = (int)rules[ON_nonblock].number[0];
	if (rules[ON_nonblock].is_set &&
	    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0)
		abort();
	set_hooks();
}

/* Return the peak of memory from /proc; getrusage would include the calling
 * program's. */
static unsigned long
find_peak(void)
{
	const int fd = fault_real_open("/proc/self/status", O_RDONLY, 0);
	char status[4096] = "";
	const char *line;

	if (fault_real_read(fd, status, sizeof(status) - 1) < 0)
		return 0;
	fault_real_close(fd);
	line = strstr(status, "VmHWM:");
	return line ? strtoul(line + 6, NULL, 10) : 0;
}

__attribute__((destructor)) static void
log_end(void)
{
	unsigned long total = 0;

	if (fault_failures() > 0)
		log_line("failures", "-", fault_failures());
	if (rules[ON_peak].is_set)
		log_line("peak", "-", find_peak());
#define ADD_CALLS(type, name, parameters, arguments, failed)                   \
	total += fault_count(FAULT_##name);
	FAULT_LARGE_FUNCTIONS(ADD_CALLS)
	FAULT_FILE_FUNCTIONS(ADD_CALLS)
	FAULT_SYSTEM_FUNCTIONS(ADD_CALLS)
	if (rules[ON_total].is_set)
		log_line("total", "-", total);
}
