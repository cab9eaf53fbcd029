/* SPDX-License-Identifier: MIT */
/*
 * Promise: the progress is shown on the terminal five times a second and in
 * answer to a signal, with the work of all threads, the total, per cent and time
 * left as far as sizes are known; the line is erased before other output, shown
 * again, and erased for good at the end.
 *
 * Writes to standard error, and results that go to the terminal, are collected.
 * The thread waits for ticks of the test.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/lanes/sequencer.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

#define MS UINT64_C(1000000)
#define TICK_NS (200 * (long)MS)
#define START_NS (100 * FAULT_SECOND + 900 * MS)

static struct {
	char seen[4096]; /* what the terminal was given since the last look */
	size_t nseen;
	unsigned short columns;
	size_t most; /* bytes that a write takes, or 0 to fail */
	bool no_terminal;
	bool results;	/* go to the terminal */
	pid_t in_front; /* process group, or -1 for none */
	long wait_ns;	/* the last wait of the thread */
	/* The thread's wait for a tick. */
	pthread_cond_t *cond;
	pthread_mutex_t *lock;
	unsigned ticks;
	sem_t waiting;
} world;

/* The files to come, as far as the survey knows. */
static struct forecast forecast;
static unsigned looks;
static bool looks_too_long;

static bool
count(struct forecast *self, uint64_t until_ns)
{
	looks_too_long |= until_ns != clock_ns() + 40 * MS;
	return self == &forecast && ++looks % 3 != 0;
}

/* Hooks ------------------------------------------------------------------- */

static int
wait_for_tick(pthread_cond_t *cond, pthread_mutex_t *lock,
	      const struct timespec *until)
{
	world.wait_ns = until->tv_sec * (long)FAULT_SECOND + until->tv_nsec -
			(long)clock_ns();
	if (until->tv_nsec >= (long)FAULT_SECOND)
		world.wait_ns = -1;
	world.cond = cond;
	world.lock = lock;
	sem_post(&world.waiting);
	if (world.ticks == 0)
		pthread_cond_wait(cond, lock);
	if (world.ticks == 0)
		return 0;
	world.ticks--;
	return ETIMEDOUT;
}

static ssize_t
write_some(int fd, const void *bytes, size_t len)
{
	if (fd == STDOUT_FILENO && !world.results)
		return (ssize_t)len;
	errno = EAGAIN;
	if (world.most == 0)
		return -1;
	if (fd == STDOUT_FILENO && len > world.most)
		len = world.most;
	memcpy(world.seen + world.nseen, bytes, len);
	world.nseen += len;
	return (ssize_t)len;
}

static int
tell_columns(int fd, unsigned long request, void *to)
{
	if (request != TIOCGWINSZ)
		return fault_real_ioctl(fd, request, to);
	*(struct winsize *)to = (struct winsize){ .ws_col = world.columns };
	return 0;
}

static int
is_terminal(int fd)
{
	return fd == STDERR_FILENO ? !world.no_terminal : world.results;
}

static pid_t
foreground_of(int fd)
{
	return fd == STDERR_FILENO ? world.in_front : getpgrp();
}

/* The work ends while the thread is about to show the line. */
static int
close_meanwhile(clockid_t clock, struct timespec *now)
{
	fault_clock_set(START_NS);
	status_line_close();
	return clock_gettime(clock, now);
}

/* Steps ------------------------------------------------------------------- */

static void
reset(void)
{
	fault_clear();
	fault_hooks.pthread_cond_timedwait = wait_for_tick;
	fault_hooks.write = write_some;
	fault_hooks.ioctl = tell_columns;
	fault_hooks.isatty = is_terminal;
	fault_hooks.tcgetpgrp = foreground_of;
	fault_clock_set(START_NS);
	world.in_front = -1;
	world.most = SIZE_MAX;
	world.columns = 200;
	/* Left by a thread that was closed beside a tick. */
	world.ticks = 0;
	while (sem_trywait(&world.waiting) == 0)
		continue;
	setenv("TERM", "xterm", 1);
	world.results = false;
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 0, 0);
}

/* Return what was written to the terminal since the last call. */
static const char *
seen(void)
{
	world.seen[world.nseen] = '\0';
	world.nseen = 0;
	return world.seen;
}

static void
end(void)
{
	status_line_end();
	seen();
}

/* Files of 512 KiB each, which were all looked at. */
static void
begin(unsigned files)
{
	forecast = (struct forecast){ .count = count,
				      .files = files,
				      .kib = files << 9 };
	status_line_begin(&forecast, true);
	sem_wait(&world.waiting);
}

/* Let the thread show the line. */
static void
give_tick(void)
{
	pthread_mutex_lock(world.lock);
	world.ticks++;
	pthread_cond_signal(world.cond);
	pthread_mutex_unlock(world.lock);
}

/* The same, and wait until it has. */
static void
tick_on(void)
{
	give_tick();
	sem_wait(&world.waiting);
}

static const char *
tick(void)
{
	tick_on();
	return seen();
}

static void
close_soon(void)
{
	fault_hooks.clock_gettime = close_meanwhile;
}

