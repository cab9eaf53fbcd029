/* SPDX-License-Identifier: MIT */
/*
 * segv: we have the first look at each SIGSEGV, the program the second.
 *
 * Once owned, the signal's handler is ours.  What the program has set, before
 * or after, is kept and gets the faults that are not ours just as the kernel
 * would have delivered them: with its mask and flags, the default with the
 * right cause of death, signals that somebody sent included.
 *
 * That needs the program's calls: a preloaded object exports sigaction,
 * signal, sigprocmask and their kin and sends them through the functions
 * below (see interpose_signal.c).
 */
#ifndef QPU_VIRTUAL_SEGV_H
#define QPU_VIRTUAL_SEGV_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "src/diag.h"

/* Called with all signals blocked; true if the thread may go on. */
typedef bool segv_claim(const siginfo_t *info, ucontext_t *context);

/* Own the signal, for good; later calls change nothing. */
bool segv_own(segv_claim *claim, struct diag *why);

/* sigaction(2) as the program means it. */
int segv_sigaction(int signum, const struct sigaction *action,
		   struct sigaction *old);

/*
 * pthread_sigmask(3), which leaves SIGSEGV unblocked: a fault that is blocked
 * would end the process.
 */
int segv_sigmask(int how, const sigset_t *set, sigset_t *old);

#endif
