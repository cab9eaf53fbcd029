/* SPDX-License-Identifier: MIT */
/*
 * board-signals: handlers and masks of signals as a program on a virtual board
 * sets them, and what the C library would answer.  It knows nothing of qpuemu.
 * Prints TAP.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "tests/support/tap.h"

/* The C library has it, but no header declares it. */
int
__sigaction(int signum, const struct sigaction *action, struct sigaction *old);

static volatile int handled;

static void
handler(int number)
{
	handled = number;
}

int
main(void)
{
	struct sigaction action;
	sigset_t set, before;

	for (unsigned i = 0; i < 2; i++) {
		const int number = i ? SIGUSR1 : SIGSEGV;

		ok(signal(number, handler) != SIG_ERR &&
			   sigaction(number, NULL, &action) == 0 &&
			   action.sa_handler == handler &&
			   action.sa_flags & SA_RESTART &&
			   !(action.sa_flags & (int)SA_RESETHAND),
		   "signal() sets a handler that stays");
		ok(sysv_signal(number, SIG_DFL) == handler &&
			   sysv_signal(number, handler) == SIG_DFL &&
			   sigaction(number, NULL, &action) == 0 &&
			   action.sa_flags & (int)SA_RESETHAND &&
			   action.sa_flags & SA_NODEFER &&
			   !sigismember(&action.sa_mask, number),
		   "sysv_signal() sets a handler for one time");
		ok(ssignal(number, SIG_IGN) == handler &&
			   signal(number, SIG_DFL) == SIG_IGN,
		   "functions that set a handler tell the one before");
		errno = 0;
		ok(signal(number, SIG_ERR) == SIG_ERR && errno == EINVAL,
		   "SIG_ERR is no handler");
	}
	ok(__sigaction(SIGUSR1, NULL, &action) == 0 &&
		   action.sa_handler == SIG_DFL &&
		   __sigaction(99, NULL, &action) == -1,
	   "__sigaction() tells handlers, and refuses wrong numbers");
	signal(SIGSEGV, handler);
	sigaction(SIGSEGV, NULL, &action);
	ok(sigismember(&action.sa_mask, SIGSEGV) == 1,
	   "the signal of a handler is blocked in it");
	signal(SIGSEGV, SIG_DFL);
	sigfillset(&set);
	ok(sigprocmask(SIG_BLOCK, &set, &before) == 0 &&
		   sigprocmask(SIG_SETMASK, &before, &set) == 0 &&
		   sigismember(&set, SIGUSR1) == 1 &&
		   !sigismember(&set, SIGSEGV),
	   "SIGSEGV cannot be blocked");
	errno = 0;
	ok(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL &&
		   pthread_sigmask(99, &set, NULL) == EINVAL,
	   "a wrong request for a mask is refused");
	handled = 0;
	action.sa_handler = handler;
	ok(sigaction(SIGUSR1, &action, NULL) == 0 &&
		   sigaction(SIGKILL, &action, NULL) == -1,
	   "sigaction() sets a handler, but none of SIGKILL");
	raise(SIGUSR1);
	ok(handled == SIGUSR1, "SIGUSR1 arrives at its handler");
	return tap_done();
}
