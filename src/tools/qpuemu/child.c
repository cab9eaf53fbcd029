/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/pi/shared.h"

/*
 * Signals that end a program and may be meant for it; those that a terminal
 * sends come first.
 */
static const int passed[] = { SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
			      SIGUSR1,	 SIGUSR2, SIGALRM, SIGXCPU, SIGXFSZ,
			      SIGVTALRM, SIGPROF, SIGIO,   SIGPWR };
enum { FROM_TERMINAL = 3, PASSED = sizeof(passed) / sizeof(*passed) };

/* The handler passes signals on to this process. */
static volatile sig_atomic_t child;

/*
 * Pass a signal on to the child.  A terminal signals the child itself.  A signal
 * from kill(), a timer or a limit has reached only this process, so it is passed
 * on; one that this process has caused, as by writing to a closed pipe, is not.
 */
static void
pass_on(int number, siginfo_t *info, void *context)
{
	const int saved_errno = errno;
	bool by_terminal = false;

	(void)context;
	for (size_t i = 0; i < FROM_TERMINAL; i++)
		by_terminal |= passed[i] == number;
	if (child > 0 &&
	    (info->si_code > 0 ? !by_terminal : info->si_pid != getpid()))
		kill((pid_t)child, number);
	errno = saved_errno;
}

/* Restore the handlers for the child. */
struct dispositions {
	struct sigaction passed[PASSED];
	struct sigaction ended;
};

/* Ignored signals stay ignored, except SIGCHLD: without it there would be no
 * child to wait for. */
static void
catch_signals(struct dispositions *before)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction action = { .sa_sigaction = pass_on,
				    .sa_flags = SA_SIGINFO };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < PASSED; i++) {
		sigaction(passed[i], NULL, &before->passed[i]);
		if (before->passed[i].sa_handler != SIG_IGN)
			sigaction(passed[i], &action, NULL);
	}
	sigaction(SIGCHLD, &usual, &before->ended);
}

static void
restore_signals(const struct dispositions *before)
{
	for (size_t i = 0; i < PASSED; i++)
		sigaction(passed[i], &before->passed[i], NULL);
	sigaction(SIGCHLD, &before->ended, NULL);
}

/* Put `before` in front of the variable's old value. */
static bool
prepend(const char *variable, const char *before)
{
	const char *old = getenv(variable);
	char *value;
	bool good;

	if (!old || !*old)
		return setenv(variable, before, 1) == 0;
	if (asprintf(&value, "%s:%s", before, old) < 0)
		return false;
	good = setenv(variable, value, 1) == 0;
	free(value);
	return good;
}

static bool
set_environment(const char *dir)
{
	char object[BOARD_PATH + 16], libraries[BOARD_PATH + 16];

	snprintf(object, sizeof(object), "%s/qpuemu.so", dir);
	snprintf(libraries, sizeof(libraries), "%s/lib", dir);
	/* AddressSanitizer wants to be the first library, but need not be. */
	return setenv(BOARD_VARIABLE, dir, 1) == 0 &&
	       prepend("ASAN_OPTIONS", "verify_asan_link_order=0") &&
	       prepend("LD_PRELOAD", object) &&
	       prepend("LD_LIBRARY_PATH", libraries);
}

static int
wait_for_child(void)
{
	int status;

	/* No other thread waits for this child, so only EINTR can happen. */
	while (waitpid((pid_t)child, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* A failed exec writes errno to a pipe; a good one closes it. */
static void
execute(char **argv, int failure)
{
	int error;

	execvp(*argv, argv);
	error = errno;
	(void)!write(failure, &error, sizeof(error));
	_exit(CHILD_FAILED);
}

/* Signals are blocked until the handler knows the child. */
static void
start(char **argv, int failure)
{
	const pid_t parent = getpid();
	struct dispositions before;
	sigset_t all, mask;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	catch_signals(&before);
	child = fork();
	if (child == 0) {
		restore_signals(&before);
		/* The program ends with this process, which removes the
		 * board. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(CHILD_FAILED);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child == 0)
		execute(argv, failure);
}

int
child_run(char **argv, const char *dir, struct diag *why)
{
	int status = CHILD_FAILED, error = 0, ends[2];

	if (!set_environment(dir) || pipe2(ends, O_CLOEXEC) != 0) {
		diag_set(why, "%s", strerror(errno));
		return CHILD_FAILED;
	}
	*why = (struct diag){ .text = "" };
	start(argv, ends[1]);
	if (child < 0)
		error = errno;
	close(ends[1]);
	while (child > 0 && read(ends[0], &error, sizeof(error)) < 0)
		if (errno != EINTR)
			break;
	close(ends[0]);
	if (child > 0)
		status = wait_for_child();
	if (error == 0)
		return status;
	diag_set(why, "%s", strerror(error));
	return child < 0       ? CHILD_FAILED :
	       error == ENOENT ? CHILD_MISSING :
				 CHILD_UNFIT;
}
