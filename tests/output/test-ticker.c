/* SPDX-License-Identifier: MIT */
/*
 * Promise: the line on the terminal is renewed five times a second, sizes are
 * looked up a little at a time until the totals are known, and a signal is
 * answered at once.
 */
#include "config.h"

#include "src/output/ticker.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/lanes/progress.h"
#include "src/output/report.h"
#include "src/output/status_line.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

/* Time -------------------------------------------------------------------- */

static struct timespec now;
static uint64_t now_ns, ns_a_look;
static unsigned ticks_left;
static bool times_good;
static sem_t out_of_ticks;

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time);
int
__wrap___clock_gettime64(clockid_t clock, struct timespec *time)
	__attribute__((alias("__wrap_clock_gettime")));
uint64_t
__wrap_clock_ns(void);
int
__wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock,
			      const struct timespec *until);
int
__wrap___pthread_cond_timedwait64(pthread_cond_t *cond, pthread_mutex_t *lock,
				  const struct timespec *until)
	__attribute__((alias("__wrap_pthread_cond_timedwait")));

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	times_good &= clock == CLOCK_MONOTONIC;
	*time = now;
	return 0;
}

uint64_t
__wrap_clock_ns(void)
{
	return now_ns += ns_a_look;
}

/* Each wait ends in time, as long as there are ticks left; then it ends when
 * the work does. */
int
__wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock,
			      const struct timespec *until)
{
	const uint64_t at = (uint64_t)now.tv_sec * 1000000000 +
			    (uint64_t)now.tv_nsec + 200000000;

	times_good &= (uint64_t)until->tv_sec == at / 1000000000 &&
		      (uint64_t)until->tv_nsec == at % 1000000000;
	/* Some clocks just fill a second, some do not. */
	now.tv_sec++;
	now.tv_nsec = (now.tv_nsec + 100000000) % 1000000000;
	if (ticks_left > 0) {
		ticks_left--;
		return ETIMEDOUT;
	}
	sem_post(&out_of_ticks);
	return pthread_cond_wait(cond, lock);
}

/* The rest of the program -------------------------------------------------- */

static bool has_terminal;
static unsigned shown, line_closed, expected_calls;
static size_t expected_files, begun_with;
static uint64_t expected_bytes;

bool
__wrap_status_line_open(void);
void
__wrap_status_line_show(const char *text, size_t len);
void
__wrap_status_line_close(void);
size_t
__wrap_status_line_erasure(char bytes[STATUS_LINE_ERASE_BYTES]);
void
__wrap_progress_begin(size_t files);
void
__wrap_progress_expect(size_t files, uint64_t bytes);
size_t
__wrap_progress_words(char words[PROGRESS_BYTES]);

bool
__wrap_status_line_open(void)
{
	return has_terminal;
}

void
__wrap_status_line_show(const char *text, size_t len)
{
	shown += len == 9 && memcmp(text, "some work", 9) == 0;
}

void
__wrap_status_line_close(void)
{
	line_closed++;
}

size_t
__wrap_status_line_erasure(char bytes[STATUS_LINE_ERASE_BYTES])
{
	memcpy(bytes, "<erased>", 8);
	return 8;
}

void
__wrap_progress_begin(size_t files)
{
	begun_with = files;
}

void
__wrap_progress_expect(size_t files, uint64_t bytes)
{
	expected_calls++;
	expected_files = files;
	expected_bytes = bytes;
}

size_t
__wrap_progress_words(char words[PROGRESS_BYTES])
{
	memcpy(words, "some work", 9);
	errno = EXDEV;
	return 9;
}

/* Forecasts ---------------------------------------------------------------- */

static struct script {
	struct forecast forecast;
	const char *const *names; /* ends with "" */
	unsigned asked;
	unsigned pauses; /* so often there is no name yet */
} script;

static bool
next_name(struct forecast *forecast, const char **name)
{
	script.asked++;
	if (script.pauses > 0) {
		script.pauses--;
		*name = NULL;
		return true;
	}
	*name = *script.names++;
	return forecast == &script.forecast && **name;
}

static char path[] = "test-ticker-XXXXXX";

static const char *const files[] = { path, ".", "test-ticker-missing", path,
				     "" };
static const char *const with_stdin[] = { path, "-", path, "" };
static const char *const with_device[] = { "/dev/null", path, "" };
static const char *const one[] = { path, "" };
static const char *const none[] = { "" };

