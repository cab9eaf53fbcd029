/* SPDX-License-Identifier: MIT */
/*
 * How long the end of a process waits for a visit to the firmware, and what
 * becomes of that visit; the clock is the test's, and nothing sleeps.
 */
#include "config.h"

#include <poll.h>
#include <pthread.h>

#include "src/base/clock.h"
#include "tests/driver/firmware-double.h"
#include "tests/support/tap.h"

static atomic_uint looks; /* at the clock */
static atomic_uint polls;

uint64_t
__wrap_clock_ns(void);
int
__wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

/* A millisecond for each look. */
uint64_t
__wrap_clock_ns(void)
{
	return (uint64_t)++looks * CLOCK_NS_PER_MS;
}

int
__wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	(void)fds;
	polls++;
	return n == 0 && timeout_ms == 1 ? 0 : -1;
}

static pthread_barrier_t entered, over;

static void *
visit_too_long(void *arg)
{
	struct claims_visit visit;

	(void)arg;
	if (!claims_enter(&visit))
		exit(99);
	pthread_barrier_wait(&entered);
	pthread_barrier_wait(&over);
	claims_leave(&visit);
	return NULL;
}

/* The clock goes on only while the end of the process waits. */
static void
test_patience(void)
{
	struct claims_memory memory[2];
	struct claims_visit visit;
	pthread_t visitor;

	reset();
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_barrier_init(&over, NULL, 2);
	pthread_create(&visitor, NULL, visit_too_long, NULL);
	pthread_barrier_wait(&entered);
	looks = polls = 0;
	claims_release();
	/* The first one, 4000 ms, and one behind that. */
	ok(looks == 4002, "a visit is waited for for four seconds: %u looks",
	   (unsigned)looks);
	ok(polls >= 4000, "with a pause between them");
	ok(claims_in_doubt() && strcmp(firmware->events, "Ealaleurur") == 0,
	   "then the QPUs are switched off, and all goes back");
	pthread_barrier_wait(&over);
	pthread_join(visitor, NULL);
	ok(!claims_enter(&visit), "the end of the visit changes nothing");
	looks = 0;
	claims_release();
	ok(looks <= 1, "and a second end does not wait");
	claims_end();
	pthread_barrier_destroy(&entered);
	pthread_barrier_destroy(&over);
}

static bool
are_equal(const sigset_t *a, const sigset_t *b)
{
	for (int number = 1; number < NSIG; number++)
		if (sigismember(a, number) != sigismember(b, number))
			return false;
	return true;
}

/* While everything is given back. */
static void
test_release(void)
{
	struct claims_memory memory[2];
	sigset_t before, after;

	reset();
	take_all(memory);
	firmware->try_visit = true;
	looks = 0;
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	claims_release();
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	ok(firmware->refused && !firmware->visited,
	   "nobody visits while all is given back");
	is(firmware->events, "Ealalurure", "all goes back once");
	ok(looks > 4000 && !claims_in_doubt(),
	   "a second end waits for the first, and not for ever");
	ok(are_equal(&before, &after), "signals are let in again");
	claims_end();
}

/* Signals of a visit, and those of visits that are refused. */
static void
test_masks(void)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t before, during, after;
	struct claims_visit visit;
	bool open = true;

	claims_begin(77);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	claims_enter(&visit);
	pthread_sigmask(SIG_BLOCK, NULL, &during);
	claims_leave(&visit);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		open = open && !sigismember(&during, crashes[i]);
	ok(open, "signals of a crash are not blocked in a visit");
	ok(are_equal(&before, &after) && sigismember(&during, SIGTERM) == 1 &&
		   sigismember(&during, SIGTSTP) == 1,
	   "others are, until it ends");
	claims_end();
	ok(!claims_enter(&visit), "without claims there is no visit");
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	ok(are_equal(&before, &after), "and nothing is blocked for one");
}

static void
test_refusals(void)
{
	uint32_t answer = 7;

	errno = 0;
	ok(!claims_enable(&answer) && errno == ECANCELED && answer == 7,
	   "nothing is enabled without claims");
	ok(!claims_restart(&answer) && answer == MAILBOX_FAILED,
	   "nor restarted");
	reset();
	claims_begin(78);
	ok(!claims_enable(&answer) && errno == ENOTTY,
	   "a mailbox that does not answer gives the reason");
	ok(!claims_restart(&answer) && !claims_in_doubt(),
	   "and cannot restart anything");
	claims_end();
}

/* Does it end or stop a process that has no handler for it? */
static bool
is_fatal(int number)
{
	static const int fatal[] = { SIGABRT, SIGALRM, SIGBUS,	  SIGFPE,
				     SIGHUP,  SIGILL,  SIGINT,	  SIGIO,
				     SIGPIPE, SIGPROF, SIGPWR,	  SIGQUIT,
				     SIGSEGV, SIGSYS,  SIGTERM,	  SIGTRAP,
				     SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
				     SIGXFSZ, SIGTSTP, SIGTTIN,	  SIGTTOU };

	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		if (number == fatal[i])
			return true;
	return number >= SIGRTMIN && number <= SIGRTMAX;
}

static struct sigaction
action_of(int number)
{
	struct sigaction action = { .sa_flags = 0 };

	sigaction(number, NULL, &action);
	return action;
}

static void
test_handlers(void)
{
	struct sigaction before[NSIG];
	unsigned wrong = 0, left = 0;

	signal(SIGHUP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	for (int number = 1; number < NSIG; number++)
		before[number] = action_of(number);
	claims_begin(77);
	for (int number = 1; number < NSIG; number++) {
		const bool ours = is_fatal(number) &&
				  before[number].sa_handler == SIG_DFL;
		const struct sigaction now = action_of(number);

		wrong += ours == (now.sa_handler == before[number].sa_handler);
		wrong += ours && (!(now.sa_flags & SA_RESTART) ||
				  sigismember(&now.sa_mask, SIGURG) != 1);
	}
	ok(wrong == 0, "signals that end or stop have handlers, others as "
		       "before");
	claims_end();
	for (int number = 1; number < NSIG; number++)
		left += action_of(number).sa_handler !=
			before[number].sa_handler;
	ok(left == 0, "at the end all are as before");
	signal(SIGHUP, SIG_DFL);
	signal(SIGTTIN, SIG_DFL);
}

int
main(void)
{
	if (!map_firmware())
		return 99;
	alarm(300);
	test_patience();
	test_release();
	test_masks();
	test_refusals();
	test_handlers();
	return tap_done();
}
