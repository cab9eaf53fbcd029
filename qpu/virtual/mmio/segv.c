/* SPDX-License-Identifier: MIT */
/*
 * segv: the handler of this module, and the action that the program has set.
 *
 * The C library's own functions are looked up behind this object, since in
 * a preloaded object the plain names lead back to us.
 */
#include "config.h"

#include "qpu/virtual/mmio/segv.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_MASK_BYTES = 8 }; /* of the mask in a ucontext */

static struct {
	_Atomic(segv_claim *) claim; /* null until we own the signal */
	atomic_flag busy;	     /* guards the program's action */
	struct sigaction theirs;
} segv = { .busy = ATOMIC_FLAG_INIT };

static int
real_sigaction(int signum, const struct sigaction *action,
	       struct sigaction *old)
{
	static _Atomic(void *) found;
	void *function = atomic_load(&found);

	if (!function) {
		function = dlsym(RTLD_NEXT, "sigaction");
		atomic_store(&found, function);
	}
	return ((int (*)(int, const struct sigaction *,
			 struct sigaction *))function)(signum, action, old);
}

static int
real_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	static _Atomic(void *) found;
	void *function = atomic_load(&found);

	if (!function) {
		function = dlsym(RTLD_NEXT, "pthread_sigmask");
		atomic_store(&found, function);
	}
	return ((int (*)(int, const sigset_t *, sigset_t *))function)(how, set,
								      old);
}

/* With all signals blocked, so that no handler waits for its own thread. */
static void
lock(void)
{
	while (atomic_flag_test_and_set(&segv.busy))
		sched_yield();
}

static void
unlock(void)
{
	atomic_flag_clear(&segv.busy);
}

/* The program's action for a fault; resets it if it is for one time. */
static struct sigaction
take_theirs(void)
{
	lock();
	const struct sigaction theirs = segv.theirs;
	if (theirs.sa_flags & SA_RESETHAND)
		segv.theirs.sa_handler = SIG_DFL;
	unlock();
	return theirs;
}

/*
 * A fault comes back by itself when the handler returns; a signal that was
 * sent has to be sent again, and waits until then.
 */
static void
die(siginfo_t *info, bool sent)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	real_sigaction(SIGSEGV, &by_default, NULL);
	if (sent)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
			SIGSEGV, info);
}

/* The mask that the kernel would have set for a handler of theirs. */
static sigset_t
mask_for(const struct sigaction *theirs, const ucontext_t *context)
{
	sigset_t before, mask;

	sigemptyset(&before);
	memcpy(&before, &context->uc_sigmask, KERNEL_MASK_BYTES);
	sigorset(&mask, &before, &theirs->sa_mask);
	if (!(theirs->sa_flags & SA_NODEFER))
		sigaddset(&mask, SIGSEGV);
	return mask;
}

static void
pass_on(int signum, siginfo_t *info, ucontext_t *context)
{
	const struct sigaction theirs = take_theirs();
	const bool sent = info->si_code <= 0; /* sigaction(2): by whom */

	if (theirs.sa_handler == SIG_IGN && sent)
		return;
	if (theirs.sa_handler == SIG_IGN || theirs.sa_handler == SIG_DFL) {
		die(info, sent);
		return;
	}

	const sigset_t mask = mask_for(&theirs, context);
	real_sigmask(SIG_SETMASK, &mask, NULL);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(signum, info, context);
	else
		theirs.sa_handler(signum);
}

static void
on_fault(int signum, siginfo_t *info, void *context)
{
	const int error = errno;

	if (!atomic_load(&segv.claim)(info, context))
		pass_on(signum, info, context);
	errno = error;
}

/* Install our handler, on the alternate stack if the program's action asks for
 * it. */
static int
install(const struct sigaction *theirs)
{
	struct sigaction ours = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO |
			    (theirs->sa_flags & (SA_ONSTACK | SA_RESTART)),
	};

	sigfillset(&ours.sa_mask);
	return real_sigaction(SIGSEGV, &ours, NULL);
}

bool
segv_own(segv_claim *claim, struct diag *why)
{
	sigset_t all, before;
	bool owned = true;

	sigfillset(&all);
	real_sigmask(SIG_SETMASK, &all, &before);
	lock();
	if (!atomic_load(&segv.claim)) {
		owned = real_sigaction(SIGSEGV, NULL, &segv.theirs) == 0;
		if (owned) {
			atomic_store(&segv.claim, claim);
			owned = install(&segv.theirs) == 0;
		}
		if (!owned) {
			diag_set(why, "cannot handle SIGSEGV: %s",
				 strerror(errno));
			atomic_store(&segv.claim, NULL);
		}
	}
	unlock();
	sigdelset(&before, SIGSEGV);
	real_sigmask(SIG_SETMASK, &before, NULL);
	return owned;
}

/* The signal is ours: change or tell what comes behind us. */
static int
exchange_theirs(const struct sigaction *action, struct sigaction *old)
{
	sigset_t all, before;
	int status = 0;

	sigfillset(&all);
	real_sigmask(SIG_SETMASK, &all, &before);
	lock();
	const struct sigaction previous = segv.theirs;
	if (action) {
		segv.theirs = *action;
		status = install(action);
	}
	unlock();
	real_sigmask(SIG_SETMASK, &before, NULL);
	if (old)
		*old = previous;
	return status;
}

int
segv_sigaction(int signum, const struct sigaction *action,
	       struct sigaction *old)
{
	if (signum == SIGSEGV && atomic_load(&segv.claim))
		return exchange_theirs(action, old);
	if (!action || signum == SIGSEGV)
		return real_sigaction(signum, action, old);

	struct sigaction open = *action;
	sigdelset(&open.sa_mask, SIGSEGV);
	return real_sigaction(signum, &open, old);
}

int
segv_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (!set || how == SIG_UNBLOCK)
		return real_sigmask(how, set, old);

	sigset_t open = *set;
	sigdelset(&open, SIGSEGV);
	return real_sigmask(how, &open, old);
}
