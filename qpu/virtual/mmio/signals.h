/* SPDX-License-Identifier: MIT */
/*
 * signals: shares the signals of trapped registers, SIGSEGV and SIGTRAP, with
 * the program.
 *
 * An owned signal has a handler of this module.  The program's own handler,
 * set before or after, receives every other signal of that number as the
 * kernel would have delivered it: with its mask and flags, or with the default
 * action and the right cause of death, and also when it was sent by kill().
 *
 * For that qpuemu.so interposes sigaction, signal, sigprocmask and their
 * relatives, which call the functions below (interpose_signal.c).
 */
#ifndef QPU_VIRTUAL_MMIO_SIGNALS_H
#define QPU_VIRTUAL_MMIO_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "src/base/diag.h"

/* Handle a signal, with all signals blocked; true if the thread may go on. */
typedef bool
signals_claim(int signum, const siginfo_t *info, ucontext_t *context);

/*
 * Own SIGSEGV or SIGTRAP until the process ends; later calls for the same
 * signal change nothing.
 */
bool
signals_own(int signum, signals_claim *claim, struct diag *why);

/* Return true if it is one of the signals that can be owned. */
bool
signals_are_shared(int signum);

/* sigaction(2) for the program. */
int
signals_sigaction(int signum, const struct sigaction *action,
		  struct sigaction *old);

/*
 * pthread_sigmask(3), which leaves SIGSEGV unblocked: a fault that is blocked
 * would end the process.
 */
int
signals_sigmask(int how, const sigset_t *set, sigset_t *old);

#endif
