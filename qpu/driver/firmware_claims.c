/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/firmware_claims.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/driver/mailbox.h"
#include "qpu/driver/registers.h"
#include "src/base/clock.h"

enum {
	/* How long claims_release waits for a visit, which may be a launch: the
	 * kernel waits 1 s for the end of one, and 3 s since 2025. */
	PATIENCE_MS = 4000,
	ALIGNMENT = 4096,
	MOST_DISABLES = 4 /* other programs may have enabled them as well */
};

/* The owner of the claims is a thread during its visit, or one of these. */
enum { NOTHING_CLAIMED = 0, NO_VISITOR = -1, RELEASING = -2, STOPPING = -3 };

/* One for the process, where a signal handler finds it whatever the rest of
 * the program is doing. */
static struct {
	atomic_int owner;
	int vcio;
	bool enabled;
	atomic_bool distrusted;
	const struct registers *registers; /* NULL = not mapped */
	uint32_t handles[CLAIMS_PIECES];   /* 0 = free */
} claims;

static int
thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* The firmware's answer to a tag of one word each way. */
static bool
ask(enum mailbox_tag tag, uint32_t *value)
{
	return mailbox_call(claims.vcio, tag, value, 1, 1);
}

/* All signals, except those of a crash, which cannot wait. */
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

/* Become the owner, after the process has stopped and goes on.  False when
 * there is another one. */
static bool
become(int new_owner)
{
	int owner = NO_VISITOR;

	while (!atomic_compare_exchange_strong(&claims.owner, &owner,
					       new_owner)) {
		if (owner != STOPPING)
			return false;
		owner = NO_VISITOR;
		poll(NULL, 0, 1);
	}
	return true;
}

/*
 * Signals are blocked, so an allocation is always recorded before one can
 * arrive.  In a crash the handler runs in the visiting thread itself, which
 * claims_release notices.
 */
bool
claims_enter(struct claims_visit *visit)
{
	block_signals(&visit->mask);
	visit->thread = thread_id();
	if (become(visit->thread))
		return true;
	pthread_sigmask(SIG_SETMASK, &visit->mask, NULL);
	return false;
}

void
claims_leave(const struct claims_visit *visit)
{
	int owner = visit->thread;

	/* claims_release may have taken over after PATIENCE_MS. */
	atomic_compare_exchange_strong(&claims.owner, &owner, NO_VISITOR);
	pthread_sigmask(SIG_SETMASK, &visit->mask, NULL);
}

bool
claims_enable(uint32_t *answer)
{
	struct claims_visit visit;
	bool answered;

	if (!claims_enter(&visit)) {
		errno = ECANCELED;
		return false;
	}
	*answer = 1;
	answered = ask(MAILBOX_ENABLE_QPU, answer);
	/* QPUs that were on before stay on at the end. */
	claims.enabled = answered && *answer == MAILBOX_OK;
	claims_leave(&visit);
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
is_claimed(uint32_t handle)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (claims.handles[i] == handle)
			return true;
	return false;
}

/* Allocate and lock; the handle is recorded between the two. */
static bool
take(uint32_t *handle, uint32_t bytes, uint32_t flags, uint32_t *bus)
{
	uint32_t values[3] = { bytes, ALIGNMENT, flags };

	/* 0 is none; one that we have already is nothing new to give back. */
	if (!mailbox_call(claims.vcio, MAILBOX_ALLOCATE_MEMORY, values, 3, 1) ||
	    values[0] == 0 || is_claimed(values[0]))
		return false;
	*handle = values[0];
	*bus = *handle;
	if (ask(MAILBOX_LOCK_MEMORY, bus) && *bus != 0)
		return true;
	give_back(handle);
	return false;
}

bool
claims_allocate(uint32_t bytes, uint32_t flags, struct claims_memory *memory)
{
	struct claims_visit visit;
	bool taken = false;

	if (!claims_enter(&visit))
		return false;
	for (unsigned i = 0; i < CLAIMS_PIECES; i++) {
		if (claims.handles[i] != 0)
			continue;
		taken = take(&claims.handles[i], bytes, flags, &memory->bus);
		memory->handle = claims.handles[i];
		break;
	}
	claims_leave(&visit);
	return taken;
}

void
claims_free(uint32_t handle)
{
	struct claims_visit visit;

	if (atomic_load(&claims.distrusted) || !claims_enter(&visit))
		return;
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (claims.handles[i] == handle)
			give_back(&claims.handles[i]);
	claims_leave(&visit);
}

