/* SPDX-License-Identifier: MIT */
/*
 * Promise: the progress is shown on the terminal five times a second and in
 * answer to a signal; the line is erased before anything else is written, shown
 * again at once, and erased for good at the end.  However many results come, it
 * stands there for nearly all the time.
 *
 * Standard error is the side of a terminal that a program has; what is written
 * there is read on the other side.  The thread waits for ticks of the test.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/lanes/progress.h"
#include "src/lanes/sequencer.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

#define MIB (UINT64_C(1) << 20)
#define MS UINT64_C(1000000)

static struct {
	int other_side; /* of the terminal */
	int elsewhere;	/* where results are not seen */
	int pipe;	/* that results go to */
	bool out_is_terminal, no_terminal;
	pid_t in_front; /* process group; -1: there is none */
	long wait_ns;	/* the last wait of the thread */
	/* The thread's wait for a tick. */
	pthread_cond_t *cond;
	pthread_mutex_t *lock;
	unsigned ticks;
	sem_t waiting;
} world = { .in_front = -1 };

/* What the test knows of the files that are going to be hashed. */
static struct {
	struct forecast forecast;
	unsigned looks;
	bool too_long;
} ahead;

static bool
look(struct forecast *forecast, uint64_t until_ns)
{
	struct timespec now;

	(void)forecast;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ahead.looks++;
	ahead.too_long |= until_ns != (uint64_t)now.tv_sec * FAULT_SECOND +
					      (uint64_t)now.tv_nsec + 40 * MS;
	return ahead.looks % 3 != 0;
}

static unsigned flushes;

static void
flush(void)
{
	flushes++;
}

/* Hooks ------------------------------------------------------------------- */

static int
wait_for_tick(pthread_cond_t *cond, pthread_mutex_t *lock,
	      const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	world.wait_ns = (until->tv_sec - now.tv_sec) * 1000000000L +
			until->tv_nsec - now.tv_nsec;
	if (until->tv_nsec >= 1000000000L)
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

static int
is_terminal(int fd)
{
	return fd == STDERR_FILENO ? !world.no_terminal : world.out_is_terminal;
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
	fault_hooks.clock_gettime = NULL;
	status_line_close();
	return clock_gettime(clock, now);
}

static void
reset(void)
{
	fault_clear();
	fault_hooks.pthread_cond_timedwait = wait_for_tick;
	fault_hooks.isatty = is_terminal;
	fault_hooks.tcgetpgrp = foreground_of;
	fault_clock_set(100 * FAULT_SECOND + 900 * MS);
	world.in_front = -1;
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 0, 0);
}

/* Steps ------------------------------------------------------------------- */

static void
set_columns(unsigned short columns)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };

	if (ioctl(world.other_side, TIOCSWINSZ, &size) != 0)
		exit(99);
}

