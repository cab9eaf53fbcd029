/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the firmware gave goes back, whatever ends the process, which can
 * be stopped and continued, but not in a critical section.
 */
#include "config.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/ways/firmware-double.h"
#include "tests/support/tap.h"

static void
test_orders(void)
{
	struct handles_memory memory[2];

	reset();
	take_all(memory);
	ok(memory[0].bus == 0xc0001000 && memory[1].bus == 0xc0002000 &&
		   firmware->locked == 2,
	   "memory is locked and its place is told");
	handles_free(memory[0].handle);
	ok(firmware->allocated == 1 && firmware->locked == 1,
	   "memory goes back alone");
	handles_release();
	is(firmware->events, "Ealalurure",
	   "unlocked, released, and last the QPUs");
	ok(all_is_back() && firmware->locked == 0, "all is back");
	handles_release();
	is(firmware->events, "Ealalurure", "all goes back only once");
	ok(!handles_allocate(4096, 4, &memory[0]),
	   "no more is taken once all is back");
	handles_free(memory[1].handle);
	is(firmware->events, "Ealalurure",
	   "nothing more is given back once all is back");

	reset();
	take_all(memory);
	handles_mark_failed();
	handles_free(memory[0].handle);
	ok(firmware->allocated == 2, "after a failure nothing is freed");
	handles_release();
	is(firmware->events, "Ealaleurur",
	   "QPUs that are stuck are switched off before memory goes back");
	ok(all_is_back(), "all goes back once the QPUs are off");
	handles_end();
}

/* Another program has enabled the QPUs, too. */
static void
test_counts(void)
{
	struct handles_memory memory[2];
	uint32_t answer;

	reset();
	firmware->enabled = 2;
	take_all(memory);
	handles_watch(&registers);
	handles_mark_failed();
	handles_end();
	is(firmware->events, "Ealaleeeurur",
	   "QPUs that are stuck are switched off, however often that takes");
	ok(!handles_qpus_may_run(),
	   "nothing runs any more on QPUs that are seen to be off");

	reset();
	take_all(memory);
	handles_mark_failed();
	handles_end();
	is(firmware->events, "Ealaleurur",
	   "without registers QPUs that are stuck are switched off once");
	ok(handles_qpus_may_run(),
	   "without registers nobody has seen that QPUs are off");

	reset();
	firmware->counts = true;
	take_all(memory);
	handles_watch(&registers);
	handles_mark_failed();
	ok(handles_restart_qpus(&answer) && answer == 0 &&
		   firmware->enabled == 1 && !handles_qpus_may_run(),
	   "QPUs can be switched off and on again");
	is(firmware->events, "EalaleE",
	   "memory stays while QPUs are switched off and on");
	handles_free(memory[0].handle);
	ok(firmware->allocated == 1,
	   "memory can be freed after QPUs were switched off and on");
	handles_end();
	ok(all_is_back(), "all is back at the end after a restart");
}

static void
test_refusals(void)
{
	struct handles_memory memory;
	uint32_t answer;

	reset();
	firmware->already_enabled = true;
	handles_begin(77);
	ok(handles_enable_qpus(&answer) && answer == 0x80000000,
	   "QPUs that are on already answer so");
	handles_release();
	is(firmware->events, "E", "QPUs that were on already stay on");

	reset();
	firmware->no_memory = true;
	handles_begin(77);
	ok(!handles_allocate(4096, 4, &memory), "there may be no memory");
	handles_release();
	is(firmware->events, "a",
	   "nothing is given back where no memory was had");

	reset();
	firmware->no_lock = true;
	handles_begin(77);
	ok(!handles_allocate(4096, 4, &memory) && firmware->allocated == 0,
	   "memory that cannot be locked goes back at once");
	handles_release();

	reset();
	handles_begin(77);
	for (unsigned i = 0; i < HANDLES_MOST; i++)
		if (!handles_allocate(4096, 4, &memory))
			break;
	ok(firmware->allocated == HANDLES_MOST &&
		   !handles_allocate(4096, 4, &memory) &&
		   firmware->allocated == HANDLES_MOST,
	   "more memory than can be recorded is never taken");
	handles_release();
	ok(all_is_back(), "all 216 handles go back");
}

/* Run in a child; how did it end? */
static int
status_of(void (*body)(int), int argument)
{
	const struct rlimit no_core = { 0, 0 };
	int status = 0;
	pid_t child;

	reset();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		alarm(60);
		/* A sanitizer would have handlers. */
		for (int number = 1; number < NSIG; number++)
			signal(number, SIG_DFL);
		body(argument);
		_exit(98);
	}
	waitpid(child, &status, 0);
	return status;
}

