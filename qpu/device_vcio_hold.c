/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_hold.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "qpu/mailbox.h"

enum {
	/* How long hold_release waits for a visit: a launch, whose end the
	 * kernel itself awaits for 1 s, since 2025 for 3 s. */
	PATIENCE_MS = 4000,
	ALIGNMENT = 4096
};

/* Who has the hold: a thread that visits it, or one of these. */
enum {
	NOTHING_HELD = 0,
	NOBODY = -1,
	RELEASING = -2
};

/* Not behind a pointer: a signal handler finds it in any state of the rest of
 * the program. */
static struct {
	atomic_int owner;
	int vcio;
	bool enabled;
	atomic_bool distrusted;
	uint32_t handles[HOLD_PIECES];	/* 0 = free */
} hold;

static int
thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* The firmware's answer to a tag of one word each way. */
static bool
ask(enum mailbox_tag tag, uint32_t *value)
{
	return mailbox_call(hold.vcio, tag, value, 1, 1);
}

void
hold_begin(int vcio)
{
	hold.vcio = vcio;
	hold.enabled = false;
	atomic_store(&hold.distrusted, false);
	atomic_store(&hold.owner, NOBODY);
}

/* All but those of a crash, which cannot wait. */
static void
put_off_signals(sigset_t *mask)
{
	static const int crashes[] = {
		SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP
	};
	sigset_t put_off;

	sigfillset(&put_off);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigdelset(&put_off, crashes[i]);
	pthread_sigmask(SIG_BLOCK, &put_off, mask);
}

/*
 * No signal comes between the firmware's answer and our note of it.  In a
 * crash the handler runs in the thread that visits, which hold_release sees.
 */
bool
hold_enter(struct hold_visit *visit)
{
	int owner = NOBODY;

	put_off_signals(&visit->mask);
	visit->thread = thread_id();
	if (atomic_compare_exchange_strong(&hold.owner, &owner, visit->thread))
		return true;
	pthread_sigmask(SIG_SETMASK, &visit->mask, NULL);
	return false;
}

void
hold_leave(const struct hold_visit *visit)
{
	int owner = visit->thread;

	/* Unless hold_release lost patience. */
	atomic_compare_exchange_strong(&hold.owner, &owner, NOBODY);
	pthread_sigmask(SIG_SETMASK, &visit->mask, NULL);
}

bool
hold_enable(uint32_t *answer)
{
	struct hold_visit visit;
	bool answered;

	if (!hold_enter(&visit)) {
		errno = ECANCELED;
		return false;
	}
	*answer = 1;
	answered = ask(MAILBOX_ENABLE_QPU, answer);
	/* What was on before stays on. */
	hold.enabled = answered && *answer == MAILBOX_OK;
	hold_leave(&visit);
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

/* Allocate and lock, with the handle noted between the two. */
static bool
take(uint32_t *handle, uint32_t bytes, uint32_t flags, uint32_t *bus)
{
	uint32_t values[3] = { bytes, ALIGNMENT, flags };

	if (!mailbox_call(hold.vcio, MAILBOX_ALLOCATE_MEMORY, values, 3, 1))
		return false;
	*handle = values[0];
	if (*handle == 0)
		return false;
	*bus = *handle;
	if (ask(MAILBOX_LOCK_MEMORY, bus) && *bus != 0)
		return true;
	give_back(handle);
	return false;
}

bool
hold_allocate(uint32_t bytes, uint32_t flags, struct hold_memory *memory)
{
	struct hold_visit visit;
	bool taken = false;

	if (!hold_enter(&visit))
		return false;
	for (unsigned i = 0; i < HOLD_PIECES; i++) {
		if (hold.handles[i] != 0)
			continue;
		taken = take(&hold.handles[i], bytes, flags, &memory->bus);
		memory->handle = hold.handles[i];
		break;
	}
	hold_leave(&visit);
	return taken;
}

void
hold_free(uint32_t handle)
{
	struct hold_visit visit;

	if (atomic_load(&hold.distrusted) || !hold_enter(&visit))
		return;
	for (unsigned i = 0; i < HOLD_PIECES; i++)
		if (hold.handles[i] == handle)
			give_back(&hold.handles[i]);
	hold_leave(&visit);
}

void
hold_distrust(void)
{
	atomic_store(&hold.distrusted, true);
}

static uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/*
 * Nobody visits any more, and nobody else gives back.  A visit that does not
 * end, or one that crashed into our signal handler, means that programs may
 * still be running.  False: somebody else has given back.
 */
static bool
take_over(void)
{
	const uint64_t deadline = now_ms() + PATIENCE_MS;
	const int thread = thread_id();

	for (;;) {
		int owner = NOBODY;

		if (atomic_compare_exchange_strong(&hold.owner, &owner,
						   RELEASING))
			return true;
		if (owner == NOTHING_HELD)
			return false;
		if (owner == thread || now_ms() > deadline) {
			if (owner == RELEASING)
				return false;
			atomic_store(&hold.distrusted, true);
			if (atomic_compare_exchange_strong(&hold.owner, &owner,
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
	hold.enabled = false;
}

/*
 * QPUs that did not come back are switched off first, whoever switched them
 * on, as they are of no use to anybody: then they cannot write to memory that
 * the firmware (or the kernel, if it is the kernel's) gives to others.  To
 * keep the memory instead would lose it until the next boot.
 */
static void
give_back_all(void)
{
	if (atomic_load(&hold.distrusted))
		disable();
	for (unsigned i = 0; i < HOLD_PIECES; i++)
		if (hold.handles[i] != 0)
			give_back(&hold.handles[i]);
	if (hold.enabled)
		disable();
}

void
hold_release(void)
{
	sigset_t mask;

	put_off_signals(&mask);
	if (take_over()) {
		give_back_all();
		atomic_store(&hold.owner, NOTHING_HELD);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