static void
open_terminal(void)
{
	struct termios modes;
	int side;

	world.other_side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (world.other_side < 0 || grantpt(world.other_side) != 0 ||
	    unlockpt(world.other_side) != 0)
		exit(99);
	side = open(ptsname(world.other_side), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (side < 0 || tcgetattr(side, &modes) != 0)
		exit(99);
	cfmakeraw(&modes);
	if (tcsetattr(side, TCSANOW, &modes) != 0 ||
	    dup2(side, STDERR_FILENO) != STDERR_FILENO)
		exit(99);
}

/* What was written to the terminal since the last call. */
static const char *
seen(void)
{
	static char text[2048];
	size_t len = 0;

	/* What is written comes in order, but not at once. */
	if (write(STDERR_FILENO, "#", 1) != 1)
		return "?";
	while (len < sizeof(text) - 1 &&
	       read(world.other_side, text + len, 1) == 1 && text[len] != '#')
		len++;
	text[len] = '\0';
	return text;
}

static void
end(void)
{
	status_line_end();
	seen();
}

/* `files` files; of these `sized` were looked at and have that many bytes. */
static void
begin(size_t files, size_t sized, uint64_t bytes)
{
	ahead.forecast = (struct forecast){ .look = look,
					    .files = files,
					    .sized = sized,
					    .kib = (size_t)(bytes >> 10) };
	ahead.looks = 0;
	status_line_begin(&ahead.forecast, true, flush);
	sem_wait(&world.waiting);
}

/* Let the thread show the line, and wait until it has. */
static const char *
tick(void)
{
	pthread_mutex_lock(world.lock);
	world.ticks++;
	pthread_cond_signal(world.cond);
	pthread_mutex_unlock(world.lock);
	sem_wait(&world.waiting);
	return seen();
}

/* Ticks ------------------------------------------------------------------- */

static void
test_ticks(void)
{
	reset();
	begin(2, 2, MIB);
	is(tick(), "\r0 of 2 files, 0 kB of 1.0 MB (0 %), 0 kB/s\033[K",
	   "the progress is shown with the totals that are known");
	ok(world.wait_ns == 200 * (long)MS, "there is a tick each 200 ms");
	for (unsigned i = 0; i < 9; i++)
		tick();
	ok(ahead.looks == 3 && !ahead.too_long,
	   "of each tick 40 ms are for looking ahead, until all is known");
	end();
}

/* The terminal ------------------------------------------------------------ */

static void
test_columns(void)
{
	static const struct {
		const char *terminal, *expected, *promise;
		unsigned short columns; /* in this order, one after the other */
	} rows[] = {
		{ "xterm", "0 of 1 file, 0 kB, 0 kB/s\033[K",
		  "a terminal without a width has enough columns", 0 },
		{ "xterm", "0 of 1 file, 0 kB, 0 kB/s\033[K",
		  "all columns but the last are used", 26 },
		{ "xterm", "0 of 1 file, 0 kB\033[K",
		  "a part that does not fit is left out", 25 },
		{ "xterm", "0 of 1\033[K",
		  "a narrow terminal shows how many files are done", 8 },
		{ "xterm", "\033[K", "a number is never cut", 6 },
		{ "dumb", "0 of 1 file, 0 kB, 0 kB/s",
		  "a dumb terminal gets no escape sequence", 26 },
		{ "dumb", "0 of 1 file, 0 kB       ",
		  "a shorter line is filled up with blanks on a dumb terminal",
		  25 },
		{ "dumb", "     ", "a narrow dumb terminal is not overfilled",
		  6 },
		{ "dumb", "0 of 1 file, 0 kB, 0 kB/s",
		  "a dumb terminal that becomes wider is used", 1000 },
	};
	const char *terminal = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		set_columns(rows[i].columns);
		if (strcmp(terminal, rows[i].terminal) != 0) {
			end();
			terminal = rows[i].terminal;
			setenv("TERM", terminal, 1);
			reset();
			begin(1, 0, 0);
		}
		is(tick() + 1, rows[i].expected, "%s", rows[i].promise);
	}
	status_line_hide();
	is(seen(), "\r                         \r",
	   "a dumb terminal's line is erased with as many blanks as it has");
	status_line_release();
	end();
	setenv("TERM", "xterm", 1);
	set_columns(200);
}

static void
test_background(void)
{
	reset();
	world.in_front = getpgrp();
	begin(0, 0, 0);
	ok(*tick(), "the line is shown in the foreground");
	world.in_front++;
	ok(!*tick(), "the line is not shown in the background");
	world.in_front = 0;
	ok(*tick(), "the line is shown where there is no foreground");
	end();
}

static void
test_hiding(void)
{
	static const char line[] = "\r0 files, 0 kB, 0 kB/s\033[K";
	static const char erased[] = "\r\033[K";

	reset();
	begin(0, 0, 0);
	ok(!*seen(), "nothing is shown before the first tick");
	status_line_hide();
	status_line_release();
	ok(!*seen(), "a line that is not shown is not erased");
	tick();
	errno = EXDEV;
	status_line_hide();
	ok(errno == EXDEV && strcmp(seen(), erased) == 0,
	   "the line is erased before a message, and errno stays");
	status_line_release();
	ok(errno == EXDEV && strcmp(seen(), line) == 0,
	   "the line comes back at once after a message");
	ok(status_line_write("a: OK\n", 6) == 6 && !*seen() &&
		   !status_line_holds(),
	   "results that go elsewhere leave the line, and are not held");
	status_line_end();
	is(seen(), erased, "the line is erased at the end");

	/* It seems to be another one. */
	world.out_is_terminal = true;
	begin(0, 0, 0);
	ok(status_line_holds(), "results are held for the thread");
	flushes = 0;
	tick();
	tick();
	ok(flushes == 2, "each tick flushes what is held");
	status_line_write("a: OK\n", 6);
	is(seen(), "\r\033[K\r0 files, 0 kB, 0 kB/s\033[K",
	   "the line is erased for results on a terminal, and comes back");
	status_line_close();
	seen();
	ok(!*tick() && !status_line_holds(),
	   "a line that was closed is not shown again");
	status_line_end();
	world.out_is_terminal = false;

	begin(0, 0, 0);
	fault_hooks.clock_gettime = close_meanwhile;
	ok(!*tick(), "a line that is closed meanwhile is not shown");
	status_line_end();
}

