/* SPDX-License-Identifier: MIT */
/*
 * Promise: the progress is shown on the terminal five times a second and in
 * answer to a signal, with the totals that are known; the line is erased before
 * anything else is written, shown again at once, and erased for good at the
 * end.  However many results come, it stands there for nearly all the time.
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
#define GIB (UINT64_C(1) << 30)
#define MS UINT64_C(1000000)

static struct {
	int other_side; /* of the terminal */
	int elsewhere;	/* where results are not seen */
	int pipe;	/* that results go to */
	bool out_is_terminal;
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
	return fd == STDERR_FILENO || world.out_is_terminal;
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

/* Words ------------------------------------------------------------------- */

static const struct {
	const char *expected;
	size_t files, sized; /* in all, and of them looked at */
	uint64_t bytes;	     /* of these */
	uint64_t done_files;
	uint64_t done_bytes;
	uint64_t ms;
} rows[] = {
	{ "0 files, 0 kB, 0 kB/s", 0, 0, 0, 0, 0, 0 },
	{ "0 of 1 file, 0 kB, 0 kB/s", 1, 0, 0, 0, 0, 500 },
	{ "1 of 1 file, 1 kB, 1 kB/s", 1, 0, 0, 1, 1024, 1000 },
	{ "1 file, 1 kB, 1 kB/s", 0, 0, 0, 1, 1024, 1000 },
	{ "2 files, 999 kB, 999 kB/s", 0, 0, 0, 2, 976 << 10, 1000 },
	{ "2 files, 1.0 MB, 1.0 MB/s", 0, 0, 0, 2, 977 << 10, 1000 },
	{ "12 of 40 files, 1.0 MB of 2.1 MB (50 %), 0:02 left, 524 kB/s", 40,
	  40, 2 * MIB, 12, MIB, 2000 },
	{ "3 files, 999.3 MB, 999.3 MB/s", 0, 0, 0, 3, 953 * MIB, 1000 },
	{ "3 files, 1.0 GB, 1.0 GB/s", 0, 0, 0, 3, 954 * MIB, 1000 },
	{ "3 of 4 files, 1.1 GB of 4.3 GB (25 %), 3:00 left, 17.9 MB/s", 4, 4,
	  4 * GIB, 3, GIB, 60000 },
	/* 3600 and 36000 s */
	{ "0 of 1 file, 1.0 MB of 3.8 GB (0 %), 1:00:00 left, 1.0 MB/s", 1, 1,
	  3601 * MIB, 0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 3.8 GB (0 %), 59:59 left, 1.0 MB/s", 1, 1,
	  3600 * MIB, 0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 37.7 GB (0 %), 10:00:00 left, 1.0 MB/s", 1, 1,
	  36001 * MIB, 0, MIB, 1000 },
	{ "9 files, 5497.6 TB, 5.5 TB/s", 0, 0, 0, 9, 5000 * 1024 * GIB,
	  1000000 },
	/* The sizes of some files only: the rest is extrapolated, from those
	 * that were looked at or, if these are more, from those hashed. */
	{ "4 of 40 files, 1.0 MB of ~8.4 MB, ~0:07 left, 1.0 MB/s", 40, 10,
	  2 * MIB, 4, MIB, 1000 },
	{ "20 of 40 files, 1.0 MB of ~2.1 MB, ~0:01 left, 1.0 MB/s", 40, 10,
	  99 * MIB, 20, MIB, 1000 },
	{ "4 of 40 files, 1.0 MB, 1.0 MB/s", 40, 10, 9 << 10, 4, MIB, 1000 },
	/* The end, and files that have grown. */
	{ "4 of 4 files, 1.0 MB of 1.0 MB (100 %), 0:00 left, 1.0 MB/s", 4, 4,
	  MIB, 4, MIB, 1000 },
	{ "4 of 4 files, 2.1 MB, 2.1 MB/s", 4, 4, MIB, 4, 2 * MIB, 1000 },
	/* More than was said. */
	{ "5 files, 0 kB, 0 kB/s", 4, 4, MIB, 5, 0, 1000 },
	/* Nothing has come yet: no time left to tell. */
	{ "0 of 1 file, 0 kB of 1.0 MB (0 %), 0 kB/s", 1, 1, MIB, 0, 0, 1000 },
};

