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
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/output/progress_words.h"
#include "src/output/report.h"

enum {
	TICK_MS = 200,
	/* The part of a tick for looking ahead: the line must not wait. */
	LOOK_MS = 40,
	/* For the program behind a pipe to show what it has read. */
	SETTLE_MS = 3,
	STACK_BYTES = 128 << 10,
	/* If the width of the terminal is unknown. */
	USUAL_COLUMNS = 80,
	/* A CR, the columns as blanks, a CR. */
	ERASE_BYTES = 256,
	MOST_COLUMNS = ERASE_BYTES - 2,
	/* A CR, the columns, the end of erase_line. */
	LINE_BYTES = 1 + MOST_COLUMNS + 4
};

/* Where results go to, as far as the line is concerned. */
enum place {
	ELSEWHERE,
	TERMINAL,     /* that seems to be another one */
	OUR_TERMINAL, /* that which has the line */
	PIPE
};

/* Moves to the first column and erases the line. */
static const char erase_line[] = "\r\033[K";

static struct {
	uint64_t begin_ns;
	struct forecast *forecast;
	void (*flush)(void);
	bool holds;
	bool dumb; /* the terminal knows CR and blanks only */
	enum place results;

	/* Changed with the lock. */
	bool closed;
	pthread_mutex_t lock;
	size_t shown;	/* columns; read without the lock, too */
	bool unsettled; /* what a pipe was given may not be shown yet */
	char text[PROGRESS_WORDS_BYTES]; /* that was shown last */
	size_t len;

