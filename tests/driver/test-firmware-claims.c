/* SPDX-License-Identifier: MIT */
/*
 * What the firmware gave goes back, whatever ends the process.
 */
#include "config.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/driver/firmware-double.h"
#include "tests/support/tap.h"

static void
test_orders(void)
{
	struct claims_memory memory[2];

	reset();
	take_all(memory);
	ok(memory[0].bus == 0xc0001000 && memory[1].bus == 0xc0002000 &&
		   firmware->locked == 2,
	   "memory is locked and its place is told");
	claims_free(memory[0].handle);
	ok(firmware->allocated == 1 && firmware->locked == 1,
	   "a piece goes back alone");
	claims_release();
	is(firmware->events, "Ealalurure",
	   "unlocked, released, and last the QPUs");
	ok(all_is_back() && firmware->locked == 0, "all is back");
	claims_release();
	is(firmware->events, "Ealalurure", "once");
	ok(!claims_allocate(4096, 4, &memory[0]), "and then no more is taken");
	claims_free(memory[1].handle);
	is(firmware->events, "Ealalurure", "nor given");

	reset();
	take_all(memory);
	claims_distrust();
	claims_free(memory[0].handle);
	ok(firmware->allocated == 2, "after a failure nothing is freed");
	claims_release();
	is(firmware->events, "Ealaleurur",
	   "before QPUs that are stuck are switched off");
	ok(all_is_back(), "and then all of it");
	claims_end();
}

/* Another program has enabled the QPUs, too. */
static void
test_counts(void)
{
	struct claims_memory memory[2];
	uint32_t answer;

	reset();
	firmware->enabled = 2;
	take_all(memory);
	claims_watch(&registers);
	claims_distrust();
	claims_end();
	is(firmware->events, "Ealaleeeurur",
	   "QPUs that are stuck are switched off, however often that takes");
	ok(!claims_in_doubt(), "and then nothing runs any more");

	reset();
	take_all(memory);
	claims_distrust();
	claims_end();
	is(firmware->events, "Ealaleurur", "without registers once has to do");
	ok(claims_in_doubt(), "but nobody has seen it");

	reset();
	firmware->counts = true;
	take_all(memory);
	claims_watch(&registers);
	claims_distrust();
	ok(claims_restart(&answer) && answer == 0 && firmware->enabled == 1 &&
		   !claims_in_doubt(),
	   "they can be switched off and on again");
	is(firmware->events, "EalaleE", "with their memory");
	claims_free(memory[0].handle);
	ok(firmware->allocated == 1, "which can then be freed");
	claims_end();
	ok(all_is_back(), "and all is back at the end");
}

static void
test_refusals(void)
{
	struct claims_memory memory;
	uint32_t answer;

	reset();
	firmware->already_enabled = true;
	claims_begin(77);
	ok(claims_enable(&answer) && answer == 0x80000000,
	   "QPUs that are on already");
	claims_release();
	is(firmware->events, "E", "stay on");

	reset();
	firmware->no_memory = true;
	claims_begin(77);
	ok(!claims_allocate(4096, 4, &memory), "no memory");
	claims_release();
	is(firmware->events, "a", "nothing is given back for it");

	reset();
	firmware->no_lock = true;
	claims_begin(77);
	ok(!claims_allocate(4096, 4, &memory) && firmware->allocated == 0,
	   "memory that cannot be locked goes back at once");
	claims_release();

	reset();
	claims_begin(77);
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (!claims_allocate(4096, 4, &memory))
			break;
	ok(firmware->allocated == CLAIMS_PIECES &&
		   !claims_allocate(4096, 4, &memory) &&
		   firmware->allocated == CLAIMS_PIECES,
	   "more pieces than can be noted are never taken");
	claims_release();
	ok(all_is_back(), "and all go back");

	claims_begin(78);
	ok(!claims_enable(&answer), "a mailbox that does not answer");
	claims_release();
}

/* Run in a child; how did it end? */
static int
status_of(void (*body)(int), int argument)
{
	const struct rlimit no_core = { 0, 0 };
	int status = 0;
	pid_t child;

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

static void
end_by_signal(int number)
{
	struct claims_memory memory[2];

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
	int status;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		reset();
		status = status_of(end_by_signal, numbers[i]);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i] &&
			   all_is_back(),
		   "%s: all goes back, and it kills", strsignal(numbers[i]));
	}
	reset();
	status = status_of(end_by_signal, SIGRTMIN + 3);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGRTMIN + 3 &&
		   all_is_back(),
	   "a real-time signal, too");
}