static void
raise_signal(void)
{
	raise(SIGUSR1);
}

/* Ticks ------------------------------------------------------------------- */

static void
test_ticks(void)
{
	reset();
	begin(2);
	looks = 0;
	tick();
	ok(world.wait_ns == TICK_NS, "there is a tick each 200 ms");
	for (unsigned i = 0; i < 9; i++)
		tick();
	ok(looks == 3 && !looks_too_long,
	   "of each tick 40 ms are for looking ahead, until all is known");
	end();
}

/* A missing lock is for the thread sanitizer to see. */
static void
test_close_beside_tick(void)
{
	static const char erased[] = "\r\033[K";
	const char *left;
	size_t len;

	reset();
	begin(0);
	give_tick();
	status_line_close();
	status_line_end();
	left = seen();
	len = strlen(left);
	ok(len == 0 || strcmp(left + len - (sizeof(erased) - 1), erased) == 0,
	   "a line that is closed beside a tick does not stay");
}

/* status-line.golden ------------------------------------------------------ */

/* The first three are called beside other work, which may use errno. */
static const struct {
	const char *word;
	void (*call)(void);
} calls[] = { { "hide", status_line_hide }, { "release", status_line_release },
	      { "signal", raise_signal },   { "close", status_line_close },
	      { "end", status_line_end },   { "closing", close_soon },
	      { "tick", tick_on },	    { "last-tick", give_tick } };

static void
change_surroundings(const char *word, const char *value)
{
	if (strcmp(word, "columns") == 0)
		world.columns = (unsigned short)atoi(value);
	else if (strcmp(word, "most") == 0)
		world.most = (size_t)atoi(value);
	else if (strcmp(word, "front") == 0)
		world.in_front = atoi(value) * getpgrp();
	else if (strcmp(word, "results") == 0)
		world.results = *value == 't';
	else
		exit(99);
}

/* Print what the terminal has got, if anything. */
static void
put_seen(struct golden_output *out)
{
	golden_printf(out, "", "%s", world.nseen > 0 ? " -> " : "");
	for (const char *at = seen(); *at; at++)
		switch (*at) {
		case '\r': golden_printf(out, "", "\\r"); break;
		case '\n': golden_printf(out, "", "\\n"); break;
		case '\033': golden_printf(out, "", "\\e"); break;
		default: golden_write(out, "", at, 1);
		}
}

static void
take_step(char *line, struct golden_output *out)
{
	char *const end = strstr(line, " -> ");
	const size_t n = sizeof(calls) / sizeof(*calls);
	char *word, *rest = line;
	size_t i = 0;

	if (end)
		*end = '\0';
	golden_printf(out, "", "%s", line);
	word = strsep(&rest, " ");
	while (i < n && strcmp(word, calls[i].word) != 0)
		i++;
	errno = EXDEV;
	if (i < n) {
		calls[i].call();
		if (errno != EXDEV && i < 3)
			golden_printf(out, "", " -> errno has changed");
	} else if (strcmp(word, "begin") == 0) {
		begin((unsigned)atoi(rest));
	} else if (strcmp(word, "result") == 0) {
		output_add("a: OK\n", 6);
		output_flush();
	} else {
		change_surroundings(word, rest);
	}
	put_seen(out);
	if (strcmp(word, "tick") == 0 && world.wait_ns != TICK_NS)
		golden_printf(out, "", " -> next tick in %ld ms",
			      world.wait_ns / (long)MS);
	golden_printf(out, "", "\n");
}

static void
take_steps(const struct golden_case *c, struct golden_output *out)
{
	reset();
	golden_each_line(c->input.text, take_step, out);
	world.most = SIZE_MAX;
	end();
}

static void
test_without(void)
{
	static const char *const lacks[] = { "--progress", "a terminal",
					     "escape sequences" };

	for (unsigned i = 0; i < 3; i++) {
		reset();
		world.results = true;
		world.no_terminal = i == 1;
		setenv("TERM", i == 2 ? "dumb" : "xterm", 1);
		status_line_begin(&forecast, i > 0);
		ok(!status_line_shares_stdout() &&
			   fault_count(FAULT_pthread_create) == 0,
		   "there is neither a thread nor a line without %s", lacks[i]);
		status_line_end();
	}
	world.no_terminal = false;
	reset();
	fault_at(FAULT_pthread_create, 1, EAGAIN);
	world.results = true;
	status_line_begin(&forecast, true);
	ok(!status_line_shares_stdout(),
	   "results have nothing to erase if no thread can be started");
	status_line_end();
	status_line_end();
	ok(!*seen() && fault_count(FAULT_pthread_join) == 0,
	   "there is no line if no thread can be started");
}

/* Signals ----------------------------------------------------------------- */