	bool running; /* constant while there are other threads */
	bool stopped, looking;
	pthread_t thread;
	pthread_cond_t stop;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

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
	if (!line.dumb) {
		memcpy(bytes, erase_line, sizeof(erase_line) - 1);
		return sizeof(erase_line) - 1;
	}
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

/* The bytes that replace the line by the text that is remembered; returns their
 * number.  The caller holds the lock. */
static size_t
compose(char bytes[LINE_BYTES])
{
	const size_t columns = count_columns();
	const size_t len = fit(line.text, line.len, columns);
	size_t end = 1 + len;

	bytes[0] = '\r';
	memcpy(bytes + 1, line.text, len);
	if (!line.dumb) {
		memcpy(bytes + end, erase_line + 1, sizeof(erase_line) - 2);
		end += sizeof(erase_line) - 2;
	}
	/* A terminal that has become narrower has erased the rest. */
	for (; line.dumb && end < 1 + line.shown && end < 1 + columns; end++)
		bytes[end] = ' ';
	__atomic_store_n(&line.shown, len, __ATOMIC_RELAXED);
	return end;
}

/* Show what is remembered if the program is in the foreground.  The caller
 * holds the lock. */
static void
show(void)
{
	char bytes[LINE_BYTES];

	if (!line.closed && line.len > 0 && !line.unsettled && in_foreground())
		write_bytes(bytes, compose(bytes));
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

/* Results ------------------------------------------------------------------ */

static ssize_t
write_results(const char *bytes, size_t len)
{
	return write(descriptor_standard(STDOUT_FILENO), bytes, len);
}

/* Write the erasure, results and the line again as one: terminals show what
 * they have read at once.  The caller holds the lock. */
static ssize_t
write_together(const char *results, size_t len)
{
	char bytes[ERASE_BYTES + STATUS_LINE_RESULTS + LINE_BYTES];
	const size_t before = erasure(bytes);
	ssize_t n;

	memcpy(bytes + before, results, len);
	n = write_results(bytes, before + len + compose(bytes + before + len));
	if (n < 0)
		return n;
	if ((size_t)n >= before + len)
		return (ssize_t)len;
	/* What is not erased yet will be; after a part of the results there is
	 * no line. */
	if ((size_t)n <= before)
		return 0;
	__atomic_store_n(&line.shown, 0, __ATOMIC_RELAXED);
	return n - (ssize_t)before;
}

/* The same in three steps, or two where a pipe is not to be hurried. */
static ssize_t
write_between(const char *results, size_t len)
{
	ssize_t n;
	int error;

	if (line.results != ELSEWHERE)
		erase();
	n = write_results(results, len);
	error = errno;
	if (line.results == PIPE)
		line.unsettled = true;
	else if (line.results != ELSEWHERE)
		show();
	errno = error;
	return n;
}

ssize_t
status_line_write(const char *bytes, size_t len)
{
	ssize_t n;

	if (!line.running)
		return write_results(bytes, len);
	pthread_mutex_lock(&line.lock);
	if (line.results == OUR_TERMINAL && line.shown > 0 &&
	    len <= STATUS_LINE_RESULTS && bytes[len - 1] == '\n' &&
	    in_foreground())
		n = write_together(bytes, len);
	else
		n = write_between(bytes, len);
	pthread_mutex_unlock(&line.lock);
	return n;
}

/* The end ------------------------------------------------------------------ */

bool
status_line_holds(void)
{
	return __atomic_load_n(&line.holds, __ATOMIC_RELAXED);
}

/* The caller holds the lock. */
static void
close_line(void)
{
	erase();
	__atomic_store_n(&line.holds, false, __ATOMIC_RELAXED);
	line.closed = true;
}

void
status_line_close(void)
{
	pthread_mutex_lock(&line.lock);
	close_line();
	pthread_mutex_unlock(&line.lock);
}

/* The thread --------------------------------------------------------------- */

static void
add_progress(struct words *words)
{
	words_add_progress(words, line.forecast,
			   (clock_ns() - line.begin_ns) / CLOCK_NS_PER_MS);
}

/* Wait `ms`, or (false) until the end.  The caller holds the lock. */
static bool
wait_ms(unsigned ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!line.stopped && pthread_cond_timedwait(&line.stop, &line.lock,
						       &until) != ETIMEDOUT)
		continue;
	return !line.stopped;
}

/* Wait for the program behind a pipe to read what it was given, and then for it
 * to show that.  If it does not read, as a pager, the line would be in its way.
 * The caller holds the lock. */
static void
settle(void)
{
	const int fd = descriptor_standard(STDOUT_FILENO);
	unsigned quiet = 0, ms = 0;

	for (; line.unsettled && ms < TICK_MS; ms += SETTLE_MS) {
		int unread = 0;

		if (!wait_ms(SETTLE_MS) || ioctl(fd, FIONREAD, &unread) != 0)
			return;
		quiet = unread > 0 ? 0 : quiet + 1;
		line.unsettled = quiet < 2;
	}
}

/* Work that ends before the first tick shows no line. */
static void *
tick(void *unused)
{
	struct words words;

	pthread_mutex_lock(&line.lock);
	while (wait_ms(TICK_MS)) {
		pthread_mutex_unlock(&line.lock);
		line.looking = line.looking &&
			       line.forecast->look(
				       line.forecast,
				       clock_ns() + LOOK_MS * CLOCK_NS_PER_MS);
		line.flush();
		pthread_mutex_lock(&line.lock);
		settle();
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
	char bytes[ERASE_BYTES + NAME_BYTES + PROGRESS_WORDS_BYTES + 3];
	struct words words = { .at = bytes + erasure(bytes) };

	(void)signal_number;
	words.end = words.at + NAME_BYTES;
	words_add(&words, report_name());
	words.end = bytes + sizeof(bytes);
	words_add(&words, ": ");
	add_progress(&words);
	words_add(&words, "\n");
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

/* Where standard output goes to. */
static enum place
find_place(void)
{
	const int fd = descriptor_standard(STDOUT_FILENO);
	struct stat out, error;

	if (fstat(fd, &out) != 0)
		return ELSEWHERE;
	if (isatty(fd))
		return fstat(descriptor_standard(STDERR_FILENO), &error) == 0 &&
				       out.st_rdev == error.st_rdev ?
			       OUR_TERMINAL :
			       TERMINAL;
	return S_ISFIFO(out.st_mode) ? PIPE : ELSEWHERE;
}

void
status_line_begin(struct forecast *forecast, bool on_terminal,
		  void (*flush)(void))
{
	const char *const terminal = getenv("TERM");

	line.begin_ns = clock_ns();
	line.forecast = forecast;
	line.flush = flush;
	line.len = 0;
	line.stopped = line.unsettled = line.closed = false;
	line.looking = true;
	line.dumb = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
	answer_signals();
	if (!on_terminal || !isatty(descriptor_standard(STDERR_FILENO)))
		return;
	line.results = find_place();
	line.holds = line.results != ELSEWHERE;
	line.running = true; /* for the thread, too */
	if (!start_thread())
		line.holds = line.running = false;
}

void
status_line_end(void)
{
	pthread_mutex_lock(&line.lock);
	close_line();
	line.stopped = true;
	if (line.running)
		pthread_cond_signal(&line.stop);
	pthread_mutex_unlock(&line.lock);
	if (line.running)
		pthread_join(line.thread, NULL);
	line.running = false;
}
