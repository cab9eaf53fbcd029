/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/firmware_handles.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/keeper.h"
#include "qpu/ways/registers.h"
#include "qpu/ways/v3d_clock.h"
#include "src/base/clock.h"

enum {
	/* How long handles_release waits for the end of a critical section,
	 * which may contain a launch: the kernel waits 1 s for the end of one,
	 * and 3 s since 2025. */
	PATIENCE_MS = 4000,
	ALIGNMENT = 4096,
	/* Other programs may have enabled the QPUs as well. */
	MOST_DISABLES = 4,
	/* How long a power domain is off to be reset. */
	RESET_MS = 50
};

/* The owner of the handles is the thread in its critical section, or one of
 * these. */
enum { NOTHING_HELD = 0, NOBODY_INSIDE = -1, RELEASING = -2, STOPPING = -3 };

/* One for the process, where a signal handler finds it, whatever the rest of
 * the program is doing. */
static struct {
	atomic_int owner;
	int vcio;
	bool enabled;	 /* by us */
	bool has_domain; /* the V3D's power domain */
	bool stopped;	 /* after a failure; nothing more can be done */
	bool keeps;	 /* the mappings of this process, if in doubt */
	struct v3d_clock clock;
	atomic_bool failed; /* the QPUs may still write to memory */
	const struct registers *registers; /* NULL = not mapped */
	uint32_t handles[HANDLES_MOST];	   /* 0 = free */
} held;

static int
thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* Send a tag of one word each way. */
static bool
ask(enum mailbox_tag tag, uint32_t *value)
{
	return firmware_call(held.vcio, tag, value, 1, 1);
}

/* Block all signals, except those of a crash, which cannot wait. */
static void
block_signals(sigset_t *mask)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigdelset(&blocked, crashes[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, mask);
}

/* Become the owner; if the process is about to stop, after it goes on.  False
 * when there is another owner. */
static bool
become(int new_owner)
{
	int owner = NOBODY_INSIDE;

	while (!atomic_compare_exchange_strong(&held.owner, &owner,
					       new_owner)) {
		if (owner != STOPPING)
			return false;
		owner = NOBODY_INSIDE;
		poll(NULL, 0, 1);
	}
	return true;
}

/*
 * Signals are blocked, so an allocation is always recorded before a signal can
 * arrive.  In a crash the handler runs in the thread that is in its critical
 * section, which handles_release notices.
 */
bool
critical_enter(struct critical_section *section)
{
	block_signals(&section->mask);
	section->thread = thread_id();
	if (become(section->thread))
		return true;
	pthread_sigmask(SIG_SETMASK, &section->mask, NULL);
	return false;
}

void
critical_leave(const struct critical_section *section)
{
	int owner = section->thread;

	/* handles_release may have taken over after PATIENCE_MS. */
	atomic_compare_exchange_strong(&held.owner, &owner, NOBODY_INSIDE);
	pthread_sigmask(SIG_SETMASK, &section->mask, NULL);
}

bool
handles_enable_qpus(uint32_t *answer)
{
	struct critical_section section;
	bool answered;

	if (!critical_enter(&section)) {
		errno = ECANCELED;
		return false;
	}
	*answer = 1;
	answered = ask(MAILBOX_ENABLE_QPU, answer);
	/* QPUs that were on before stay on at the end. */
	held.enabled = answered && *answer == MAILBOX_OK;
	if (answered && (held.enabled || *answer == MAILBOX_FAILED))
		v3d_clock_raise(&held.clock, held.vcio);
	critical_leave(&section);
	return answered;
}

static void
give_back(uint32_t *handle)
{
	uint32_t value = *handle;

	ask(MAILBOX_UNLOCK_MEMORY, &value);
	value = *handle;
	ask(MAILBOX_RELEASE_MEMORY, &value);
	*handle = 0;
}

static bool
is_held(uint32_t handle)
{
	for (unsigned i = 0; i < HANDLES_MOST; i++)
		if (held.handles[i] == handle)
			return true;
	return false;
}