static void
test_words(void)
{
	char expected[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (sizeof(size_t) < 8 && rows[i].done_bytes > 1024 * GIB) {
			ok(true, "so much is not counted # SKIP 32 bits");
			continue;
		}
		reset();
		begin(rows[i].files, rows[i].sized, rows[i].bytes);
		progress_note(0, rows[i].done_bytes, rows[i].done_files);
		fault_clock_advance(rows[i].ms * MS);
		snprintf(expected, sizeof(expected), "\r%s\033[K",
			 rows[i].expected);
		is(tick(), expected, "shown: %s", rows[i].expected);
		status_line_end();
		seen();
	}
	reset();
	begin(0, 0, 0);
	fault_clock_advance(1000 * MS);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 100 * MIB, 1000);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, MIB, 1);
	is(tick(), "\r256 files, 268.4 MB, 268.4 MB/s\033[K",
	   "the work of all workers is added up, each with its last word");
	status_line_end();
	seen();
	reset();
	begin(2, 2, MIB);
	forecast_set(&ahead.forecast.unsized, 1);
	is(tick(), "\r0 of 2 files, 0 kB, 0 kB/s\033[K",
	   "one file of unknown size makes the total unknown");
	ok(world.wait_ns == 200 * (long)MS, "there is a tick each 200 ms");
	for (unsigned i = 0; i < 9; i++)
		tick();
	ok(ahead.looks == 3 && !ahead.too_long,
	   "of each tick 40 ms are for looking ahead, until all is known");
	status_line_end();
	seen();
}

/* The terminal ------------------------------------------------------------ */

static void
test_columns(void)
{
	char erased[300];

	reset();
	set_columns(0);
	begin(1, 0, 0);
	progress_note(0, 0, 0);
	is(tick(), "\r0 of 1 file, 0 kB, 0 kB/s\033[K",
	   "a terminal without a width has enough columns");
	set_columns(26);
	is(tick(), "\r0 of 1 file, 0 kB, 0 kB/s\033[K",
	   "all columns but the last are used");
	set_columns(25);
	is(tick(), "\r0 of 1 file, 0 kB\033[K",
	   "a part that does not fit is left out");
	set_columns(8);
	is(tick(), "\r0 of 1\033[K",
	   "a narrow terminal shows how many files are done");
	set_columns(6);
	is(tick(), "\r\033[K", "a number is never cut");
	status_line_end();
	seen();

	setenv("TERM", "dumb", 1);
	set_columns(26);
	begin(1, 0, 0);
	is(tick(), "\r0 of 1 file, 0 kB, 0 kB/s",
	   "a dumb terminal gets no escape sequence");
	set_columns(25);
	is(tick(), "\r0 of 1 file, 0 kB       ",
	   "a shorter line is filled up with blanks on a dumb terminal");
	set_columns(19);
	is(tick(), "\r0 of 1 file, 0 kB", "a narrower line needs no blanks");
	set_columns(6);
	is(tick(), "\r     ", "a narrow dumb terminal is not overfilled");
	set_columns(1000);
	tick();
	setenv("TERM", "xterm", 1);
	status_line_hide(STDERR_FILENO);
	snprintf(erased, sizeof(erased), "\r%25s\r", "");
	is(seen(), erased,
	   "a dumb terminal's line is erased with as many blanks as it has");
	status_line_release(STDERR_FILENO);
	status_line_end();
	seen();
	set_columns(200);
}

static void
test_background(void)
{
	reset();
	world.in_front = getpgrp();
	begin(0, 0, 0);
	ok(*tick(), "the line is shown in the foreground");
	world.in_front = getpgrp() + 1;
	ok(!*tick(), "the line is not shown in the background");
	world.in_front = 0;
	ok(*tick(), "the line is shown where there is no foreground");
	status_line_end();
	seen();
}

