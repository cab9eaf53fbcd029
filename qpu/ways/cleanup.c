/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/cleanup.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/memory_holder.h"
#include "src/base/clock.h"
#include "src/base/thread.h"

/* How long cleanup_run waits for the end of a critical section, which may
 * contain a launch: the kernel waits 1 s for the end of one, and 3 s since
 * 2025. */
enum { PATIENCE_MS = 4000 };

/* The owner is the thread in its critical section, or one of these. */
enum { NOTHING_HELD = 0, NOBODY_INSIDE = -1, RELEASING = -2 };

/* One for the process, where a signal handler finds it, whatever the rest of
 * the program is doing. */
static struct {
	atomic_int owner;
	int vcio;
	bool enabled; /* by us */
	bool stopped; /* after a failure; nothing more can be done */
	bool holds;   /* memory is mapped that QPUs may write to */
	struct raised_clock clock;
	atomic_bool failed; /* the QPUs may still write to memory */
} state;

/* Signals that the thread blocks outside of its critical section. */
static _Thread_local sigset_t mask_outside;

static int
thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* Enable the QPUs, or disable them.  Return false with errno if the firmware did not
 * answer. */
static bool
set_qpus(bool on, uint32_t *answer)
{
	*answer = on;
	return firmware_call(state.vcio, MAILBOX_ENABLE_QPU, answer, 1, 1);
}

/*
 * Signals are blocked, so a request is always answered before one can arrive.
 * In a crash the handler runs in the thread that is in its critical section,
 * which cleanup_run notices.
 */
bool
critical_enter(void)
{
	int owner = NOBODY_INSIDE;
	sigset_t mask;

	thread_block_signals(&mask);
	if (atomic_compare_exchange_strong(&state.owner, &owner, thread_id())) {
		mask_outside = mask;
		return true;
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return false;
}

void
critical_leave(void)
{
	int owner = thread_id();

	/* cleanup_run may have taken over after PATIENCE_MS. */
	atomic_compare_exchange_strong(&state.owner, &owner, NOBODY_INSIDE);
	pthread_sigmask(SIG_SETMASK, &mask_outside, NULL);
}

bool
qpus_enable(uint32_t *answer)
{
	bool answered;

	if (!critical_enter()) {
		errno = ECANCELED;
		return false;
	}
	answered = set_qpus(true, answer);
	/* QPUs that were on before stay on at the end. */
	state.enabled = answered && *answer == MAILBOX_OK;
	if (answered && (state.enabled || *answer == MAILBOX_FAILED))
		firmware_raise_clock(&state.clock, state.vcio);
	critical_leave();
	return answered;
}

void
qpus_mark_failed(void)
{
	atomic_store(&state.failed, true);
}

/*
 * Become the owner to return everything.  A critical section that does not end,
 * or that crashed into our signal handler, means that programs may still be
 * running.  Return false if another thread has returned everything.
 */
static bool
take_over(void)
{
	const uint64_t deadline =
		clock_ns() + (uint64_t)PATIENCE_MS * CLOCK_NS_PER_MS;
	const int thread = thread_id();

	for (;;) {
		int owner = NOBODY_INSIDE;

		if (atomic_compare_exchange_strong(&state.owner, &owner,
						   RELEASING))
			return true;
		if (owner == NOTHING_HELD)
			return false;
		if (owner == thread || clock_ns() > deadline) {
			if (owner == RELEASING)
				return false;
			atomic_store(&state.failed, true);
			if (atomic_compare_exchange_strong(&state.owner, &owner,
							   RELEASING))
				return true;
		}
		poll(NULL, 0, 1);
	}
}

/* Send one request only, since there is no way to see whether it is enough:
 * firmwares that count need one for each enable, and a disable without an
 * effect has been reported. */
static void
disable(void)
{
	uint32_t answer;

	set_qpus(false, &answer);
	state.enabled = false;
}

/* Switch the QPUs off after a failure, but not twice: then they may be another
 * program's. */
static void
stop_once(void)
{
	if (!atomic_load(&state.failed) || state.stopped)
		return;
	disable();
	state.stopped = true;
}

void
cleanup_hold_memory(void)
{
	state.holds = true;
}

bool
qpus_may_run(void)
{
	return atomic_load(&state.failed);
}

bool
qpus_stop(void)
{
	if (critical_enter()) {
		stop_once();
		critical_leave();
	}
	return !qpus_may_run();
}

bool
qpus_restart(uint32_t *answer)
{
	*answer = MAILBOX_FAILED;
	if (!critical_enter())
		return false;
	disable();
	state.enabled = set_qpus(true, answer) && *answer == MAILBOX_OK;
	firmware_raise_clock(&state.clock, state.vcio);
	if (state.enabled)
		atomic_store(&state.failed, false);
	state.stopped = !state.enabled;
	critical_leave();
	return state.enabled;
}

/* The end ------------------------------------------------------------------ */

/*
 * QPUs that did not come back are switched off first, even if another program
 * switched them on, and a process keeps the memory to which they may write all
 * the same.
 */
void
cleanup_run(void)
{
	sigset_t mask;

	thread_block_signals(&mask);
	if (take_over()) {
		stop_once();
		if (atomic_load(&state.failed) && state.holds)
			memory_holder_start();
		if (state.enabled)
			disable();
		firmware_put_back_clock(&state.clock, state.vcio);
		atomic_store(&state.owner, NOTHING_HELD);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Signals that end a process and can be caught (signal(7)), without the
 * real-time signals. */
static const int deadly[] = { SIGABRT, SIGALRM, SIGBUS,	 SIGFPE,    SIGHUP,
			      SIGILL,  SIGINT,	SIGIO,	 SIGPIPE,   SIGPROF,
			      SIGPWR,  SIGQUIT, SIGSEGV, SIGSYS,    SIGTERM,
			      SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
			      SIGXFSZ };

enum { NDEADLY = sizeof(deadly) / sizeof(*deadly) };

/* raise() sends the signal to this thread, where it is blocked until the
 * handler returns; then its default action ends the process. */
static void
on_signal(int number)
{
	cleanup_run();
	signal(number, SIG_DFL);
	raise(number);
}

/* Change a signal's handler if it is the expected one. */
static void
change_handler(int number, void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0 ||
	    (action.sa_flags & SA_SIGINFO) || action.sa_handler != from)
		return;
	/* After a stop a system call goes on, as without a handler. */
	action = (struct sigaction){ .sa_handler = to, .sa_flags = SA_RESTART };
	sigfillset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static void
change_all_handlers(void (*from)(int), void (*to)(int))
{
	for (unsigned i = 0; i < NDEADLY; i++)
		change_handler(deadly[i], from, to);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		change_handler(number, from, to);
}

void
cleanup_begin(int vcio)
{
	static bool at_exit;

	state.vcio = vcio;
	state.stopped = state.holds = false;
	state.clock = (struct raised_clock){ 0 };
	atomic_store(&state.failed, false);
	atomic_store(&state.owner, NOBODY_INSIDE);
	if (!at_exit)
		at_exit = atexit(cleanup_run) == 0 &&
			  at_quick_exit(cleanup_run) == 0;
	change_all_handlers(SIG_DFL, on_signal);
}

void
cleanup_end(void)
{
	cleanup_run();
	change_all_handlers(on_signal, SIG_DFL);
}
