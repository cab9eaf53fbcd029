/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/held.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "src/base/clock.h"
#include "src/base/thread.h"

/* How long held_release waits for the end of a critical section, which may
 * contain a launch: the kernel waits 1 s for the end of one, and 3 s since
 * 2025. */
enum { PATIENCE_MS = 4000 };

/* The owner of what is held is the thread in its critical section, or one of
 * these. */
enum { NOTHING_HELD = 0, NOBODY_INSIDE = -1, RELEASING = -2 };

/* One for the process, where a signal handler finds it, whatever the rest of
 * the program is doing. */
static struct {
	atomic_int owner;
	int vcio;
	bool enabled; /* by us */
	bool stopped; /* after a failure; nothing more can be done */
	bool keeps;   /* the mappings of this process, if in doubt */
	struct raised_clock clock;
	atomic_bool failed; /* the QPUs may still write to memory */
} held;

static int
thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* Enable the QPUs, or disable them.  False when the firmware did not answer,
 * with errno. */
static bool
set_qpus(bool on, uint32_t *answer)
{
	*answer = on;
	return firmware_call(held.vcio, MAILBOX_ENABLE_QPU, answer, 1, 1);
}

/*
 * Signals are blocked, so a request is always answered before one can arrive.
 * In a crash the handler runs in the thread that is in its critical section,
 * which held_release notices.
 */
bool
critical_enter(struct critical_section *section)
{
	int owner = NOBODY_INSIDE;

	thread_block_signals(&section->mask);
	section->thread = thread_id();
	if (atomic_compare_exchange_strong(&held.owner, &owner,
					   section->thread))
		return true;
	pthread_sigmask(SIG_SETMASK, &section->mask, NULL);
	return false;
}

void
critical_leave(const struct critical_section *section)
{
	int owner = section->thread;

	/* held_release may have taken over after PATIENCE_MS. */
	atomic_compare_exchange_strong(&held.owner, &owner, NOBODY_INSIDE);
	pthread_sigmask(SIG_SETMASK, &section->mask, NULL);
}

bool
held_enable_qpus(uint32_t *answer)
{
	struct critical_section section;
	bool answered;

	if (!critical_enter(&section)) {
		errno = ECANCELED;
		return false;
	}
	answered = set_qpus(true, answer);
	/* QPUs that were on before stay on at the end. */
	held.enabled = answered && *answer == MAILBOX_OK;
	if (answered && (held.enabled || *answer == MAILBOX_FAILED))
		firmware_raise_clock(&held.clock, held.vcio);
	critical_leave(&section);
	return answered;
}

void
held_mark_failed(void)
{
	atomic_store(&held.failed, true);
}

/*
 * Become the owner to return everything.  A critical section that does not end,
 * or that crashed into our signal handler, means that programs may still be
 * running.  False when another thread has returned everything.
 */
static bool
take_over(void)
{
	const uint64_t deadline =
		clock_ns() + (uint64_t)PATIENCE_MS * CLOCK_NS_PER_MS;
	const int thread = thread_id();

	for (;;) {
		int owner = NOBODY_INSIDE;

		if (atomic_compare_exchange_strong(&held.owner, &owner,
						   RELEASING))
			return true;
		if (owner == NOTHING_HELD)
			return false;
		if (owner == thread || clock_ns() > deadline) {
			if (owner == RELEASING)
				return false;
			atomic_store(&held.failed, true);
			if (atomic_compare_exchange_strong(&held.owner, &owner,
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
	held.enabled = false;
}

/* A second time it would switch off the QPUs of other programs. */
static void
stop_once(void)
{
	if (!atomic_load(&held.failed) || held.stopped)
		return;
	disable();
	held.stopped = true;
}

void
held_keep_mappings(void)
{
	held.keeps = true;
}

bool
held_qpus_may_run(void)
{
	return atomic_load(&held.failed);
}

bool
held_stop_qpus(void)
{
	struct critical_section section;

	if (critical_enter(&section)) {
		stop_once();
		critical_leave(&section);
	}
	return !held_qpus_may_run();
}

bool
held_restart_qpus(uint32_t *answer)
{
	struct critical_section section;

	*answer = MAILBOX_FAILED;
	if (!critical_enter(&section))
		return false;
	disable();
	held.enabled = set_qpus(true, answer) && *answer == MAILBOX_OK;
	firmware_raise_clock(&held.clock, held.vcio);
	if (held.enabled)
		atomic_store(&held.failed, false);
	held.stopped = !held.enabled;
	critical_leave(&section);
	return held.enabled;
}

/* The process that keeps memory ------------------------------------------- */

enum { FDS_WITHOUT_RANGE = 65536 };

/* fork() of the C library takes locks that a signal handler may interrupt. */
static pid_t
start_process(void)
{
	return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L, 0L);
}

static void
close_all(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 0L, (long)~0u, 0L, 0L, 0L, 0L) == 0)
		return;
#endif
	for (long fd = 0; fd < FDS_WITHOUT_RANGE; fd++)
		syscall(SYS_close, fd, 0L, 0L, 0L, 0L, 0L);
}

/* Undo the program's handlers and signal mask. */
static void
reset_signals(void)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &usual, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
keep(void)
{
	prctl(PR_SET_NAME, "qpu-memory");
	(void)!chdir("/"); /* else it stays where it is */
	for (;;)
		pause();
}

/* Double fork: init adopts the holder. Close its files before reporting it
 * alive; it must not inherit our locks. */
bool
memory_holder_start(void)
{
	const pid_t parent = start_process();
	int status = 1;

	if (parent == 0) {
		pid_t holder;

		setsid();
		close_all();
		reset_signals();
		holder = start_process();
		if (holder == 0)
			keep();
		_exit(holder < 0);
	}
	if (parent < 0)
		return false;
	while (waitpid(parent, &status, 0) < 0)
		if (errno != EINTR)
			return true; /* reaped elsewhere */
	return status == 0;
}

/* The end ------------------------------------------------------------------ */

/*
 * QPUs that did not come back are switched off first, even if another program
 * switched them on, and a process keeps the memory to which they may write all
 * the same.
 */
void
held_release(void)
{
	sigset_t mask;

	thread_block_signals(&mask);
	if (take_over()) {
		stop_once();
		if (atomic_load(&held.failed) && held.keeps)
			memory_holder_start();
		if (held.enabled)
			disable();
		firmware_put_back_clock(&held.clock, held.vcio);
		atomic_store(&held.owner, NOTHING_HELD);
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
	held_release();
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
held_begin(int vcio)
{
	static bool at_exit;

	held.vcio = vcio;
	held.stopped = held.keeps = false;
	held.clock = (struct raised_clock){ 0 };
	atomic_store(&held.failed, false);
	atomic_store(&held.owner, NOBODY_INSIDE);
	if (!at_exit)
		at_exit = atexit(held_release) == 0 &&
			  at_quick_exit(held_release) == 0;
	change_all_handlers(SIG_DFL, on_signal);
}

void
held_end(void)
{
	held_release();
	change_all_handlers(on_signal, SIG_DFL);
}