void
claims_distrust(void)
{
	atomic_store(&claims.distrusted, true);
}

/*
 * Become the owner to return everything.  A visit that does not end, or one
 * that crashed into our signal handler, means that programs may still be
 * running.  False when another thread has returned everything.
 */
static bool
take_over(void)
{
	const uint64_t deadline =
		clock_ns() + (uint64_t)PATIENCE_MS * CLOCK_NS_PER_MS;
	const int thread = thread_id();

	for (;;) {
		int owner = NO_VISITOR;

		if (atomic_compare_exchange_strong(&claims.owner, &owner,
						   RELEASING) ||
		    (owner == STOPPING &&
		     atomic_compare_exchange_strong(&claims.owner, &owner,
						    RELEASING)))
			return true;
		if (owner == NOTHING_CLAIMED)
			return false;
		if (owner == thread || clock_ns() > deadline) {
			if (owner == RELEASING)
				return false;
			atomic_store(&claims.distrusted, true);
			if (atomic_compare_exchange_strong(&claims.owner,
							   &owner, RELEASING))
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
	claims.enabled = false;
}

static bool
are_seen_on(void)
{
	return claims.registers && registers_answer(claims.registers);
}

/* Firmwares that count need as many requests as there were enables.  Where the
 * registers are not mapped one has to do, and doubt remains. */
static void
switch_off(void)
{
	disable();
	for (unsigned i = 1; i < MOST_DISABLES && are_seen_on(); i++)
		disable();
	if (claims.registers && !are_seen_on())
		atomic_store(&claims.distrusted, false);
}

/*
 * QPUs that did not come back are switched off first, even if another program
 * switched them on: then they cannot write to memory that the firmware or the
 * kernel gives to others.  Keeping the memory instead would lose it until the
 * next boot; it is kept only when the QPUs are seen to be on all the same.
 */
static void
give_back_all(void)
{
	if (atomic_load(&claims.distrusted))
		switch_off();
	if (atomic_load(&claims.distrusted) && are_seen_on())
		return;
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (claims.handles[i] != 0)
			give_back(&claims.handles[i]);
	if (claims.enabled)
		disable();
}

void
claims_watch(const struct registers *registers)
{
	claims.registers = registers;
}

bool
claims_restart(uint32_t *answer)
{
	struct claims_visit visit;

	*answer = MAILBOX_FAILED;
	if (!claims_enter(&visit))
		return false;
	switch_off();
	if (!are_seen_on()) {
		*answer = 1;
		claims.enabled = ask(MAILBOX_ENABLE_QPU, answer) &&
				 *answer == MAILBOX_OK;
	}
	if (claims.enabled)
		atomic_store(&claims.distrusted, false);
	claims_leave(&visit);
	return claims.enabled;
}

bool
claims_in_doubt(void)
{
	return atomic_load(&claims.distrusted);
}

void
claims_release(void)
{
	sigset_t mask;

	block_signals(&mask);
	if (take_over()) {
		give_back_all();
		atomic_store(&claims.owner, NOTHING_CLAIMED);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* --- The end of the process ------------------------------------------------ */

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
	claims_release();
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

/*
 * A stop interrupts waits inside of the kernel in all threads, so it waits for
 * the end of a visit, and no visit begins before the process goes on.
 */
static void
on_stop(int number)
{
	const int saved_errno = errno;
	int owner = STOPPING;
	sigset_t only, mask;

	while (!become(STOPPING) &&
	       atomic_load(&claims.owner) > NOTHING_CLAIMED)
		poll(NULL, 0, 1);
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, &mask);
	/* Here the process stands still. */
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	change_handler(number, SIG_DFL, on_stop);
	atomic_compare_exchange_strong(&claims.owner, &owner, NO_VISITOR);
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
claims_begin(int vcio)
{
	static bool at_exit;

	claims.vcio = vcio;
	claims.enabled = false;
	claims.registers = NULL;
	atomic_store(&claims.distrusted, false);
	atomic_store(&claims.owner, NO_VISITOR);
	if (!at_exit)
		at_exit = atexit(claims_release) == 0 &&
			  at_quick_exit(claims_release) == 0;
	change_all_handlers(SIG_DFL, on_signal);
	change_stop_handlers(SIG_DFL, on_stop);
}

void
claims_end(void)
{
	claims_release();
	claims.registers = NULL;
	change_all_handlers(on_signal, SIG_DFL);
	change_stop_handlers(on_stop, SIG_DFL);
}
