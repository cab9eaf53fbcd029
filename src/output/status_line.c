/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/base/thread.h"
#include "src/lanes/sequencer.h"
#include "src/output/report.h"

enum {
	TICK_MS = 200,
	/* The part of a tick for looking ahead: the line must not wait. */
	LOOK_MS = 40,
	STACK_BYTES = 128 << 10,
	/* If the width of the terminal is unknown. */
	USUAL_COLUMNS = 80,
	WORDS_BYTES = 160, /* enough for any progress */
	/* A CR, the words, the end of erase_line. */
	LINE_BYTES = 1 + WORDS_BYTES + 4
};

/* Moves to the first column and erases the line. */
static const char erase_line[] = "\r\033[K";

static struct {
	uint64_t begin_ns;
	struct forecast *forecast;

	/* Changed with the lock. */
	bool closed;
	pthread_mutex_t lock;
	bool is_shown;		/* may be read without the lock */
	char text[WORDS_BYTES]; /* the line shown last */
	size_t len;

	bool running, shares_stdout; /* constant while there are threads */
	bool looking;
	pthread_t thread;
	pthread_cond_t stop;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Words -------------------------------------------------------------------- */

/*
 * Text that grows from `at` on; what would be beyond `end` is left out.  Each
 * part of the progress says more than the one after it, so that a line without
 * its last parts is still useful.  These functions are async-signal-safe.
 */
struct words {
	char *at;
	char *end;
};

static void
add_words(struct words *words, const char *string)
{
	while (*string && words->at < words->end)
		*words->at++ = *string++;
}

static void
add_number(struct words *words, uint64_t number, int min_digits)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
		min_digits--;
	} while (number > 0 || min_digits > 0);
	add_words(words, at);
}

/* "512 kB", "5.2 MB": from 1 MB on with one decimal, rounded. */
static void
add_bytes(struct words *words, uint64_t bytes)
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
		add_number(words, bytes / unit, 1);
	} else {
		const uint64_t tenths = (bytes + unit / 20) / (unit / 10);

		add_number(words, tenths / 10, 1);
		add_words(words, ".");
		add_number(words, tenths % 10, 1);
	}
	add_words(words, units[i]);
}

static void
add_duration(struct words *words, uint64_t seconds)
{
	if (seconds >= 3600) {
		add_number(words, seconds / 3600, 1);
		add_words(words, ":");
	}
	add_number(words, seconds / 60 % 60, seconds >= 3600 ? 2 : 1);
	add_words(words, ":");
	add_number(words, seconds % 60, 2);
}

/* Add up the workers' progress (progress_sum) and the total. */
static void
add_progress(struct words *words)
{
	const struct forecast *const forecast = line.forecast;
	const uint64_t ms = (clock_ns() - line.begin_ns) / CLOCK_NS_PER_MS;
	const size_t all = forecast_get(&forecast->files);
	uint64_t total = forecast_get(&forecast->kib);
	uint64_t kib, files, rate;

	progress_sum(&kib, &files);
	/* A total that is exceeded, by files that have grown, is not known. */
	if (files > all || kib > total)
		total = 0;
	rate = kib * 1000 / (ms > 0 ? ms : 1); /* per second */
	if (total > 0) {
		add_number(words, kib * 100 / total, 1);
		add_words(words, " %, ");
	}
	if (total > 0 && rate > 0) {
		add_duration(words, (total - kib) / rate);
		add_words(words, " left, ");
	}
	add_number(words, files, 1);
	if (all > 0 && files <= all) {
		add_words(words, " of ");
		add_number(words, all, 1);
		files = all;
	}
	add_words(words, files == 1 ? " file, " : " files, ");
	add_bytes(words, kib << 10);
	if (total > 0) {
		add_words(words, " of ");
		add_bytes(words, total << 10);
	}
	add_words(words, ", ");
	add_bytes(words, rate << 10);
	add_words(words, "/s");
}

/* The terminal ------------------------------------------------------------- */

/* A failed write is ignored: the line is only informative. */
static void
write_bytes(const char *bytes, size_t len)
{
	ssize_t n = write(descriptor_standard(STDERR_FILENO), bytes, len);

	(void)n;
}

static bool
is_shown(void)
{
	return __atomic_load_n(&line.is_shown, __ATOMIC_RELAXED);
}

/* The caller holds the lock. */
static void
erase(void)
{
	if (is_shown())
		write_bytes(erase_line, sizeof(erase_line) - 1);
	__atomic_store_n(&line.is_shown, false, __ATOMIC_RELAXED);
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
	return columns - 1;
}

/* A background process must not write to the terminal. */
static bool
in_foreground(void)
{
	const pid_t front = tcgetpgrp(STDERR_FILENO);

	return front <= 0 || front == getpgrp();
}

