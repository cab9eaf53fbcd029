/* SPDX-License-Identifier: MIT */
/*
 * How long the end of a process waits for a critical section, and what becomes
 * of that section; the clock is the test's, and nothing sleeps.
 */
#include "config.h"

#include <poll.h>
#include <pthread.h>

#include "tests/ways/firmware-double.h"
#include "tests/support/tap.h"

static atomic_uint looks; /* at the clock */
static atomic_uint polls;

/* A millisecond for each look. */
static int
read_clock(clockid_t clock, struct timespec *to)
{
	const unsigned ms = ++looks;

	(void)clock;
	to->tv_sec = ms / 1000;
	to->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

static int
count_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	(void)fds;
	polls++;
	return n == 0 && timeout_ms == 1 ? 0 : -1;
}

static pthread_barrier_t entered, over;

static void *
stay_too_long(void *arg)
{
	struct critical_section section;

	(void)arg;
	if (!critical_enter(&section))
		exit(99);
	pthread_barrier_wait(&entered);
	pthread_barrier_wait(&over);
	critical_leave(&section);
	return NULL;
}

/* The clock goes on only while the end of the process waits. */
static void
test_patience(void)
{
	struct handles_memory memory[2];
	struct critical_section section;
	pthread_t other;

	reset();
	fault_hooks.poll = count_poll;
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_barrier_init(&over, NULL, 2);
	pthread_create(&other, NULL, stay_too_long, NULL);
	pthread_barrier_wait(&entered);
	looks = polls = 0;
	handles_release();
	/* The first one, 4000 ms, and one after that. */
	ok(looks == 4002,
	   "the end of a critical section is waited for for four seconds: %u "
	   "looks",
	   (unsigned)looks);
	ok(polls >= 4000, "waiting pauses between looks at the clock");
	ok(handles_qpus_may_run() &&
		   strcmp(firmware->events, "Ealaleurur") == 0,
	   "a critical section that does not end means that the QPUs are switched "
	   "off before all goes back");
	pthread_barrier_wait(&over);
	pthread_join(other, NULL);
	ok(!critical_enter(&section),
	   "a critical section that ends too late changes nothing");
	looks = 0;
	handles_release();
	ok(looks <= 1, "a second release does not wait");
	handles_end();
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
	struct handles_memory memory[2];
	sigset_t before, after;

	reset();
	take_all(memory);
	firmware->try_to_enter = true;
	looks = 0;
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	handles_release();
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	ok(firmware->refused && !firmware->inside,
	   "no critical section begins while all is given back");
	is(firmware->events, "Ealalurure",
	   "all goes back once, although a second release is called meanwhile");
	ok(looks > 4000 && !handles_qpus_may_run(),
	   "a second release waits for the first, and not for ever");
	ok(are_equal(&before, &after), "a release unblocks signals again");
	handles_end();
}

/* Signals in a critical section, and in one that is refused. */
static void
test_masks(void)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t before, during, after;
	struct critical_section section;
	bool open = true;

	handles_begin(77);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	critical_enter(&section);
	pthread_sigmask(SIG_BLOCK, NULL, &during);
	critical_leave(&section);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		open = open && !sigismember(&during, crashes[i]);
	ok(open, "signals of a crash are not blocked in a critical section");
	ok(are_equal(&before, &after) && sigismember(&during, SIGTERM) == 1 &&
		   sigismember(&during, SIGTSTP) == 1,
	   "other signals are blocked until a critical section ends");
	handles_end();
	ok(!critical_enter(&section),
	   "there is no critical section before handles_begin");
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	ok(are_equal(&before, &after),
	   "a critical section that is refused blocks nothing");
}

static void
test_refusals(void)
{
	uint32_t answer = 7;

	errno = 0;
	ok(!handles_enable_qpus(&answer) && errno == ECANCELED && answer == 7,
	   "nothing is enabled before handles_begin");
	ok(!handles_restart_qpus(&answer) && answer == MAILBOX_FAILED,
	   "nothing is restarted before handles_begin");
	reset();
	handles_begin(78);
	ok(!handles_enable_qpus(&answer) && errno == ENOTTY,
	   "a mailbox that does not answer gives the reason");
	ok(!handles_restart_qpus(&answer) && !handles_qpus_may_run(),
	   "a mailbox that does not answer cannot restart anything");
	handles_end();
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
	handles_begin(77);
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
	handles_end();
	for (int number = 1; number < NSIG; number++)
		left += action_of(number).sa_handler !=
			before[number].sa_handler;
	ok(left == 0, "at the end all handlers are as before");
	signal(SIGHUP, SIG_DFL);
	signal(SIGTTIN, SIG_DFL);
}

int
main(void)
{
	if (!map_firmware())
		return 99;
	fault_hooks.clock_gettime = read_clock;
	alarm(300);
	test_patience();
	test_release();
	test_masks();
	test_refusals();
	test_handlers();
	return tap_done();
}
