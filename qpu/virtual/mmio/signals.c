/* SPDX-License-Identifier: MIT */
/*
 * signals: the handler of this module, and the actions that the program has
 * set.
 *
 * The C library's own functions are looked up after this object, since in a
 * preloaded object the plain names lead back to us.
 */
#include "config.h"

#include "qpu/virtual/mmio/signals.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/virtual/mmio/next.h"

enum { KERNEL_MASK_BYTES = 8 }; /* of the mask in a ucontext */

/* A signal that can be owned. */
struct owned {
	int signum;
	_Atomic(signals_claim *) claim; /* null until we own the signal */
	atomic_flag busy;		/* guards the program's action */
	struct sigaction theirs;
};

static struct owned owned_signals[] = {
	{ .signum = SIGSEGV, .busy = ATOMIC_FLAG_INIT },
	{ .signum = SIGTRAP, .busy = ATOMIC_FLAG_INIT },
};

/* Null for a signal that cannot be owned. */
static struct owned *
find_owned(int signum)
{
	for (size_t i = 0; i < sizeof(owned_signals) / sizeof(*owned_signals);
	     i++)
		if (owned_signals[i].signum == signum)
			return &owned_signals[i];
	return NULL;
}

bool
signals_are_shared(int signum)
{
	return find_owned(signum) != NULL;
}

/*
 * The caller has blocked all signals, so that no handler waits for a lock
 * that its own thread holds.
 */
static void
lock(struct owned *owned)
{
	while (atomic_flag_test_and_set(&owned->busy))
		sched_yield();
}

static void
unlock(struct owned *owned)
{
	atomic_flag_clear(&owned->busy);
}

/* The program's action, which is reset here if it is for one signal only. */
static struct sigaction
take_theirs(struct owned *owned)
{
	lock(owned);
	const struct sigaction theirs = owned->theirs;
	if (theirs.sa_flags & SA_RESETHAND)
		owned->theirs.sa_handler = SIG_DFL;
	unlock(owned);
	return theirs;
}

/*
 * Let the signal do what it does by default.  A fault comes back by itself
 * when the handler returns; any other signal has to be sent again, and waits
 * until then.
 */
static void
die(int signum, siginfo_t *info, bool comes_back)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	NEXT(sigaction)(signum, &by_default, NULL);
	if (!comes_back)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
			signum, info);
}

/* The mask that the kernel would have set for a handler of theirs. */
static sigset_t
mask_for(int signum, const struct sigaction *theirs, const ucontext_t *context)
{
	sigset_t before, mask;

	sigemptyset(&before);
	memcpy(&before, &context->uc_sigmask, KERNEL_MASK_BYTES);
	sigorset(&mask, &before, &theirs->sa_mask);
	if (!(theirs->sa_flags & SA_NODEFER))
		sigaddset(&mask, signum);
	return mask;
}

static void
pass_on(int signum, siginfo_t *info, ucontext_t *context)
{
	const struct sigaction theirs = take_theirs(find_owned(signum));
	const bool sent = info->si_code <= 0; /* sigaction(2): by whom */

	if (theirs.sa_handler == SIG_IGN && sent)
		return;
	if (theirs.sa_handler == SIG_IGN || theirs.sa_handler == SIG_DFL) {
		die(signum, info, signum == SIGSEGV && !sent);
		return;
	}

	const sigset_t mask = mask_for(signum, &theirs, context);
	NEXT(pthread_sigmask)(SIG_SETMASK, &mask, NULL);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(signum, info, context);
	else
		theirs.sa_handler(signum);
}

static void
on_signal(int signum, siginfo_t *info, void *context)
{
	const int error = errno;

	if (!atomic_load(&find_owned(signum)->claim)(signum, info, context))
		pass_on(signum, info, context);
	errno = error;
}

/*
 * Install our handler, on the alternate stack if the program's action asks
 * for it.
 */
static int
install(int signum, const struct sigaction *theirs)
{
	struct sigaction ours = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO |
			    (theirs->sa_flags & (SA_ONSTACK | SA_RESTART)),
	};

	sigfillset(&ours.sa_mask);
	return NEXT(sigaction)(signum, &ours, NULL);
}

bool
signals_own(int signum, signals_claim *claim, struct diag *why)
{
	struct owned *owned = find_owned(signum);
	sigset_t all, before;
	bool good = true;

	sigfillset(&all);
	NEXT(pthread_sigmask)(SIG_SETMASK, &all, &before);
	lock(owned);
	if (!atomic_load(&owned->claim)) {
		good = NEXT(sigaction)(signum, NULL, &owned->theirs) == 0;
		if (good) {
			atomic_store(&owned->claim, claim);
			good = install(signum, &owned->theirs) == 0;
		}
		if (!good) {
			diag_set(why, "cannot handle signal %d: %s", signum,
				 strerror(errno));
			atomic_store(&owned->claim, NULL);
		}
	}
	unlock(owned);
	sigdelset(&before, SIGSEGV);
	NEXT(pthread_sigmask)(SIG_SETMASK, &before, NULL);
	return good;
}

/* Change or return the program's action for an owned signal. */
static int
exchange_theirs(struct owned *owned, const struct sigaction *action,
		struct sigaction *old)
{
	sigset_t all, before;
	int status = 0;

	sigfillset(&all);
	NEXT(pthread_sigmask)(SIG_SETMASK, &all, &before);
	lock(owned);
	const struct sigaction previous = owned->theirs;
	if (action) {
		owned->theirs = *action;
		status = install(owned->signum, action);
	}
	unlock(owned);
	NEXT(pthread_sigmask)(SIG_SETMASK, &before, NULL);
	if (old)
		*old = previous;
	return status;
}

int
signals_sigaction(int signum, const struct sigaction *action,
		  struct sigaction *old)
{
	struct owned *owned = find_owned(signum);

	if (owned && atomic_load(&owned->claim))
		return exchange_theirs(owned, action, old);
	if (!action || signum == SIGSEGV)
		return NEXT(sigaction)(signum, action, old);

	struct sigaction open = *action;
	sigdelset(&open.sa_mask, SIGSEGV);
	return NEXT(sigaction)(signum, &open, old);
}

int
signals_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (!set || how == SIG_UNBLOCK)
		return NEXT(pthread_sigmask)(how, set, old);

	sigset_t open = *set;
	sigdelset(&open, SIGSEGV);
	return NEXT(pthread_sigmask)(how, &open, old);
}
