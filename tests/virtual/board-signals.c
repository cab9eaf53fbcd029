/* SPDX-License-Identifier: MIT */
/*
 * board-signals: functions that are about signals or the machine, called by a
 * program on a virtual board.  It knows nothing of qpuemu.  Run with the name
 * of a part; prints TAP.
 *
 *	signals		handlers and masks of signals
 *	machine NAME	uname()
 *	host WORD...	what libbcm_host answers, in decimal
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "tests/support/tap.h"

/* Signals --------------------------------------------------------------------- */

/* In the C library, in no header. */
int
__sigaction(int signum, const struct sigaction *action, struct sigaction *old);

static volatile int handled;

static void
handler(int number)
{
	handled = number;
}

static void
signals(void)
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
		   "sysv_signal() one for one time");
		ok(ssignal(number, SIG_IGN) == handler &&
			   signal(number, SIG_DFL) == SIG_IGN,
		   "and each tells what was before");
		errno = 0;
		ok(signal(number, SIG_ERR) == SIG_ERR && errno == EINVAL,
		   "an error is no handler");
	}
	ok(__sigaction(SIGUSR1, NULL, &action) == 0 &&
		   action.sa_handler == SIG_DFL &&
		   __sigaction(99, NULL, &action) == -1,
	   "so does the function of another name");
	signal(SIGSEGV, handler);
	sigaction(SIGSEGV, NULL, &action);
	ok(sigismember(&action.sa_mask, SIGSEGV) == 1,
	   "in a handler its signal waits");
	signal(SIGSEGV, SIG_DFL);
	sigfillset(&set);
	ok(sigprocmask(SIG_BLOCK, &set, &before) == 0 &&
		   sigprocmask(SIG_SETMASK, &before, &set) == 0 &&
		   sigismember(&set, SIGUSR1) == 1 &&
		   !sigismember(&set, SIGSEGV),
	   "faults cannot be blocked");
	errno = 0;
	ok(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL &&
		   pthread_sigmask(99, &set, NULL) == EINVAL,
	   "what is none is refused");
	handled = 0;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	ok(handled == SIGUSR1, "others arrive");
}

/* The machine ------------------------------------------------------------------- */

static void
machine(const char *name)
{
	struct utsname known;

	ok(uname(&known) == 0 && strcmp(known.machine, name) == 0 &&
		   strcmp(known.sysname, "Linux") == 0,
	   "the machine is %s", name);
	ok(uname(NULL) == -1 && errno == EFAULT, "a wrong address is refused");
}

static void
host(char **words)
{
	static const char *const names[] = {
		"bcm_host_get_peripheral_address",
		"bcm_host_get_peripheral_size",
		"bcm_host_get_sdram_address",
		"bcm_host_is_kms_active",
		"bcm_host_is_fkms_active",
		"bcm_host_is_model_pi4",
		"bcm_host_get_model_type",
		"bcm_host_get_processor_id",
	};
	void *library = dlopen("libbcm_host.so", RTLD_NOW);
	unsigned (*ask)(void);

	if (!ok(library != NULL, "there is such a library"))
		return;
	for (unsigned i = 0; words[i]; i++) {
		*(void **)&ask = dlsym(library, names[i]);
		ok(ask && ask() == (unsigned)strtol(words[i], NULL, 10), "%s",
		   names[i]);
	}
}

int
main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (strcmp(part, "signals") == 0)
		signals();
	else if (strcmp(part, "machine") == 0 && argc == 3)
		machine(argv[2]);
	else if (strcmp(part, "host") == 0)
		host(argv + 2);
	else
		return 2;
	return tap_done();
}