/* A child with a firmware of its own ends by this signal. */
static bool
dies_by(int signal, void (*body)(int), int argument)
{
	const int status = status_of(body, argument);

	return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static bool
exits_with(int code, void (*body)(int), int argument)
{
	const int status = status_of(body, argument);

	return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static void
end_by_signal(int number)
{
	struct handles_memory memory[2];

	take_all(memory);
	raise(number);
}

static void
test_signals(void)
{
	static const int numbers[] = {
		SIGHUP,	 SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
		SIGFPE,	 SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
		SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,	SIGSYS
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		ok(dies_by(numbers[i], end_by_signal, numbers[i]) &&
			   all_is_back(),
		   "%s kills after all went back", strsignal(numbers[i]));
	ok(dies_by(SIGRTMIN + 3, end_by_signal, SIGRTMIN + 3) && all_is_back(),
	   "a real-time signal kills after all went back");
}

static void
end_by_exit(int status)
{
	struct handles_memory memory[2];

	take_all(memory);
	(status == 4 ? quick_exit : exit)(status);
}

static void
end_in_allocation(int number)
{
	struct handles_memory memory[2];

	take_all(memory);
	firmware->ask_signal = (uint32_t)number;
	handles_allocate(4096, 4, &memory[0]);
	/* The signal is delivered at the end of the critical section. */
	_exit(97);
}

static void
end_inside(int number)
{
	struct handles_memory memory[2];
	struct critical_section section;

	take_all(memory);
	critical_enter(&section);
	raise(number);
	/* Only a signal that cannot wait comes here. */
	critical_leave(&section);
}

static void
ignore_and_go_on(int number)
{
	struct handles_memory memory[2];

	signal(number, SIG_IGN);
	take_all(memory);
	raise(number);
	_exit(firmware->allocated == 2 ? 7 : 8);
}

static void
count_signal(int number)
{
	(void)number;
	note('!');
}

static void
handle_and_go_on(int number)
{
	struct handles_memory memory[2];

	signal(number, count_signal);
	take_all(memory);
	raise(number);
	handles_end();
	raise(number);
	_exit(firmware->nevents == 12 ? 7 : 8);
}

static void
end_after_disarm(int number)
{
	struct handles_memory memory[2];

	take_all(memory);
	handles_end();
	raise(number);
}

/* Another signal arrives while everything is given back. */
static void
end_in_release(int number)
{
	struct handles_memory memory[2];

	take_all(memory);
	firmware->release_signal = SIGTERM;
	raise(number);
}

static void
test_ends(void)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };

	ok(exits_with(3, end_by_exit, 3) && all_is_back(),
	   "exit gives all back");
	ok(exits_with(4, end_by_exit, 4) && all_is_back(),
	   "quick_exit gives all back");
	ok(dies_by(SIGTERM, end_in_allocation, SIGTERM) && all_is_back() &&
		   firmware->next == 3,
	   "a signal between an allocation and its record loses nothing");
	ok(dies_by(SIGINT, end_inside, SIGINT) &&
		   strcmp(firmware->events, "Ealalurure") == 0,
	   "a signal waits for the end of a critical section");
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		ok(dies_by(crashes[i], end_inside, crashes[i]) &&
			   strcmp(firmware->events, "Ealaleurur") == 0,
		   "%s does not wait for the end of a critical section, and what runs is "
		   "stopped first",
		   strsignal(crashes[i]));
	ok(dies_by(SIGINT, end_in_release, SIGINT) && all_is_back(),
	   "a second signal waits until all is back");
	ok(exits_with(7, ignore_and_go_on, SIGHUP),
	   "a signal that is ignored stays ignored");
	ok(exits_with(7, handle_and_go_on, SIGUSR1),
	   "a handler of the program's own stays, and is called");
	ok(dies_by(SIGTERM, end_after_disarm, SIGTERM) && all_is_back(),
	   "signals are as before once all is back");
}

/* A thread that is in the middle of a launch when others end the process. */
static pthread_barrier_t entered;

static void *
stay_for_long(void *pipe_)
{
	const int *pipe_fds = pipe_;
	struct critical_section section;
	char byte;

	critical_enter(&section);
	pthread_barrier_wait(&entered);
	/* Until the signal's handler is known to wait for us. */
	if (read(pipe_fds[0], &byte, 1) != 1)
		_exit(96);
	note('L');
	critical_leave(&section);
	return NULL;
}

static void *
raise_term(void *arg)
{
	(void)arg;
	raise(SIGTERM);
	return NULL;
}

static void
end_while_inside(int nsignals)
{
	struct handles_memory memory[2];
	pthread_t other, thread;
	int fds[2];

	if (pipe(fds) != 0)
		_exit(96);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_create(&other, NULL, stay_for_long, fds);
	pthread_barrier_wait(&entered);
	for (int i = 0; i < nsignals; i++)
		pthread_create(&thread, NULL, raise_term, NULL);
	/* Whether they are there already or not, they come to one end. */
	if (write(fds[1], "", 1) != 1)
		_exit(96);
	for (;;)
		pause();
}

/* Another program has enabled them more often than we would disable them. */
static void
stay_on(int restarts)
{
	struct handles_memory memory[2];
	uint32_t answer;

	firmware->enabled = 9;
	firmware->hangs = true;
	take_all(memory);
	handles_watch(&registers);
	handles_mark_failed();
	if (restarts && handles_restart_qpus(&answer))
		_exit(8);
	handles_end();
	_exit(handles_qpus_may_run() ? 7 : 8);
}

static void
test_stuck(void)
{
	ok(exits_with(7, stay_on, 0) &&
		   strcmp(firmware->events, "EalaleeeeDd.Dd") == 0,
	   "memory stays where QPUs cannot be stopped");
	ok(exits_with(7, stay_on, 1) && firmware->allocated == 2,
	   "QPUs that cannot be stopped cannot be restarted");
}

/* A firmware under which the power stays after the last disable. */
static void
test_power_that_stays(void)
{
	struct handles_memory memory[2];
	uint32_t answer;

	reset();
	firmware->stays = true;
	take_all(memory);
	handles_watch(&registers);
	handles_mark_failed();
	ok(handles_restart_qpus(&answer) && !handles_qpus_may_run(),
	   "QPUs that stay on can be restarted if they are idle");
	handles_end();
	is(firmware->events, "EalaleeeeEurure",
	   "QPUs that stay on and are idle keep no memory");

	reset();
	firmware->stays = firmware->hangs = true;
	take_all(memory);
	handles_watch(&registers);
	handles_mark_failed();
	ok(handles_restart_qpus(&answer) && !handles_qpus_may_run(),
	   "QPUs that stay on and run are reset by their power domain");
	handles_end();
	is(firmware->events, "EalaleeeeDd.DEurured",
	   "the power domain is given back at the end");
	ok(all_is_back() && !firmware->domain,
	   "all is back after a reset by the power domain");
}

static void
test_threads(void)
{
	ok(dies_by(SIGTERM, end_while_inside, 1) &&
		   strcmp(firmware->events, "EalalLurure") == 0,
	   "a launch that is under way is waited for");
	ok(dies_by(SIGTERM, end_while_inside, 4) &&
		   strcmp(firmware->events, "EalalLurure") == 0,
	   "signals in four threads give back once");
}

/* Stops -------------------------------------------------------------------- */

static sem_t waited; /* for the end of a critical section, by a stop */

/* Waiting looks again and again, with a pause that is not needed here. */
static int
note_wait(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	(void)n;
	(void)ms;
	sem_post(&waited);
	sched_yield();
	return 0;
}

/* Does not leave before a stop waits for that. */
static void *
stay_for_a_while(void *arg)
{
	struct critical_section section;

	(void)arg;
	critical_enter(&section);
	firmware->inside = true;
	pthread_barrier_wait(&entered);
	while (sem_wait(&waited) != 0)
		continue;
	firmware->inside = false;
	critical_leave(&section);
	return NULL;
}

/* What a launch does; it must not take a stop for the end of the process. */
static void *
enter_often(void *arg)
{
	struct critical_section section;

	(void)arg;
	pthread_barrier_wait(&entered);
	while (!firmware->enough) {
		if (!critical_enter(&section)) {
			firmware->refused = true;
			continue;
		}
		firmware->inside = true;
		sched_yield();
		firmware->inside = false;
		critical_leave(&section);
	}
	return NULL;
}

static void
stop_often(int number)
{
	struct handles_memory memory[2];
	pthread_t other;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_create(&other, NULL, enter_often, NULL);
	pthread_barrier_wait(&entered);
	for (unsigned i = 0; i < 50; i++)
		raise(number);
	firmware->enough = true;
	pthread_join(other, NULL);
	exit(firmware->refused ? 8 : 7);
}

/* A group of its own, so that somebody can continue it. */
static void
stop_twice(int number)
{
	struct handles_memory memory[2];
	pthread_t other;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	fault_hooks.poll = note_wait;
	for (unsigned i = 0; i < 2; i++) {
		sem_init(&waited, 0, 0);
		pthread_create(&other, NULL, stay_for_a_while, NULL);
		pthread_barrier_wait(&entered);
		raise(number);
		pthread_join(other, NULL);
	}
	exit(7);
}

/* Run a child, which ends with us, and let it go on after each stop; how many
 * were there? */
static unsigned
continue_child(void (*body)(int), int number, int *status, bool *inside)
{
	unsigned stops = 0;
	pid_t child;

	reset();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body(number);
	}
	while (waitpid(child, status, WUNTRACED) == child &&
	       WIFSTOPPED(*status)) {
		stops += WSTOPSIG(*status) == number;
		*inside = *inside || firmware->inside;
		kill(child, SIGCONT);
	}
	return stops;
}

static void
test_stops(int number)
{
	bool inside = false;
	int status = 0;
	unsigned stops = continue_child(stop_twice, number, &status, &inside);

	ok(stops == 2 && WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
		   all_is_back(),
	   "%s stops the process each time", strsignal(number));
	stops = continue_child(stop_often, number, &status, &inside);
	ok(stops == 50 && WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
		   !inside && all_is_back(),
	   "%s never stops the process in a critical section, and these begin "
	   "again after it",
	   strsignal(number));
}

int
main(void)
{
	if (!map_firmware())
		return 99;
	test_orders();
	test_counts();
	test_refusals();
	test_signals();
	test_ends();
	test_stuck();
	test_power_that_stays();
	test_threads();
	test_stops(SIGTSTP);
	test_stops(SIGTTIN);
	test_stops(SIGTTOU);
	return tap_done();
}