/* Allocate and lock; the handle is recorded between the two. */
static bool
take(uint32_t *handle, uint32_t bytes, uint32_t flags, uint32_t *bus)
{
	uint32_t values[3] = { bytes, ALIGNMENT, flags };

	/* 0 is no handle; one that we hold already must not be given back
	 * twice. */
	if (!firmware_call(held.vcio, MAILBOX_ALLOCATE_MEMORY, values, 3, 1) ||
	    values[0] == 0 || is_held(values[0]))
		return false;
	*handle = values[0];
	*bus = *handle;
	if (ask(MAILBOX_LOCK_MEMORY, bus) && *bus != 0)
		return true;
	give_back(handle);
	return false;
}

bool
handles_allocate(uint32_t bytes, uint32_t flags, struct handles_memory *memory)
{
	struct critical_section section;
	bool taken = false;

	if (!critical_enter(&section))
		return false;
	for (unsigned i = 0; i < HANDLES_MOST; i++) {
		if (held.handles[i] != 0)
			continue;
		taken = take(&held.handles[i], bytes, flags, &memory->bus);
		memory->handle = held.handles[i];
		break;
	}
	critical_leave(&section);
	return taken;
}

void
handles_free(uint32_t handle)
{
	struct critical_section section;

	if (atomic_load(&held.failed) || !critical_enter(&section))
		return;
	for (unsigned i = 0; i < HANDLES_MOST; i++)
		if (held.handles[i] == handle)
			give_back(&held.handles[i]);
	critical_leave(&section);
}

void
handles_mark_failed(void)
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
						   RELEASING) ||
		    (owner == STOPPING &&
		     atomic_compare_exchange_strong(&held.owner, &owner,
						    RELEASING)))
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

static void
disable(void)
{
	uint32_t value = 0;

	ask(MAILBOX_ENABLE_QPU, &value);
	held.enabled = false;
}

static bool
are_seen_on(void)
{
	return held.registers && registers_answer(held.registers);
}

static void
set_domain(bool on)
{
	uint32_t values[2] = { MAILBOX_DOMAIN_V3D, on };

	held.has_domain = firmware_call(held.vcio, MAILBOX_SET_DOMAIN_STATE,
					values, 2, 2) &&
			  on;
}

/*
 * Reset the V3D by its power domain: give back the reference of the CPU, which
 * has to be taken first, and take it again.  On a Pi 3 whose kernel held the
 * domain this has stopped 12 QPUs in endless loops; no register is touched
 * while the power is off.  False when the QPUs are still not idle.
 */
static bool
reset_domain(void)
{
	set_domain(true);
	set_domain(false);
	poll(NULL, 0, RESET_MS);
	set_domain(true);
	return !are_seen_on() || registers_reset(held.registers);
}

/*
 * Firmwares that count need as many requests as there were enables.  Where the
 * registers are not mapped one request has to do, and the QPUs may still be on.
 * It has been reported that a disable had no effect, and that the power stayed
 * after the last one: then QPUs that are idle are as good as off.
 */
static void
switch_off(void)
{
	disable();
	for (unsigned i = 1; i < MOST_DISABLES && are_seen_on(); i++)
		disable();
	if (held.registers &&
	    (!are_seen_on() || registers_stay_idle(held.registers) ||
	     reset_domain()))
		atomic_store(&held.failed, false);
}

/* A second time it would switch off the QPUs of other programs. */
static void
stop_once(void)
{
	if (!atomic_load(&held.failed) || held.stopped)
		return;
	switch_off();
	held.stopped = true;
}

/*
 * QPUs that did not come back are switched off first, even if another program
 * switched them on: then they cannot write to memory that the firmware or the
 * kernel gives to others.  Keeping the memory instead loses it until the next
 * boot: that of the firmware is kept only when the QPUs are seen to run all the
 * same, and that of the kernel when they are not seen to be off or idle.
 */
