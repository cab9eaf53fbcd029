/* SPDX-License-Identifier: MIT */
/*
 * Promise: the status line is erased before anything else is written, and is
 * not shown any more once it was closed, be it that another thread was about
 * to.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "tests/support/tap.h"

static int terminal; /* what is written to stderr can be read here */

/* Called once by the next function that takes a lock, just before it does. */
static void (*meanwhile)(void);

int
__real_pthread_mutex_lock(pthread_mutex_t *lock);
int
__wrap_pthread_mutex_lock(pthread_mutex_t *lock);

int
__wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
	void (*const call)(void) = meanwhile;

	meanwhile = NULL;
	if (call)
		call();
	return __real_pthread_mutex_lock(lock);
}

/* The process group in the foreground of the terminal; -1: it has none. */
static pid_t in_front = -1;

pid_t
__wrap_tcgetpgrp(int fd);

pid_t
__wrap_tcgetpgrp(int fd)
{
	return fd == STDERR_FILENO ? in_front : getpgrp();
}

static bool
open_terminal(void)
{
	struct termios modes;
	int side;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
		return false;
	side = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (side < 0 || tcgetattr(side, &modes) != 0)
		return false;
	cfmakeraw(&modes);
	return tcsetattr(side, TCSANOW, &modes) == 0 &&
	       dup2(side, STDERR_FILENO) == STDERR_FILENO;
}

/* Was just this written since the last call? */
static bool
shows(const char *expected)
{
	char text[1024];
	size_t len = 0;

	/* What is written comes in order, but not at once. */
	if (write(STDERR_FILENO, "#", 1) != 1)
		return false;
	while (len < sizeof(text) - 1 && read(terminal, text + len, 1) == 1 &&
	       text[len] != '#')
		len++;
	text[len] = '\0';
	return strcmp(text, expected) == 0;
}

static void
show(const char *text)
{
	status_line_show(text, strlen(text));
}

/* How many columns the line of a text has, its blanks included. */
static void
set_columns(unsigned short columns)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };

	if (ioctl(terminal, TIOCSWINSZ, &size) != 0)
		exit(99);
}

/* Parts of a text that do not fit are left out, and the last column is. */
static void
test_columns(void)
{
	char text[400], expected[404], erased[404];

	status_line_open();
	set_columns(0);
	memset(text, 'x', sizeof(text));
	text[79] = text[80] = ',';
	text[100] = '\0';
	snprintf(expected, sizeof(expected), "\r%.79s", text);
	show(text);
	ok(shows(expected), "an unknown width is one of 80 columns");
	set_columns(12);
	show("one, two, six");
	ok(shows("\rone, two   "), "a part that does not fit is left out");
	show("one, two, x");
	ok(shows("\rone, two, x"), "all columns but the last are used");
	set_columns(8);
	show("one, two");
	ok(shows("\rone    "), "a narrower terminal is not overfilled");
	show("seventeen columns");
	ok(shows("\r   "), "what has no parts is left out as a whole");
	set_columns(300);
	memset(text, 'x', sizeof(text));
	text[0] = text[254] = text[255] = ',';
	text[280] = '\0';
	show(text);
	snprintf(expected, sizeof(expected), "\r%.254s", text);
	ok(shows(expected), "there is a widest line");
	set_columns(254);
	text[252] = text[253] = ',';
	show(text);
	snprintf(expected, sizeof(expected), "\r%.253s", text);
	ok(shows(expected), "one of 254 columns has its last one free");
	set_columns(300);
	text[252] = text[253] = 'x';
	show(text);
	shows("");
	memset(erased, ' ', sizeof(erased));
	erased[0] = erased[255] = '\r';
	erased[256] = '\0';
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	ok(shows(erased), "it is erased");
	status_line_close();
	set_columns(80);
}

static void
test_background(void)
{
	status_line_open();
	in_front = getpgrp();
	show("a");
	ok(shows("\ra"), "in the foreground the line is shown");
	in_front = getpgrp() + 1;
	show("b");
	ok(shows(""), "in the background it is not");
	in_front = 0;
	show("c");
	ok(shows("\rc"), "where there is no foreground it is");
	in_front = -1;
	status_line_close();
	shows("");
}

static void
test_erasure(void)
{
	char bytes[STATUS_LINE_ERASE_BYTES] = "";

	status_line_open();
	ok(status_line_erasure(bytes) == 0, "nothing is shown at first");
	show("abc");
	ok(status_line_erasure(bytes) == 5 && memcmp(bytes, "\r   \r", 5) == 0,
	   "what erases the line for others");
	ok(shows("\rabc"), "is not written");
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV && shows("\r   \r") &&
		   status_line_erasure(bytes) == 0,
	   "once erased there is nothing to erase, and errno stays");
	status_line_release(STDERR_FILENO);
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	status_line_close();
	ok(shows(""), "a line that is not shown is not erased");
}

/* Standard output is a terminal, too, or not. */
static void
test_output(void)
{
	const int saved = dup(STDOUT_FILENO);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	dup2(null, STDOUT_FILENO);
	status_line_open();
	show("abc");
	status_line_hide(STDOUT_FILENO);
	status_line_release(STDOUT_FILENO);
	const bool kept = shows("\rabc");
	status_line_close();
	const bool closed = shows("\r   \r");

	dup2(STDERR_FILENO, STDOUT_FILENO);
	status_line_open();
	show("abc");
	status_line_hide(STDOUT_FILENO);
	status_line_release(STDOUT_FILENO);
	const bool erased = shows("\rabc\r   \r");
	status_line_close();

	/* And the one without the other. */
	const int terminal_side = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	const bool opened = status_line_open();
	status_line_hide(STDOUT_FILENO);
	status_line_release(STDOUT_FILENO);
	dup2(terminal_side, STDERR_FILENO);
	dup2(saved, STDOUT_FILENO);
	close(terminal_side);
	close(saved);
	close(null);
	ok(kept && closed, "output to elsewhere leaves the line");
	ok(erased, "output to the same terminal erases it");
	ok(!opened, "without a terminal for messages there is no line");
}

int
main(void)
{
	alarm(60);
	descriptor_init();
	if (!open_terminal())
		return 99;
	ok(status_line_open(), "there is a terminal");
	show("one, two");
	ok(shows("\rone, two"), "the line is shown");
	show("six");
	ok(shows("\rsix     "), "a shorter one covers it");
	status_line_hide(STDERR_FILENO);
	status_line_release(STDERR_FILENO);
	ok(shows("\r   \r"), "it is erased before something else");
	show("more");
	status_line_close();
	ok(shows("\rmore\r    \r"), "and at the end");
	show("late");
	ok(shows(""), "then no more is shown");

	status_line_open();
	meanwhile = status_line_close;
	show("late");
	ok(shows(""), "nor by a thread that was about to");
	test_columns();
	test_background();
	test_erasure();
	test_output();

	/* Last: the terminal goes away. */
	status_line_open();
	show("abc");
	close(terminal);
	errno = EXDEV;
	status_line_hide(STDERR_FILENO);
	ok(errno == EXDEV, "to erase the line in vain does not change errno");
	return tap_done();
}
