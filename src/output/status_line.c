/* SPDX-License-Identifier: MIT */
/*
 * On the terminal only CR and blanks are used, which every terminal knows.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/lanes/progress.h"
#include "src/output/report.h"

enum {
	TICK_MS = 200,
	/* Of these, for looking up sizes: the line must not wait for them. */
	LOOK_MS = 40,
	STACK_BYTES = 128 << 10,
	WORDS_BYTES = 160, /* enough for any text of the line */
	/* If the width of the terminal is unknown. */
	USUAL_COLUMNS = 80,
	/* A CR, the columns as blanks, a CR. */
	ERASE_BYTES = 256,
	MOST_COLUMNS = ERASE_BYTES - 2
};

static struct {
	uint64_t begin_ns;
	char *const *names; /* NULL: unknown */
	size_t n;
	/* KiB of all files once they are known, else 0.  The size of the field
	 * is one that every machine stores in one piece. */
	size_t total_kib;

	/* Changed by the thread that writes messages, with the lock. */
	bool on_terminal[STDERR_FILENO + 1];
	pthread_mutex_t lock;
	size_t shown; /* columns; read without the lock, too */

	/* The thread, and what it knows of the sizes. */
	bool running, stopped;
	pthread_t thread;
	pthread_cond_t stop;
	size_t looked_up;
	uint64_t bytes;
	bool unknown; /* one of the sizes */
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Words, without a function that a signal handler may not call ------------- */

struct words {
	char *at;
	char *end;
};

static void
put(struct words *words, const char *string)
{
	while (*string && words->at < words->end)
		*words->at++ = *string++;
}

static void
put_number(struct words *words, uint64_t number, int min_digits)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
		min_digits--;
	} while (number > 0 || min_digits > 0);
	put(words, at);
}

/* "512 kB", "5.2 MB": from 1 MB on with one decimal, rounded. */
static void
put_bytes(struct words *words, uint64_t bytes)
{
	static const char *const units[] = { " kB", " MB", " GB", " TB" };
	const size_t last = sizeof(units) / sizeof(*units) - 1;
	uint64_t unit = 1000;
	size_t i = 0;

	while (i < last && bytes >= 1000 * unit - unit / 20) {
		unit *= 1000;
		i++;
	}
	if (i == 0) {
		put_number(words, bytes / unit, 1);
	} else {
		const uint64_t tenths = (bytes + unit / 20) / (unit / 10);

		put_number(words, tenths / 10, 1);
		put(words, ".");
		put_number(words, tenths % 10, 1);
	}
	put(words, units[i]);
}

static void
put_duration(struct words *words, uint64_t seconds)
{
	if (seconds >= 3600) {
		put_number(words, seconds / 3600, 1);
		put(words, ":");
	}
	put_number(words, seconds / 60 % 60, seconds >= 3600 ? 2 : 1);
	put(words, ":");
	put_number(words, seconds % 60, 2);
}

/* Totals that are exceeded, by files that have grown, are left out. */
static void
put_progress(struct words *words)
{
	const uint64_t ms = (clock_ns() - line.begin_ns) / CLOCK_NS_PER_MS;
	uint64_t all = __atomic_load_n(&line.total_kib, __ATOMIC_RELAXED);
	uint64_t kib, files, rate;

	progress_sum(&kib, &files);
	rate = kib * 1000 / (ms > 0 ? ms : 1); /* per second */
	put_number(words, files, 1);
	if (line.names && files <= line.n) {
		put(words, " of ");
		put_number(words, line.n, 1);
		files = line.n;
	}
	put(words, files == 1 ? " file, " : " files, ");
	put_bytes(words, kib << 10);
	if (all > 0 && kib <= all) {
		put(words, " of ");
		put_bytes(words, all << 10);
	}
	put(words, ", ");
	put_bytes(words, rate << 10);
	put(words, "/s");
	if (all > 0 && kib <= all && rate > 0) {
		put(words, ", ");
		put_duration(words, (all - kib) / rate);
		put(words, " left");
	}
}

/* The terminal ------------------------------------------------------------- */

/* A failed write is ignored: the line is only informative. */
static void
write_bytes(const char *bytes, size_t len)
{
	ssize_t n = write(descriptor_standard(STDERR_FILENO), bytes, len);

	(void)n;
}

/* The bytes that erase the line; returns their number. */
static size_t
erasure(char bytes[ERASE_BYTES])
{
	const size_t shown = __atomic_load_n(&line.shown, __ATOMIC_RELAXED);

	if (shown == 0)
		return 0;
	bytes[0] = '\r';
	memset(bytes + 1, ' ', shown);
	bytes[shown + 1] = '\r';
	return shown + 2;
}

/* The caller holds the lock. */
static void
erase(void)
{
	char bytes[ERASE_BYTES];
	const size_t len = erasure(bytes);

	if (len > 0)
		write_bytes(bytes, len);
	__atomic_store_n(&line.shown, 0, __ATOMIC_RELAXED);
}

/* The number of columns to use.  Not the last one: some terminals then move to
 * the next line. */
static size_t
count_columns(void)
{
	struct winsize size;
	size_t columns = USUAL_COLUMNS;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	return columns <= MOST_COLUMNS ? columns - 1 : MOST_COLUMNS;
}

/* A background process must not write to the terminal. */
static bool
in_foreground(void)
{
	const pid_t front = tcgetpgrp(STDERR_FILENO);

	return front <= 0 || front == getpgrp();
}

/* Replace the line.  Of a text that is too long only the first whole parts are
 * shown, which commas separate: a truncated number would be wrong.  The caller
 * holds the lock. */