/* Results and the line on one terminal. */
static unsigned writes;
static size_t most; /* bytes that a write takes; 0: it fails */

static ssize_t
write_some(int fd, const void *bytes, size_t len)
{
	writes++;
	errno = EAGAIN;
	return most == 0 ? -1 :
			   fault_real_write(fd, bytes, len < most ? len : most);
}

static void
test_together(void)
{
	static const struct {
		const char *results, *expected, *promise;
		size_t most; /* of the first write */
		unsigned writes;
	} rows[] = {
		{ "a: OK\n", "\r\033[Ka: OK\n\r0 files, 0 kB, 0 kB/s\033[K",
		  "the line is erased, results and the line shown by one write",
		  99, 1 },
		{ "a: OK\n", "\r\033[Ka: OK\n\r0 fi",
		  "a line that was written in part is left to the next tick",
		  15, 1 },
		{ "a: OK\n", "\r\033[Ka: OK\n\r0 files, 0 kB, 0 kB/s\033[K",
		  "after a part of the results comes the rest, then the line",
		  7, 3 },
		{ "a: OK\n",
		  "\r\033\r\033[Ka: OK\n\r0 files, 0 kB, 0 kB/s\033[K",
		  "the line is erased again after an erasure in part", 2, 2 },
		{ "a: OK\n", "", "a failed write leaves the line", 0, 1 },
		{ "a: ", "\r\033[Ka: \r0 files, 0 kB, 0 kB/s\033[K",
		  "results without an end of line are written alone", 99, 3 },
	};

	dup2(STDERR_FILENO, STDOUT_FILENO);
	world.out_is_terminal = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *at = rows[i].results;
		ssize_t n = 0;

		reset();
		begin(0, 0, 0);
		tick();
		writes = 0;
		most = rows[i].most;
		fault_hooks.write = write_some;
		for (; n >= 0 && *at; at += n > 0 ? n : 0) {
			n = status_line_write(at, strlen(at));
			most = 99;
		}
		fault_hooks.write = NULL;
		ok(writes == rows[i].writes &&
			   strcmp(seen(), rows[i].expected) == 0,
		   "%s", rows[i].promise);
		end();
	}
	world.out_is_terminal = false;
	dup2(world.elsewhere, STDOUT_FILENO);
}

/* Does the line stand there after this text? */
static bool
stands(bool before, const char *text)
{
	const char *last = strrchr(text, '\r');

	return last ? last[1] != '\033' : before && !strchr(text, '\n');
}

/* The share of three seconds in which the line is seen, in per cent, while there
 * is a result in each millisecond. */
static unsigned
share_seen(void)
{
	uint64_t now = 0, wake;
	unsigned milliseconds = 0;
	bool standing = false;
	char drained[4096];

	reset();
	ahead.forecast = (struct forecast){ .look = look };
	status_line_begin(&ahead.forecast, true, output_flush);
	sem_wait(&world.waiting);
	wake = (uint64_t)world.wait_ns;
	while (now < 3000 * MS) {
		output_add("a: OK\n", 6);
		output_flush_soon();
		fault_clock_advance(MS);
		now += MS;
		standing = stands(standing, now < wake ? seen() : tick());
		if (now >= wake)
			wake = now + (uint64_t)world.wait_ns;
		while (world.pipe > 0 &&
		       read(world.pipe, drained, sizeof(drained)) > 0)
			continue;
		milliseconds += standing;
	}
	status_line_end();
	output_flush();
	seen();
	return milliseconds / 30;
}