static void
end_by_exit(int status)
{
	struct claims_memory memory[2];

	take_all(memory);
	exit(status);
}

static void
end_in_allocation(int number)
{
	struct claims_memory memory[2];

	take_all(memory);
	firmware->ask_signal = (uint32_t)number;
	claims_allocate(4096, 4, &memory[0]);
	/* The signal is delivered at the end of the visit. */
	_exit(97);
}

static void
end_in_visit(int number)
{
	struct claims_memory memory[2];
	struct claims_visit visit;

	take_all(memory);
	claims_enter(&visit);
	raise(number);
	/* Only what cannot wait comes here. */
	claims_leave(&visit);
}

static void
ignore_and_go_on(int number)
{
	struct claims_memory memory[2];

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
	struct claims_memory memory[2];

	signal(number, count_signal);
	take_all(memory);
	raise(number);
	claims_end();
	raise(number);
	_exit(firmware->nevents == 12 ? 7 : 8);
}

static void
end_after_disarm(int number)
{
	struct claims_memory memory[2];

	take_all(memory);
	claims_end();
	raise(number);
}

/* Another signal arrives while everything is given back. */
static void
end_in_release(int number)
{
	struct claims_memory memory[2];

	take_all(memory);
	firmware->release_signal = SIGTERM;
	raise(number);
}

static void
test_ends(void)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	int status;

	reset();
	status = status_of(end_by_exit, 3);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 3 && all_is_back(),
	   "exit gives back");
	reset();
	status = status_of(end_in_allocation, SIGTERM);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && all_is_back(),
	   "a signal between an allocation and our note of it");
	ok(firmware->next == 3, "which did take place");
	reset();
	status = status_of(end_in_visit, SIGINT);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT &&
		   strcmp(firmware->events, "Ealalurure") == 0,
	   "a signal waits for the end of a visit");
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++) {
		reset();
		status = status_of(end_in_visit, crashes[i]);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == crashes[i] &&
			   strcmp(firmware->events, "Ealaleurur") == 0,
		   "%s does not, and what runs is stopped first",
		   strsignal(crashes[i]));
	}
	reset();
	status = status_of(end_in_release, SIGINT);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT && all_is_back(),
	   "a second signal waits until all is back");
	reset();
	status = status_of(ignore_and_go_on, SIGHUP);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "a signal that is ignored stays ignored");
	reset();
	status = status_of(handle_and_go_on, SIGUSR1);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "a handler of the program's own stays");
	reset();
	status = status_of(end_after_disarm, SIGTERM);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && all_is_back(),
	   "afterwards signals are as before");
}

/* A thread that is in the middle of a launch when others end the process. */
static pthread_barrier_t entered;

static void *
visit_for_long(void *pipe_)
{
	const int *pipe_fds = pipe_;
	struct claims_visit visit;
	char byte;

	claims_enter(&visit);
	pthread_barrier_wait(&entered);
	/* Until the signal's handler is known to wait for us. */
	if (read(pipe_fds[0], &byte, 1) != 1)
		_exit(96);
	note('L');
	claims_leave(&visit);
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
end_while_visited(int nsignals)
{
	struct claims_memory memory[2];
	pthread_t visitor, thread;
	int fds[2];

	if (pipe(fds) != 0)
		_exit(96);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_create(&visitor, NULL, visit_for_long, fds);
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
	struct claims_memory memory[2];
	uint32_t answer;

	firmware->enabled = 9;
	take_all(memory);
	claims_watch(&registers);
	claims_distrust();
	if (restarts && claims_restart(&answer))
		_exit(8);
	claims_end();
	_exit(claims_in_doubt() ? 7 : 8);
}

static void
test_doubts(void)
{
	int status;

	reset();
	status = status_of(stay_on, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
		   strcmp(firmware->events, "Ealaleeee") == 0,
	   "memory stays where QPUs cannot be switched off");
	reset();
	status = status_of(stay_on, 1);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
		   firmware->allocated == 2,
	   "nor can such QPUs be restarted");
}

static void
test_threads(void)
{
	int status;

	reset();
	status = status_of(end_while_visited, 1);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM &&
		   strcmp(firmware->events, "EalalLurure") == 0,
	   "a launch that is under way is waited for");
	reset();
	status = status_of(end_while_visited, 4);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM &&
		   strcmp(firmware->events, "EalalLurure") == 0,
	   "signals in four threads give back once");
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
	test_doubts();
	test_threads();
	return tap_done();
}