static void
show(const char *text, size_t len)
{
	char bytes[1 + MOST_COLUMNS];
	const size_t columns = count_columns();
	size_t padded;

	while (len > columns) {
		const char *comma = memrchr(text, ',', len);

		len = comma ? (size_t)(comma - text) : 0;
	}
	padded = len > line.shown ? len : line.shown;
	if (padded > columns)
		padded = columns; /* it has become narrower */
	bytes[0] = '\r';
	memcpy(bytes + 1, text, len);
	memset(bytes + 1 + len, ' ', padded - len);
	write_bytes(bytes, 1 + padded);
	__atomic_store_n(&line.shown, len, __ATOMIC_RELAXED);
}

void
status_line_hide(int fd)
{
	const int saved_errno = errno;

	if (!line.on_terminal[fd])
		return;
	pthread_mutex_lock(&line.lock);
	erase();
	errno = saved_errno;
}

void
status_line_release(int fd)
{
	if (line.on_terminal[fd])
		pthread_mutex_unlock(&line.lock);
}

void
status_line_close(void)
{
	pthread_mutex_lock(&line.lock);
	erase();
	line.on_terminal[STDOUT_FILENO] = false;
	line.on_terminal[STDERR_FILENO] = false;
	pthread_mutex_unlock(&line.lock);
}

/* The thread --------------------------------------------------------------- */

static void
add_size(const char *name)
{
	struct stat st;

	if (strcmp(name, "-") == 0)
		line.unknown = true;
	else if (stat(name, &st) != 0 || S_ISDIR(st.st_mode))
		return; /* nothing of it is going to be hashed */
	else if (S_ISREG(st.st_mode))
		line.bytes += (uint64_t)st.st_size;
	else
		line.unknown = true;
}

/* Look up some more sizes; after the last one the total is known. */
static void
look_up(void)
{
	const uint64_t until = clock_ns() + LOOK_MS * CLOCK_NS_PER_MS;

	if (!line.names || line.looked_up == line.n)
		return;
	do
		add_size(line.names[line.looked_up++]);
	while (line.looked_up < line.n && clock_ns() < until);
	if (line.looked_up == line.n && !line.unknown)
		__atomic_store_n(&line.total_kib, (size_t)(line.bytes >> 10),
				 __ATOMIC_RELAXED);
}

/* Wait until it is time to show the line again, or (false) the end.  The caller
 * holds the lock. */
static bool
wait_for_tick(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!line.stopped && pthread_cond_timedwait(&line.stop, &line.lock,
						       &until) != ETIMEDOUT)
		continue;
	return !line.stopped;
}

/* Work that ends before the first tick shows no line. */
static void *
tick(void *unused)
{
	char text[WORDS_BYTES];

	pthread_mutex_lock(&line.lock);
	while (wait_for_tick()) {
		struct words words = { text, text + sizeof(text) };

		pthread_mutex_unlock(&line.lock);
		look_up();
		put_progress(&words);
		pthread_mutex_lock(&line.lock);
		/* By now it may have been closed. */
		if (line.on_terminal[STDERR_FILENO] && in_foreground())
			show(text, (size_t)(words.at - text));
	}
	pthread_mutex_unlock(&line.lock);
	return unused;
}

static bool
start_thread(void)
{
	pthread_condattr_t clock;
	pthread_attr_t attr;
	int error;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&line.stop, &clock);
	pthread_condattr_destroy(&clock);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	error = pthread_create(&line.thread, &attr, tick, NULL);
	pthread_attr_destroy(&attr);
	return error == 0;
}

/* Signals ------------------------------------------------------------------ */

/* Uses only async-signal-safe functions, and writes the line at once. */
static void
answer(int signal_number)
{
	enum { NAME_BYTES = 256 };
	const int saved_errno = errno;
	char bytes[ERASE_BYTES + NAME_BYTES + WORDS_BYTES + 3];
	struct words words = { .at = bytes + erasure(bytes) };

	(void)signal_number;
	words.end = words.at + NAME_BYTES;
	put(&words, report_name());
	words.end = bytes + sizeof(bytes);
	put(&words, ": ");
	put_progress(&words);
	put(&words, "\n");
	write_bytes(bytes, (size_t)(words.at - bytes));
	errno = saved_errno;
}

static void
answer_signals(void)
{
	struct sigaction action = { .sa_handler = answer,
				    .sa_flags = SA_RESTART };
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGUSR1, &action, &before) == 0 &&
	    before.sa_handler == SIG_IGN)
		sigaction(SIGUSR1, &before, NULL);
}

void
status_line_begin(char *const *names, size_t n, bool on_terminal)
{
	line.begin_ns = clock_ns();
	line.names = names;
	line.n = n;
	line.total_kib = line.looked_up = 0;
	line.bytes = 0;
	line.unknown = line.stopped = false;
	answer_signals();
	if (!on_terminal || !isatty(descriptor_standard(STDERR_FILENO)))
		return;
	line.on_terminal[STDERR_FILENO] = true;
	line.on_terminal[STDOUT_FILENO] =
		isatty(descriptor_standard(STDOUT_FILENO));
	line.running = start_thread();
}

void
status_line_end(void)
{
	status_line_close();
	if (!line.running)
		return;
	pthread_mutex_lock(&line.lock);
	line.stopped = true;
	pthread_cond_signal(&line.stop);
	pthread_mutex_unlock(&line.lock);
	pthread_join(line.thread, NULL);
	line.running = false;
}