static void
test_share(void)
{
	char result[STATUS_LINE_RESULTS + 100];
	int ends[2];
	unsigned share;
	bool hidden = true;

	world.out_is_terminal = true;
	dup2(STDERR_FILENO, STDOUT_FILENO);
	share = share_seen();
	ok(share >= 90,
	   "the line is seen for 90 %% of the time beside results on the same "
	   "terminal");
	tap_note("%u %%", share);
	memset(result, 'a', sizeof(result));
	memcpy(result + sizeof(result) - 7, "\nb: OK\n", 7);
	begin(0, 0, 0);
	output_add(result, sizeof(result) - 6);
	output_add(result + sizeof(result) - 6, 6);
	output_flush();
	ok(strncmp(seen(), result, sizeof(result)) == 0,
	   "a line that is longer than most writes to a terminal is whole");
	end();
	world.out_is_terminal = false;
	if (pipe2(ends, O_NONBLOCK) != 0 ||
	    dup2(ends[1], STDOUT_FILENO) != STDOUT_FILENO)
		exit(99);
	close(ends[1]);
	world.pipe = ends[0];
	share = share_seen();
	ok(share >= 90, "the line is seen for 90 %% of the time beside a pipe");
	tap_note("%u %%", share);

	/* Nobody reads. */
	reset();
	begin(0, 0, 0);
	tick();
	status_line_write("a: OK\n", 6);
	seen();
	do
		hidden &= !*tick();
	while (world.wait_ns != 200 * (long)MS);
	ok(hidden,
	   "the line waits for a tick until what a pipe was given has been read");
	status_line_end();
	close(world.pipe);
	world.pipe = 0;
	dup2(world.elsewhere, STDOUT_FILENO);
}

static void
test_without(void)
{
	for (unsigned i = 0; i < 2; i++) {
		reset();
		world.no_terminal = i == 0;
		status_line_begin(&ahead.forecast, i == 0, flush);
		status_line_end();
		ok(fault_count(FAULT_pthread_create) == 0,
		   "there is no thread without %s",
		   i == 0 ? "a terminal" : "--progress");
	}
	world.no_terminal = false;
	reset();
	fault_at(FAULT_pthread_create, 1, EAGAIN);
	status_line_begin(&ahead.forecast, true, flush);
	status_line_end();
	status_line_end();
	ok(!*seen(), "there is no line if no thread can be started");
}

/* Signals ----------------------------------------------------------------- */

static void
test_signals(void)
{
	static const unsigned lengths[] = { 4, 255, 256, 257 };
	static char name[400];
	struct sigaction action;
	char expected[512];

	reset();
	ahead.forecast = (struct forecast){ .look = look, .files = 2 };
	signal(SIGUSR1, SIG_IGN);
	status_line_begin(&ahead.forecast, false, flush);
	raise(SIGUSR1);
	ok(!*seen(), "a signal that was ignored before is ignored");
	signal(SIGUSR1, SIG_DFL);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		const int len = (int)lengths[i];

		memset(name, 'n', sizeof(name) - 1);
		name[len] = '\0';
		report_init(name);
		status_line_begin(&ahead.forecast, false, flush);
		errno = EXDEV;
		raise(SIGUSR1);
		snprintf(expected, sizeof(expected),
			 "%.*s: 0 of 2 files, 0 kB, 0 kB/s\n",
			 len > 256 ? 256 : len, name);
		ok(errno == EXDEV && strcmp(seen(), expected) == 0,
		   "a signal is answered by a program with a name of %d bytes",
		   len);
	}
	ok(sigaction(SIGUSR1, NULL, &action) == 0 &&
		   action.sa_flags & SA_RESTART,
	   "a signal does not interrupt a read");
	report_init("prog");
	status_line_end();
	raise(SIGUSR1);
	ok(*seen(), "a signal is answered after the end of the work");
	begin(0, 0, 0);
	tick();
	raise(SIGUSR1);
	is(seen(), "\r\033[Kprog: 0 files, 0 kB, 0 kB/s\n",
	   "the answer to a signal erases the line on the terminal");
	end();
}

int
main(void)
{
	alarm(60);
	setenv("TERM", "xterm", 1);
	descriptor_init();
	if (sem_init(&world.waiting, 0, 0) != 0)
		return 99;
	/* The log of the test leaves standard output to results. */
	stdout = fdopen(dup(STDOUT_FILENO), "w");
	world.elsewhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!stdout || dup2(world.elsewhere, STDOUT_FILENO) != STDOUT_FILENO)
		return 99;
	open_terminal();
	set_columns(200);
	report_init("prog");
	test_ticks();
	test_columns();
	test_background();
	test_hiding();
	test_together();
	test_share();
	test_without();
	test_signals();

	/* Last: the terminal goes away. */
	reset();
	begin(0, 0, 0);
	tick();
	close(world.other_side);
	errno = EXDEV;
	status_line_hide();
	ok(errno == EXDEV, "to erase the line in vain does not change errno");
	status_line_release();
	status_line_end();
	return tap_done();
}
