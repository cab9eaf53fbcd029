/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that set handlers and masks of signals: trapped
 * registers get SIGSEGV and SIGTRAP first, then the program's own handlers
 * (signals.h).
 */
#include "config.h"

#include <errno.h>
#include <signal.h>

#include "qpu/virtual/mmio/next.h"
#include "qpu/virtual/mmio/signals.h"

EXPORT int
sigaction(int signum, const struct sigaction *action, struct sigaction *old)
{
	return signals_sigaction(signum, action, old);
}

static sighandler_t
set_handler(int signum, sighandler_t handler, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, signum);
	if (signals_sigaction(signum, &action, &old) != 0)
		return SIG_ERR;
	return old.sa_handler;
}

EXPORT sighandler_t
signal(int signum, sighandler_t handler)
{
	return signals_are_shared(signum) ?
		       set_handler(signum, handler, SA_RESTART) :
		       NEXT(signal)(signum, handler);
}

/* A program that asks for standard C alone calls this as signal(). */
EXPORT sighandler_t
__sysv_signal(int signum, sighandler_t handler)
{
	return signals_are_shared(signum) ?
		       set_handler(signum, handler,
				   (int)SA_RESETHAND | SA_NODEFER) :
		       NEXT(__sysv_signal)(signum, handler);
}

EXPORT int
pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return signals_sigmask(how, set, old);
}

EXPORT int
sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	const int error = signals_sigmask(how, set, old);

	if (!error)
		return 0;
	errno = error;
	return -1;
}