/* How much of the text fits: whole parts, which commas separate, since a
 * truncated number would be wrong; of the first part at least the numbers. */
static size_t
fit(const char *text, size_t len, size_t columns)
{
	while (len > columns) {
		const char *end = memrchr(text, ',', len);

		if (!end && (end = memrchr(text, ' ', len)) != NULL &&
		    (size_t)(end - text) > columns)
			end = NULL;
		len = end ? (size_t)(end - text) : 0;
	}
	return len;
}

/* Show what is remembered, instead of what is shown, if the program is in the
 * foreground.  The caller holds the lock. */
static void
show(void)
{
	const size_t len = fit(line.text, line.len, count_columns());
	const size_t end_len = sizeof(erase_line) - 2;
	char bytes[LINE_BYTES];

	if (line.closed || line.len == 0 || !in_foreground())
		return;
	bytes[0] = '\r';
	memcpy(bytes + 1, line.text, len);
	memcpy(bytes + 1 + len, erase_line + 1, end_len);
	write_bytes(bytes, 1 + len + end_len);
	__atomic_store_n(&line.is_shown, len > 0, __ATOMIC_RELAXED);
}

void
status_line_hide(void)
{
	const int saved_errno = errno;

	if (!line.running)
		return;
	pthread_mutex_lock(&line.lock);
	erase();
	errno = saved_errno;
}

void
status_line_release(void)
{
	const int saved_errno = errno;

	if (!line.running)
		return;
	show();
	pthread_mutex_unlock(&line.lock);
	errno = saved_errno;
}

/* The end ------------------------------------------------------------------ */

bool
status_line_shares_stdout(void)
{
	return line.shares_stdout;
}

void
status_line_close(void)
{
	pthread_mutex_lock(&line.lock);
	erase();
	line.closed = true;
	if (line.running)
		pthread_cond_signal(&line.stop);
	pthread_mutex_unlock(&line.lock);
}

/* The thread --------------------------------------------------------------- */

/* Wait for a tick, or (false) until the end.  The caller holds the lock. */
static bool
wait_for_tick(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!line.closed && pthread_cond_timedwait(&line.stop, &line.lock,
						      &until) != ETIMEDOUT)
		continue;
	return !line.closed;
}

/* Work that ends before the first tick shows no line. */
static void *
tick(void *unused)
{
	struct words words;

	pthread_mutex_lock(&line.lock);
	while (wait_for_tick()) {
		pthread_mutex_unlock(&line.lock);
		line.looking = line.looking &&
			       line.forecast->count(
				       line.forecast,
				       clock_ns() + LOOK_MS * CLOCK_NS_PER_MS);
		pthread_mutex_lock(&line.lock);
		words = (struct words){ line.text,
					line.text + sizeof(line.text) };
		add_progress(&words);
		line.len = (size_t)(words.at - line.text);
		/* The line may have been closed meanwhile. */
		show();
	}
	pthread_mutex_unlock(&line.lock);
	return unused;
}

static bool
start_thread(void)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&line.stop, &clock);
	pthread_condattr_destroy(&clock);
	return thread_start(&line.thread, STACK_BYTES, tick, NULL);
}

/* Signals ------------------------------------------------------------------ */

/* Uses only async-signal-safe functions, and writes the line at once. */
static void
answer(int signal_number)
{
	enum { NAME_BYTES = 256 };
	const int saved_errno = errno;
	char bytes[sizeof(erase_line) + NAME_BYTES + WORDS_BYTES + 3];
	struct words words = { .at = bytes, .end = bytes + NAME_BYTES };

	(void)signal_number;
	if (is_shown())
		add_words(&words, erase_line);
	add_words(&words, report_name());
	words.end = bytes + sizeof(bytes);
	add_words(&words, ": ");
	add_progress(&words);
	add_words(&words, "\n");
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

/* Return true if standard error is a terminal with escape sequences. */
static bool
can_erase(void)
{
	const char *const terminal = getenv("TERM");

	return terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(descriptor_standard(STDERR_FILENO));
}

void
status_line_begin(struct forecast *forecast, bool on_terminal)
{
	line.begin_ns = clock_ns();
	line.forecast = forecast;
	line.len = 0;
	line.closed = false;
	line.looking = true;
	answer_signals();
	if (!on_terminal || !can_erase())
		return;
	line.running = start_thread();
	line.shares_stdout = line.running &&
			     isatty(descriptor_standard(STDOUT_FILENO));
}

void
status_line_end(void)
{
	status_line_close();
	if (line.running)
		pthread_join(line.thread, NULL);
	line.running = line.shares_stdout = false;
}
