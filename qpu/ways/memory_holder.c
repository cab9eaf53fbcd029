/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/memory_holder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FDS_WITHOUT_CLOSE_RANGE = 65536 };

/* fork() of the C library takes locks that a signal handler may interrupt. */
static pid_t
start_process(void)
{
	return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L, 0L);
}

static void
close_all(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 0L, (long)~0u, 0L, 0L, 0L, 0L) == 0)
		return;
#endif
	for (long fd = 0; fd < FDS_WITHOUT_CLOSE_RANGE; fd++)
		syscall(SYS_close, fd, 0L, 0L, 0L, 0L, 0L);
}

/* Undo the program's handlers and signal mask. */
static void
reset_signals(void)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &usual, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
hold(void)
{
	prctl(PR_SET_NAME, "qpu-memory");
	(void)!chdir("/"); /* else it stays where it is */
	for (;;)
		pause();
}

/* Double fork: init adopts the holder. Close its files before reporting it
 * alive; it must not inherit our locks. */
bool
memory_holder_start(void)
{
	const pid_t parent = start_process();
	int status = 1;

	if (parent == 0) {
		pid_t holder;

		setsid();
		close_all();
		reset_signals();
		holder = start_process();
		if (holder == 0)
			hold();
		_exit(holder < 0);
	}
	if (parent < 0)
		return false;
	while (waitpid(parent, &status, 0) < 0)
		if (errno != EINTR)
			return true; /* reaped elsewhere */
	return status == 0;
}
