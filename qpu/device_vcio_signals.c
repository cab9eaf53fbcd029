/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* signal(7): those that end a process and can be caught.  The real-time
 * signals follow them. */
static const int deadly[] = {
	SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGIO,
	SIGPIPE, SIGPROF, SIGPWR, SIGQUIT, SIGSEGV, SIGSYS, SIGTERM, SIGTRAP,
	SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ
};

enum { NDEADLY = sizeof(deadly) / sizeof(*deadly) };

/* The kernel calls handlers without a context of ours. */
static _Atomic(void (*)(void)) last_call;
static bool caught[NSIG];

/* The default takes the signal as soon as the handler returns: raise sends it
 * to this thread, where it is blocked until then. */
static void
on_signal(int number)
{
	const int saved_errno = errno;
	void (*last)(void) = atomic_load(&last_call);

	if (last)
		last();
	signal(number, SIG_DFL);
	raise(number);
	errno = saved_errno;
}

static void
on_exit_of_process(void)
{
	void (*last)(void) = atomic_load(&last_call);

	if (last)
		last();
}

static void
catch(int number)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;

	if (sigaction(number, NULL, &before) != 0 ||
	    (before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
		return;
	sigfillset(&action.sa_mask);
	caught[number] = sigaction(number, &action, NULL) == 0;
}

void
signals_arm(void (*last)(void))
{
	static bool at_exit;

	if (!at_exit)
		at_exit = atexit(on_exit_of_process) == 0;
	atomic_store(&last_call, last);
	for (unsigned i = 0; i < NDEADLY; i++)
		catch(deadly[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		catch(number);
}

void
signals_disarm(void)
{
	for (int number = 1; number < NSIG; number++) {
		if (!caught[number])
			continue;
		signal(number, SIG_DFL);
		caught[number] = false;
	}
	atomic_store(&last_call, NULL);
}
