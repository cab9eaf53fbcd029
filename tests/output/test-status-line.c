/* SPDX-License-Identifier: MIT */
/*
 * Promise: the progress is shown on the terminal five times a second and in
 * answer to a signal, with the totals that are known; the line is erased before
 * anything else is written, and for good at the end.
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
#include "src/output/report.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define MS UINT64_C(1000000)

static struct {
	int other_side; /* of the terminal */
	bool out_is_terminal;
	pid_t in_front; /* process group; -1: there is none */
	bool bad_wait;	/* of other than 200 ms */
	/* The thread's wait for a tick. */
	pthread_cond_t *cond;
	pthread_mutex_t *lock;
	unsigned ticks;
	sem_t waiting;
} world = { .in_front = -1 };

/* Hooks ------------------------------------------------------------------- */

static int
wait_for_tick(pthread_cond_t *cond, pthread_mutex_t *lock,
	      const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	world.bad_wait |= (until->tv_sec - now.tv_sec) * 1000000000L +
					  until->tv_nsec - now.tv_nsec !=
				  200000000L ||
			  until->tv_nsec >= 1000000000L;
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

static void
begin(char *const *names, size_t n)
{
	status_line_begin(names, n, true);
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
	size_t files;	    /* in all; 0 = unknown */
	uint64_t all_bytes; /* of the first file, if it is regular */
	uint64_t done_files;
	uint64_t done_bytes;
	uint64_t ms;
} rows[] = {
	{ "0 files, 0 kB, 0 kB/s", 0, 0, 0, 0, 0 },
	{ "0 of 1 file, 0 kB, 0 kB/s", 1, 0, 0, 0, 500 },
	{ "1 of 1 file, 1 kB, 1 kB/s", 1, 0, 1, 1024, 1000 },
	{ "1 file, 1 kB, 1 kB/s", 0, 0, 1, 1024, 1000 },
	{ "2 files, 999 kB, 999 kB/s", 0, 0, 2, 976 << 10, 1000 },
	{ "2 files, 1.0 MB, 1.0 MB/s", 0, 0, 2, 977 << 10, 1000 },
	{ "12 of 40 files, 1.0 MB, 524 kB/s", 40, 0, 12, MIB, 2000 },
	{ "12 of 40 files, 1.0 MB of 2.1 MB, 524 kB/s, 0:02 left", 40, 2 * MIB,
	  12, MIB, 2000 },
	{ "3 of 4 files, 999.3 MB, 999.3 MB/s", 4, 0, 3, 953 * MIB, 1000 },
	{ "3 of 4 files, 1.0 GB, 1.0 GB/s", 4, 0, 3, 954 * MIB, 1000 },
	{ "3 of 4 files, 1.1 GB of 4.3 GB, 17.9 MB/s, 3:00 left", 4, 4 * GIB, 3,
	  GIB, 60000 },
	/* 3600 and 36000 s */
	{ "0 of 1 file, 1.0 MB of 3.8 GB, 1.0 MB/s, 1:00:00 left", 1,
	  3601 * MIB, 0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 3.8 GB, 1.0 MB/s, 59:59 left", 1, 3600 * MIB,
	  0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 37.7 GB, 1.0 MB/s, 10:00:00 left", 1,
	  36001 * MIB, 0, MIB, 1000 },
	{ "9 files, 5497.6 TB, 5.5 TB/s", 0, 0, 9, 5000 * 1024 * GIB, 1000000 },
	/* The end, and files that have grown. */
	{ "4 of 4 files, 1.0 MB of 1.0 MB, 1.0 MB/s, 0:00 left", 4, MIB, 4, MIB,
	  1000 },
	{ "4 of 4 files, 2.1 MB, 2.1 MB/s", 4, MIB, 4, 2 * MIB, 1000 },
	/* More than was said. */
	{ "5 files, 0 kB, 0 kB/s", 4, 0, 5, 0, 1000 },
	/* Nothing has come yet: no time left to tell. */
	{ "0 of 1 file, 0 kB of 1.0 MB, 0 kB/s", 1, MIB, 0, 0, 1000 },
};

static char big[] = "big", missing[] = "missing", standard[] = "-",
	    folder[] = ".", null[] = "/dev/null";

static void
set_size(const char *path, uint64_t bytes)
{
	scratch_text(path, "");
	if (truncate(path, (off_t)bytes) != 0)
		exit(99);
}

static void
test_words(void)
{
	char *names[40], expected[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (sizeof(size_t) < 8 && rows[i].done_bytes > 1024 * GIB) {
			ok(true, "so much is not counted # SKIP 32 bits");
			continue;
		}
		reset();
		for (size_t k = 0; k < 40; k++)
			names[k] = missing;
		names[0] = rows[i].all_bytes ? big : standard;
		set_size(big, rows[i].all_bytes);
		begin(rows[i].files ? names : NULL, rows[i].files);
		progress_note(0, rows[i].done_bytes, rows[i].done_files);
		fault_clock_advance(rows[i].ms * MS);
		snprintf(expected, sizeof(expected), "\r%s", rows[i].expected);
		is(tick(), expected, "shown: %s", rows[i].expected);
		status_line_end();
		seen();
	}
	reset();
	begin(NULL, 0);
	fault_clock_advance(1000 * MS);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 100 * MIB, 1000);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, MIB, 1);
	is(tick(), "\r256 files, 268.4 MB, 268.4 MB/s",
	   "the work of all workers is added up, each with its last word");
	status_line_end();
	seen();
}