static void
test_hiding(void)
{
	static const char line[] = "\r0 files, 0 kB, 0 kB/s\033[K";
	static const char erased[] = "\r\033[K";

	reset();
	begin(0, 0, 0);
	ok(!*seen(), "nothing is shown before the first tick");
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	ok(!*seen(), "a line that is not shown is not erased");
	tick();
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV && strcmp(seen(), erased) == 0,
	   "the line is erased before a message, and errno stays");
	status_line_release(STDERR_FILENO);
	ok(errno == EXDEV && strcmp(seen(), line) == 0,
	   "the line comes back at once after a message");
	status_line_hide(STDOUT_FILENO);
	status_line_release(STDOUT_FILENO);
	ok(!*seen() && !status_line_holds(),
	   "results that go elsewhere leave the line, and are not held");
	status_line_end();
	is(seen(), erased, "the line is erased at the end");

	world.out_is_terminal = true;
	begin(0, 0, 0);
	ok(status_line_holds(), "results are held for the thread");
	flushes = 0;
	tick();
	tick();
	ok(flushes == 2, "each tick flushes what is held");
	status_line_hide(STDOUT_FILENO);
	is(seen(), erased, "results on the terminal erase the line");
	status_line_release(STDOUT_FILENO);
	is(seen(), line, "the line comes back at once after results");
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

/* The last line of the terminal. */
struct screen {
	unsigned column;
	bool filled;
};

static void
follow(struct screen *screen, char c)
{
	if (c == '\r' || c == '\n')
		screen->column = 0;
	if (c == '\n' || (c == '\033' && screen->column == 0))
		screen->filled = false;
	if (!strchr("\r\n\033[K", c)) {
		screen->column++;
		screen->filled = true;
	}
}

/* The share of three seconds in which the line is seen, in per cent, while there
 * is a result in each millisecond. */
static unsigned
share_seen(void)
{
	uint64_t now = 0, wake;
	unsigned milliseconds = 0;
	struct screen screen = { 0 };
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
		for (const char *c = now < wake ? seen() : tick(); *c; c++)
			follow(&screen, *c);
		if (now >= wake)
			wake = now + (uint64_t)world.wait_ns;
		while (world.pipe > 0 &&
		       read(world.pipe, drained, sizeof(drained)) > 0)
			continue;
		milliseconds += screen.filled;
	}
	status_line_end();
	output_flush();
	seen();
	return milliseconds / 30;
}

static void
test_share(void)
{
	int ends[2];
	unsigned share;

	world.out_is_terminal = true;
	dup2(STDERR_FILENO, STDOUT_FILENO);
	share = share_seen();
	ok(share >= 90,
	   "the line is seen for 90 %% of the time beside results on the same "
	   "terminal");
	tap_note("%u %%", share);
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
	status_line_hide(STDOUT_FILENO);
	if (write(STDOUT_FILENO, "a: OK\n", 6) != 6)
		exit(99);
	status_line_release(STDOUT_FILENO);
	seen();
	tick();
	ok(world.wait_ns == 5 * (long)MS && !*tick(),
	   "the line waits until what a pipe was given has been read");
	status_line_end();
	close(world.pipe);
	world.pipe = 0;
	dup2(world.elsewhere, STDOUT_FILENO);
}

static int
is_no_terminal(int fd)
{
	(void)fd;
	return 0;
}

static void
test_without(void)
{
	reset();
	fault_hooks.isatty = is_no_terminal;
	status_line_begin(&ahead.forecast, true, flush);
	status_line_end();
	reset();
	status_line_begin(&ahead.forecast, false, flush);
	status_line_end();
	ok(fault_count(FAULT_pthread_create) == 0,
	   "there is no thread without --progress, or without a terminal");
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
	const char *shown;

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
	status_line_end();
	seen();
	/* Nothing can be longer. */
	begin(SIZE_MAX, SIZE_MAX - 1, SIZE_MAX);
	progress_note(0, UINT64_MAX / 4, SIZE_MAX - 2);
	fault_clock_advance(1000 * 3600 * FAULT_SECOND);
	raise(SIGUSR1);
	shown = seen();
	ok(*shown && shown[strlen(shown) - 1] == '\n',
	   "the longest words have room");
	status_line_end();
	seen();
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
	test_words();
	test_columns();
	test_background();
	test_hiding();
	test_share();
	test_without();
	test_signals();

	/* Last: the terminal goes away. */
	reset();
	begin(0, 0, 0);
	tick();
	close(world.other_side);
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV, "to erase the line in vain does not change errno");
	status_line_release(STDERR_FILENO);
	status_line_end();
	return tap_done();
}
