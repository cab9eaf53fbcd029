/* SPDX-License-Identifier: MIT */
/*
 * segv: shares SIGSEGV between trapped registers and the program.
 *
 * Once owned, the signal has a handler of this module.  The program's own
 * handler, set before or after, receives every other fault as the kernel would
 * have delivered it: with its mask and flags, or with the default action and
 * the right cause of death, and also when the signal was sent by kill().
 *
 * For that qpuemu.so interposes sigaction, signal, sigprocmask and their
 * relatives, which call the functions below (interpose_signal.c).
 */
#ifndef QPU_VIRTUAL_MMIO_SEGV_H
#define QPU_VIRTUAL_MMIO_SEGV_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "src/base/diag.h"

/* Handle a fault, with all signals blocked; true if the thread may go on. */
typedef bool
segv_claim(const siginfo_t *info, ucontext_t *context);

/* Own the signal until the process ends; later calls change nothing. */
bool
segv_own(segv_claim *claim, struct diag *why);

/* sigaction(2) for the program. */
int
segv_sigaction(int signum, const struct sigaction *action,
	       struct sigaction *old);

/*
 * pthread_sigmask(3), which leaves SIGSEGV unblocked: a fault that is blocked
 * would end the process.
 */
int
segv_sigmask(int how, const sigset_t *set, sigset_t *old);

#endif
