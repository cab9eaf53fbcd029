/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/ticker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/descriptor.h"
#include "src/progress.h"
#include "src/report.h"
#include "src/status_line.h"

enum {
	TICK_MS = 200,
	/* Operands whose sizes are asked for at a tick: what a cold disk may
	 * have to seek for must not keep the line from changing. */
	TICK_OPERANDS = 2000,
	STACK_BYTES = 128 << 10
};

static struct {
	bool running;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool stopped;
	const struct options *options;
	size_t asked;		/* operands whose sizes are known */
	uint64_t bytes;		/* of these */
} ticker = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Signals ----------------------------------------------------------------- */

static size_t
append(char *line, size_t len, size_t size, const char *string)
{
	while (*string && len < size)
		line[len++] = *string++;
	return len;
}

/* Nothing but async-signal-safe functions, and one write for the line. */
static void
answer(int signal_number)
{
	enum { NAME_BYTES = 256 };
	const int saved_errno = errno;
	char line[STATUS_LINE_ERASE_BYTES + NAME_BYTES + PROGRESS_BYTES + 3];
	size_t len = status_line_erasure(line);
	ssize_t n;

	(void)signal_number;
	len = append(line, len, len + NAME_BYTES, report_program());
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

/* Can it be known beforehand how much there is to do? */
static bool
has_known_inputs(const struct options *options)
{
	return !options->check && !options->files0_from &&
	       !options->recursive;
}

/* Add the size of an operand; false if nobody knows it. */
static bool
add_size(const char *name)
{
	struct stat st;

	if (strcmp(name, "-") == 0)
		return false;
	if (stat(name, &st) != 0 || S_ISDIR(st.st_mode))
		return true;	/* is not going to be hashed */
	ticker.bytes += (uint64_t)st.st_size;
	return S_ISREG(st.st_mode);
}

/* Some more operands.  False: there is nothing more to find out. */
static bool
ask_sizes(void)
{
	const struct options *options = ticker.options;

	for (unsigned i = 0; i < TICK_OPERANDS; i++) {
		if (ticker.asked == options->noperands) {
			progress_expect(ticker.bytes);
			return false;
		}
		if (!add_size(options->operands[ticker.asked++]))
			return false;
	}
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

/* What is done before the first tick needs no line. */
static void *
tick(void *unused)
{
	bool asking = has_known_inputs(ticker.options) &&
		      ticker.options->noperands > 0;
	char words[PROGRESS_BYTES];

	while (wait_for_tick()) {
		asking = asking && ask_sizes();
		status_line_show(words, progress_words(words));
	}
	return unused;
}

/* Without a thread there is no line. */
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
	ticker.running = pthread_create(&ticker.thread, &attr, tick, NULL) ==
			 0;
	pthread_attr_destroy(&attr);
}

void
ticker_begin(const struct options *options)
{
	size_t files = 0;

	if (has_known_inputs(options))
		files = options->noperands > 0 ? options->noperands : 1;
	progress_begin(files);
	answer_signals();
	ticker.options = options;
	if (options->progress && status_line_open())
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