static void
test_totals(void)
{
	char *names[101];
	char *one[] = { big }, *with_stdin[] = { big, standard };
	char *with_device[] = { null, big };
	char *several[] = { big, folder, missing, big };

	set_size(big, MIB);
	reset();
	begin(several, 4);
	is(tick(), "\r0 of 4 files, 0 kB of 2.1 MB, 0 kB/s",
	   "the total is that of the regular files");
	status_line_end();
	begin(with_stdin, 2);
	seen();
	is(tick(), "\r0 of 2 files, 0 kB, 0 kB/s",
	   "with standard input the total is unknown");
	status_line_end();
	begin(with_device, 2);
	seen();
	is(tick(), "\r0 of 2 files, 0 kB, 0 kB/s",
	   "with a device the total is unknown");
	status_line_end();
	begin(one, 1);
	seen();
	set_size(big, 2 * MIB);
	tick();
	set_size(big, MIB);
	ok(strstr(tick(), " of 2.1 MB"), "sizes are looked up only once");
	status_line_end();

	ok(!world.bad_wait, "there is a tick each 200 ms");
	/* A millisecond goes by with each name. */
	for (size_t i = 0; i < 100; i++)
		names[i] = missing;
	names[100] = big;
	reset();
	begin(names, 101);
	seen();
	fault_clock_step(MS);
	ok(!strstr(tick(), "1.0 MB") && !strstr(tick(), "1.0 MB") &&
		   strstr(tick(), " of 1.0 MB"),
	   "sizes are looked up for 40 ms of each tick");
	status_line_end();
	seen();
}

/* The terminal ------------------------------------------------------------ */

static void
test_columns(void)
{
	char *one[] = { standard };
	char erased[300];

	reset();
	set_columns(0);
	begin(one, 1);
	progress_note(0, 0, 0);
	is(tick(), "\r0 of 1 file, 0 kB, 0 kB/s",
	   "a terminal without a width has enough columns");
	set_columns(26);
	is(tick(), "\r0 of 1 file, 0 kB, 0 kB/s",
	   "all columns but the last are used");
	set_columns(25);
	is(tick(), "\r0 of 1 file, 0 kB       ",
	   "a part that does not fit is left out");
	set_columns(19);
	is(tick(), "\r0 of 1 file, 0 kB", "a narrower line needs no blanks");
	set_columns(8);
	is(tick(), "\r       ", "a narrow terminal is not overfilled");
	set_columns(1000);
	tick();
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	snprintf(erased, sizeof(erased), "\r%25s\r", "");
	is(seen(), erased, "the line is erased with as many blanks as it has");
	status_line_end();
	seen();
	set_columns(200);
}

static void
test_background(void)
{
	reset();
	world.in_front = getpgrp();
	begin(NULL, 0);
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
	static const char line[] = "\r0 files, 0 kB, 0 kB/s";
	static const char erased[] = "\r                     \r";

	reset();
	begin(NULL, 0);
	ok(!*seen(), "nothing is shown before the first tick");
	tick();
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV && strcmp(seen(), erased) == 0,
	   "the line is erased before a message, and errno stays");
	status_line_release(STDERR_FILENO);
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	ok(!*seen(), "a line that is not shown is not erased");
	is(tick(), line, "the line comes back after a message");
	status_line_hide(STDOUT_FILENO);
	status_line_release(STDOUT_FILENO);
	ok(!*seen(), "output to elsewhere leaves the line");
	status_line_end();
	is(seen(), erased, "the line is erased at the end");

	world.out_is_terminal = true;
	begin(NULL, 0);
	tick();
	status_line_hide(STDOUT_FILENO);
	is(seen(), erased, "output to the terminal erases the line");
	status_line_release(STDOUT_FILENO);
	tick();
	status_line_close();
	seen();
	ok(!*tick(), "a line that was closed is not shown again");
	status_line_end();
	world.out_is_terminal = false;

	begin(NULL, 0);
	fault_hooks.clock_gettime = close_meanwhile;
	ok(!*tick(), "a line that is closed meanwhile is not shown");
	status_line_end();
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
	status_line_begin(NULL, 0, true);
	status_line_end();
	reset();
	status_line_begin(NULL, 0, false);
	status_line_end();
	ok(fault_count(FAULT_pthread_create) == 0,
	   "there is no thread without --progress, or without a terminal");
	reset();
	fault_at(FAULT_pthread_create, 1, EAGAIN);
	status_line_begin(NULL, 0, true);
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
	char *two[] = { big, standard };

	reset();
	signal(SIGUSR1, SIG_IGN);
	status_line_begin(NULL, 0, false);
	raise(SIGUSR1);
	ok(!*seen(), "a signal that was ignored before is ignored");
	signal(SIGUSR1, SIG_DFL);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		const int len = (int)lengths[i];

		memset(name, 'n', sizeof(name) - 1);
		name[len] = '\0';
		report_init(name);
		status_line_begin(two, 2, false);
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
	begin(NULL, 0);
	tick();
	raise(SIGUSR1);
	is(seen(), "\r                     \rprog: 0 files, 0 kB, 0 kB/s\n",
	   "the answer to a signal erases the line on the terminal");
	status_line_end();
	seen();
	/* Nothing can be longer. */
	begin(NULL, 0);
	progress_note(0, UINT64_MAX / 4, SIZE_MAX - 1);
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
	descriptor_init();
	scratch_enter();
	if (sem_init(&world.waiting, 0, 0) != 0)
		return 99;
	open_terminal();
	set_columns(200);
	report_init("prog");
	test_words();
	test_totals();
	test_columns();
	test_background();
	test_hiding();
	test_without();
	test_signals();

	/* Last: the terminal goes away. */
	reset();
	begin(NULL, 0);
	tick();
	close(world.other_side);
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV, "to erase the line in vain does not change errno");
	status_line_release(STDERR_FILENO);
	status_line_end();
	return tap_done();
}
