/* SPDX-License-Identifier: MIT */
/*
 * Promise: the status line is erased before anything else is written, and is
 * not shown any more once it was closed, be it that another thread was about
 * to.
 */
#include "config.h"

#include "src/output/status_line.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
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
	char text[512];
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
	return tap_done();
}
