/* SPDX-License-Identifier: MIT */
/*
 * Only CR and blanks are used, which every terminal knows.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/descriptor.h"

enum {
	/* If the width of the terminal is unknown. */
	USUAL_COLUMNS = 80,
	/* Beside the two CR that erase it. */
	MOST_COLUMNS = STATUS_LINE_ERASE_BYTES - 2
};

static struct {
	/* Changed by the thread that writes messages, with the lock. */
	bool on_terminal[STDERR_FILENO + 1];
	pthread_mutex_t lock;
	size_t shown; /* columns; read without the lock, too */
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A failed write is ignored: the line is only informative. */
static void
put(const char *bytes, size_t len)
{
	ssize_t n = write(descriptor_standard(STDERR_FILENO), bytes, len);

	(void)n;
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

size_t
status_line_erasure(char bytes[STATUS_LINE_ERASE_BYTES])
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
	char bytes[STATUS_LINE_ERASE_BYTES];

	put(bytes, status_line_erasure(bytes));
	__atomic_store_n(&line.shown, 0, __ATOMIC_RELAXED);
}

bool
status_line_open(void)
{
	line.shown = 0;
	line.on_terminal[STDERR_FILENO] =
		isatty(descriptor_standard(STDERR_FILENO));
	line.on_terminal[STDOUT_FILENO] =
		line.on_terminal[STDERR_FILENO] &&
		isatty(descriptor_standard(STDOUT_FILENO));
	return line.on_terminal[STDERR_FILENO];
}

/* The length of as many whole parts of a text as fit: a truncated number would
 * be wrong. */
static size_t
fit(const char *text, size_t len, size_t columns)
{
	while (len > columns) {
		const char *comma = memrchr(text, ',', len);

		len = comma ? (size_t)(comma - text) : 0;
	}
	return len;
}

/* The caller holds the lock. */
static void
show(const char *text, size_t len)
{
	char bytes[1 + MOST_COLUMNS];
	const size_t columns = count_columns();
	size_t padded;

	len = fit(text, len, columns);
	padded = len > line.shown ? len : line.shown;
	if (padded > columns)
		padded = columns; /* it has become narrower */
	bytes[0] = '\r';
	memcpy(bytes + 1, text, len);
	memset(bytes + 1 + len, ' ', padded - len);
	put(bytes, 1 + padded);
	__atomic_store_n(&line.shown, len, __ATOMIC_RELAXED);
}

void
status_line_show(const char *text, size_t len)
{
	pthread_mutex_lock(&line.lock);
	/* By now it may have been closed. */
	if (line.on_terminal[STDERR_FILENO] && in_foreground())
		show(text, len);
	pthread_mutex_unlock(&line.lock);
}

void
status_line_hide(int fd)
{
	const int saved_errno = errno;

	if (!line.on_terminal[fd])
		return;
	pthread_mutex_lock(&line.lock);
	if (line.shown > 0)
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
	if (line.shown > 0)
		erase();
	line.on_terminal[STDOUT_FILENO] = false;
	line.on_terminal[STDERR_FILENO] = false;
	pthread_mutex_unlock(&line.lock);
}