static void
give_back_all(void)
{
	stop_once();
	if (atomic_load(&held.failed) && held.keeps)
		keeper_start();
	if (!atomic_load(&held.failed) || !are_seen_on())
		for (unsigned i = 0; i < HANDLES_MOST; i++)
			if (held.handles[i] != 0)
				give_back(&held.handles[i]);
	if (held.enabled)
		disable();
	if (held.has_domain)
		set_domain(false);
	v3d_clock_put_back(&held.clock, held.vcio);
}

void
handles_keep_mappings(void)
{
	held.keeps = true;
}

bool
handles_qpus_may_run(void)
{
	return atomic_load(&held.failed);
}

bool
handles_stop_qpus(void)
{
	struct critical_section section;

	if (critical_enter(&section)) {
		stop_once();
		critical_leave(&section);
	}
	return !handles_qpus_may_run();
}

void
handles_watch(const struct registers *registers)
{
	held.registers = registers;
}

bool
handles_restart_qpus(uint32_t *answer)
{
	struct critical_section section;
	bool on = false;

	*answer = MAILBOX_FAILED;
	if (!critical_enter(&section))
		return false;
	switch_off();
	if (!held.registers || !atomic_load(&held.failed)) {
		*answer = 1;
		held.enabled = ask(MAILBOX_ENABLE_QPU, answer) &&
			       *answer == MAILBOX_OK;
		v3d_clock_raise(&held.clock, held.vcio);
		on = held.enabled || are_seen_on();
	}
	if (on)
		atomic_store(&held.failed, false);
	held.stopped = !on;
	critical_leave(&section);
	return on;
}

void
handles_release(void)
{
	sigset_t mask;

	block_signals(&mask);
	if (take_over()) {
		give_back_all();
		atomic_store(&held.owner, NOTHING_HELD);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* --- The end of the process ----------------------------------------------- */

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
	handles_release();
	signal(number, SIG_DFL);
	raise(number);
}

/* Change the handler of a signal that has the one expected; others stay. */
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

/* Is everything returned, or about to be?  No critical section begins then. */
static bool
is_over(void)
{
	const int owner = atomic_load(&held.owner);

	return owner == NOTHING_HELD || owner == RELEASING;
}

/*
 * A stop interrupts waits inside of the kernel in all threads, so it waits for
 * the end of a critical section, and none begins before the process goes on.
 */
static void
on_stop(int number)
{
	const int saved_errno = errno;
	int owner = STOPPING;
	sigset_t only, mask;

	while (!become(STOPPING) && !is_over())
		poll(NULL, 0, 1);
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, &mask);
	/* Here the process stands still. */
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	change_handler(number, SIG_DFL, on_stop);
	atomic_compare_exchange_strong(&held.owner, &owner, NOBODY_INSIDE);
	errno = saved_errno;
}

static void
change_all_handlers(void (*from)(int), void (*to)(int))
{
	for (unsigned i = 0; i < NDEADLY; i++)
		change_handler(deadly[i], from, to);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		change_handler(number, from, to);
}

static void
change_stop_handlers(void (*from)(int), void (*to)(int))
{
	change_handler(SIGTSTP, from, to);
	change_handler(SIGTTIN, from, to);
	change_handler(SIGTTOU, from, to);
}

void
handles_begin(int vcio)
{
	static bool at_exit;

	held.vcio = vcio;
	held.stopped = held.keeps = false;
	held.clock = (struct v3d_clock){ 0 };
	held.registers = NULL;
	atomic_store(&held.failed, false);
	atomic_store(&held.owner, NOBODY_INSIDE);
	if (!at_exit)
		at_exit = atexit(handles_release) == 0 &&
			  at_quick_exit(handles_release) == 0;
	change_all_handlers(SIG_DFL, on_signal);
	change_stop_handlers(SIG_DFL, on_stop);
}

void
handles_end(void)
{
	handles_release();
	held.registers = NULL;
	change_all_handlers(on_signal, SIG_DFL);
	change_stop_handlers(on_stop, SIG_DFL);
}