static void
test_signals(void)
{
	static char name[400], expected[512];
	struct sigaction action;

	reset();
	forecast.files = forecast.kib = 0;
	signal(SIGUSR1, SIG_IGN);
	status_line_begin(&forecast, false);
	raise(SIGUSR1);
	ok(!*seen(), "a signal that was ignored before is ignored");
	signal(SIGUSR1, SIG_DFL);
	memset(name, 'n', sizeof(name) - 1);
	report_init(name);
	status_line_begin(&forecast, false);
	raise(SIGUSR1);
	snprintf(expected, sizeof(expected), "%.256s: 0 files, 0 kB, 0 kB/s\n",
		 name);
	is(seen(), expected,
	   "a signal is answered with up to 256 bytes of a name");
	ok(sigaction(SIGUSR1, NULL, &action) == 0 &&
		   action.sa_flags & SA_RESTART,
	   "a signal does not interrupt a read");
	end();
}

/* Words -------------------------------------------------------------------- */

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct {
	const char *expected;
	size_t files;
	uint64_t bytes; /* in all of them */
	uint64_t done_files;
	uint64_t done_bytes;
	uint64_t ms;
} rows[] = {
	{ "0 files, 0 kB, 0 kB/s", 0, 0, 0, 0, 0 },
	{ "1 of 1 file, 1 kB, 1 kB/s", 1, 0, 1, 1024, 1000 },
	{ "2 files, 999 kB, 999 kB/s", 0, 0, 2, 976 << 10, 1000 },
	{ "2 files, 1.0 MB, 1.0 MB/s", 0, 0, 2, 977 << 10, 1000 },
	{ "3 files, 999.3 MB, 999.3 MB/s", 0, 0, 3, 953 * MIB, 1000 },
	{ "3 files, 1.0 GB, 1.0 GB/s", 0, 0, 3, 954 * MIB, 1000 },
	{ "25 %, 3:00 left, 3 of 4 files, 1.1 GB of 4.3 GB, 17.9 MB/s", 4,
	  4 * GIB, 3, GIB, 60000 },
	{ "0 %, 1:00:00 left, 0 of 1 file, 1.0 MB of 3.8 GB, 1.0 MB/s", 1,
	  3601 * MIB, 0, MIB, 1000 },
	{ "0 %, 59:59 left, 0 of 1 file, 1.0 MB of 3.8 GB, 1.0 MB/s", 1,
	  3600 * MIB, 0, MIB, 1000 },
#if SIZE_MAX > UINT32_MAX
	{ "9 files, 5497.6 TB, 5.5 TB/s", 0, 0, 9, 5000 * 1024 * GIB, 1000000 },
#endif
	/* The sizes are not known. */
	{ "4 of 40 files, 1.0 MB, 1.0 MB/s", 40, 0, 4, MIB, 1000 },
	/* The end, and files that have grown. */
	{ "100 %, 0:00 left, 4 of 4 files, 1.0 MB of 1.0 MB, 1.0 MB/s", 4, MIB,
	  4, MIB, 1000 },
	{ "4 of 4 files, 2.1 MB, 2.1 MB/s", 4, MIB, 4, 2 * MIB, 1000 },
	/* More than was said. */
	{ "5 files, 0 kB, 0 kB/s", 4, MIB, 5, 0, 1000 },
	/* Nothing has come yet, so there is no estimate. */
	{ "0 %, 0 of 1 file, 0 kB of 1.0 MB, 0 kB/s", 1, MIB, 0, 0, 1000 },
};

/* The answer to a signal after this time, without the program's name. */
static const char *
ask(const struct forecast *known, uint64_t ms)
{
	status_line_end();
	fault_clock_set(START_NS);
	forecast = *known;
	status_line_begin(&forecast, false);
	fault_clock_set(START_NS + ms * MS);
	raise(SIGUSR1);
	seen();
	world.seen[strlen(world.seen) - 1] = '\0';
	return world.seen + strlen("prog: ");
}

static void
test_words(void)
{
	struct forecast known;

	reset();
	report_init("prog");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		known = (struct forecast){
			.files = rows[i].files,
			.kib = (size_t)(rows[i].bytes >> 10),
		};
		progress_note(0, rows[i].done_bytes, rows[i].done_files);
		is(ask(&known, rows[i].ms), rows[i].expected,
		   "the progress is '%s'", rows[i].expected);
	}
	known = (struct forecast){ .files = 0 };
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 100 * MIB, 1000);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, MIB, 1);
	is(ask(&known, 1000), "256 files, 268.4 MB, 268.4 MB/s",
	   "the work of all workers is added up, each with its last word");
	known = (struct forecast){ .files = SIZE_MAX, .kib = SIZE_MAX };
	progress_note(0, UINT64_MAX / 4, SIZE_MAX - 2);
	is(strrchr(ask(&known, UINT64_C(1000) * 3600 * 1000), '/'), "/s",
	   "the longest words have room");
	end();
}

int
main(void)
{
	alarm(60);
	descriptor_init();
	if (!freopen("/dev/null", "w", stderr) ||
	    sem_init(&world.waiting, 0, 0) != 0)
		return 99;
	report_init("prog");
	test_ticks();
	test_close_beside_tick();
	golden_run("tests/output/status-line.golden", take_steps);
	test_without();
	test_signals();
	test_words();
	return tap_done();
}
