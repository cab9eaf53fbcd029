/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/ticker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/lanes/progress.h"
#include "src/output/report.h"
#include "src/output/status_line.h"

enum {
	TICK_MS = 200,
	/* Of these, for looking up sizes: neither the line nor the work must
	 * wait for that. */
	LOOK_MS = 40,
	STACK_BYTES = 128 << 10
};

static struct {
	bool running;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool stopped;
	struct forecast *forecast;
	size_t files;	    /* looked up */
	uint64_t bytes;	    /* of these */
	bool bytes_unknown; /* of one of these */
} ticker = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Signals ----------------------------------------------------------------- */

static size_t
append(char *line, size_t len, size_t size, const char *string)
{
	while (*string && len < size)
		line[len++] = *string++;
	return len;
}

/* Uses only async-signal-safe functions, and writes the line at once. */
static void
answer(int signal_number)
{
	enum { NAME_BYTES = 256 };
	const int saved_errno = errno;
	char line[STATUS_LINE_ERASE_BYTES + NAME_BYTES + PROGRESS_BYTES + 3];
	size_t len = status_line_erasure(line);
	ssize_t n;

	(void)signal_number;
	len = append(line, len, len + NAME_BYTES, report_name());
	len = append(line, len, sizeof(line), ": ");
	len += progress_words(line + len);
	line[len++] = '\n';
	n = write(descriptor_standard(STDERR_FILENO), line, len);
	(void)n;
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

/* The terminal ------------------------------------------------------------ */

/* Add the size of a file that is going to be hashed. */
static void
add_size(const char *name)
{
	struct stat st;

	ticker.files++;
	if (strcmp(name, "-") == 0)
		ticker.bytes_unknown = true;
	else if (stat(name, &st) != 0 || S_ISDIR(st.st_mode))
		return; /* nothing of it is going to be hashed */
	else if (S_ISREG(st.st_mode))
		ticker.bytes += (uint64_t)st.st_size;
	else
		ticker.bytes_unknown = true;
}

/* Look up some more sizes.  False: there are no more. */
static bool
look_ahead(void)
{
	const uint64_t until = clock_ns() + LOOK_MS * CLOCK_NS_PER_MS;
	const char *name;

	do {
		if (ticker.forecast->next(ticker.forecast, &name)) {
			if (name)
				add_size(name);
			continue;
		}
		if (!ticker.forecast->unknown)
			progress_expect(ticker.files, ticker.bytes_unknown ?
							      0 :
							      ticker.bytes);
		return false;
	} while (clock_ns() < until);
	return true;
}

static bool
wait_for_tick(void)
{
	struct timespec until;
	bool stopped;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;

	pthread_mutex_lock(&ticker.lock);
	while (!ticker.stopped &&
	       pthread_cond_timedwait(&ticker.stop, &ticker.lock, &until) !=
		       ETIMEDOUT)
		continue;
	stopped = ticker.stopped;
	pthread_mutex_unlock(&ticker.lock);
	return !stopped;
}

/* Work that ends before the first tick shows no line. */
static void *
tick(void *unused)
{
	bool looking = true;
	char words[PROGRESS_BYTES];

	while (wait_for_tick()) {
		looking = looking && look_ahead();
		status_line_show(words, progress_words(words));
	}
	return unused;
}

/* If no thread can be created, there is no line. */
static void
start_thread(void)
{
	pthread_condattr_t clock;
	pthread_attr_t attr;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&ticker.stop, &clock);
	pthread_condattr_destroy(&clock);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ticker.running = pthread_create(&ticker.thread, &attr, tick, NULL) == 0;
	pthread_attr_destroy(&attr);
}

void
ticker_begin(size_t files, struct forecast *forecast, bool on_terminal)
{
	progress_begin(files);
	answer_signals();
	ticker.forecast = forecast;
	if (on_terminal && status_line_open())
		start_thread();
}

void
ticker_end(void)
{
	if (!ticker.running)
		return;
	pthread_mutex_lock(&ticker.lock);
	ticker.stopped = true;
	pthread_cond_signal(&ticker.stop);
	pthread_mutex_unlock(&ticker.lock);
	pthread_join(ticker.thread, NULL);
	ticker.running = false;
	status_line_close();
}