static const struct row {
	const char *promise;
	const char *const *names;
	unsigned pauses, ticks;
	bool unknown, no_terminal;
	uint64_t ns_a_look;
	/* What is expected. */
	unsigned shown, asked, calls;
	size_t files;
	uint64_t bytes;
} rows[] = {
	{ "the totals are those of the regular files, looked up once", files, 0,
	  7, false, false, 1, 7, 5, 1, 4, 2 * 1234 },
	{ "with standard input the bytes are not known", with_stdin, 0, 1,
	  false, false, 1, 1, 4, 1, 3, 0 },
	{ "nor with a device", with_device, 0, 1, false, false, 1, 1, 3, 1, 2,
	  0 },
	{ "that there are no files is known at once", none, 0, 1, false, false,
	  1, 1, 1, 1, 0, 0 },
	{ "a forecast that cannot tell gives no totals", files, 0, 2, true,
	  false, 1, 2, 5, 0, 99, 99 },
	{ "work that ends before the first tick shows nothing", files, 0, 0,
	  false, false, 1, 0, 0, 0, 99, 99 },
	{ "nor does any without a terminal", files, 0, 0, false, true, 1, 0, 0,
	  0, 99, 99 },
	/* A millisecond goes by with each name. */
	{ "a tick takes 40 ms at most to look up sizes", one, 1000, 3, false,
	  false, 1000000, 3, 3 * 40, 0, 99, 99 },
	{ "even if there is only one more", one, 39, 1, false, false, 1000000,
	  1, 40, 0, 99, 99 },
	{ "the next goes on there", one, 39, 2, false, false, 1000000, 2, 41, 1,
	  1, 1234 },
};

static int
run(void *data)
{
	const struct row *row = data;

	script = (struct script){ .forecast = { .next = next_name,
						.unknown = row->unknown },
				  .names = row->names,
				  .pauses = row->pauses };
	expected_files = expected_bytes = 99;
	ticks_left = row->ticks;
	ns_a_look = row->ns_a_look;
	has_terminal = !row->no_terminal;
	times_good = true;
	now.tv_nsec = 750000000;
	ticker_begin(5, &script.forecast, true);
	while (has_terminal && sem_wait(&out_of_ticks) != 0)
		continue;
	ticker_end();
	ticker_end();
	printf("%u %u %u %zu %llu, %zu %u %d", shown, script.asked,
	       expected_calls, expected_files,
	       (unsigned long long)expected_bytes, begun_with, line_closed,
	       times_good);
	fflush(stdout);
	return 0;
}

static void
test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct row row = rows[i];
		struct capture capture;
		char expected[128];

		snprintf(expected, sizeof(expected),
			 "%u %u %u %zu %llu, 5 %d 1", row.shown, row.asked,
			 row.calls, row.files, (unsigned long long)row.bytes,
			 !row.no_terminal);
		capture_run(&capture, run, &row, false);
		is(capture.out.bytes, expected, "%s", row.promise);
		capture_free(&capture);
	}
}

/* Signals ------------------------------------------------------------------ */

static char long_name[400];

static int
answer_child(void *data)
{
	const char *const name = data;
	struct sigaction action;

	has_terminal = false;
	report_init(name);
	ticker_begin(0, NULL, true);
	errno = ENOTTY;
	raise(SIGUSR1);
	if (errno != ENOTTY)
		return 1;
	return sigaction(SIGUSR1, NULL, &action) == 0 &&
			       action.sa_flags & SA_RESTART ?
		       0 :
		       2;
}

static int
ignored_child(void *data)
{
	(void)data;
	signal(SIGUSR1, SIG_IGN);
	report_init("prog");
	ticker_begin(0, NULL, false);
	raise(SIGUSR1);
	return 0;
}

static void
test_signals(void)
{
	static const unsigned lengths[] = { 4, 255, 256, 257 };
	struct capture capture;
	char expected[512];

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		const int len = (int)lengths[i];

		memset(long_name, 'n', sizeof(long_name) - 1);
		long_name[len] = '\0';
		snprintf(expected, sizeof(expected),
			 "<erased>%.*s: some work\n", len > 256 ? 256 : len,
			 long_name);
		capture_run(&capture, answer_child, long_name, false);
		is(capture.err.bytes, expected, "a name of %d bytes", len);
		ok(capture.status == 0, "its status");
		capture_free(&capture);
	}
	capture_run(&capture, ignored_child, NULL, false);
	ok(!capture.err.len && capture.status == 0,
	   "a signal that was ignored before still is");
	capture_free(&capture);
}

int
main(void)
{
	const int fd = mkstemp(path);

	alarm(60);
	if (fd < 0 || ftruncate(fd, 1234) != 0 || close(fd) != 0 ||
	    sem_init(&out_of_ticks, 0, 0) != 0)
		return 99;
	test_signals();
	test_rows();
	unlink(path);
	return tap_done();
}
