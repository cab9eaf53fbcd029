/* SPDX-License-Identifier: MIT */
/*
 * What the firmware gave goes back, whatever ends the process.  The firmware
 * here is a few counters in memory that outlives the process under test.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/device_vcio_hold.h"
#include "qpu/device_vcio_signals.h"
#include "qpu/mailbox.h"
#include "tests/tap.h"

enum { EVENTS = 64 };

static struct {
	uint32_t next;			/* handle */
	int allocated, locked, enabled;
	int wrong;			/* what nobody had was given back */
	bool no_lock, no_memory, already_enabled;
	uint32_t ask_signal;		/* sent inside of the next allocation */
	unsigned nevents;
	char events[EVENTS + 1];	/* a letter for each request */
} *firmware;

int __wrap_ioctl(int fd, unsigned long request, ...);

static void
note(char event)
{
	if (firmware->nevents < EVENTS)
		firmware->events[firmware->nevents++] = event;
}

static uint32_t
allocate(void)
{
	note('a');
	if (firmware->no_memory)
		return 0;
	firmware->allocated++;
	/* It comes after the memory was taken and before anybody knows. */
	if (firmware->ask_signal)
		kill(getpid(), (int)firmware->ask_signal);
	return ++firmware->next;
}

static void
enable(uint32_t *value)
{
	note(*value ? 'E' : 'e');
	if (*value && firmware->already_enabled) {
		*value = 0x80000000;
		return;
	}
	firmware->enabled += *value ? 1 : -1;
	*value = 0;
}

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	uint32_t *message;

	va_start(args, request);
	message = va_arg(args, uint32_t *);
	va_end(args);
	if (fd != 77 || request != MAILBOX_IOCTL) {
		errno = ENOTTY;
		return -1;
	}
	switch (message[2]) {
	case MAILBOX_ALLOCATE_MEMORY:
		message[5] = allocate();
		break;
	case MAILBOX_LOCK_MEMORY:
		note('l');
		if (firmware->no_lock) {
			message[5] = 0;
			break;
		}
		firmware->locked++;
		message[5] = 0xc0000000 + (message[5] << 12);
		break;
	case MAILBOX_UNLOCK_MEMORY:
	case MAILBOX_RELEASE_MEMORY:
		if (message[5] == 0 || message[5] > firmware->next)
			firmware->wrong++;
		if (message[2] == MAILBOX_UNLOCK_MEMORY)
			firmware->locked--;
		else
			firmware->allocated--;
		note(message[2] == MAILBOX_UNLOCK_MEMORY ? 'u' : 'r');
		message[5] = 0;
		break;
	case MAILBOX_ENABLE_QPU:
		enable(&message[5]);
		break;
	}
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
	return 0;
}

static void
reset(void)
{
	memset(firmware, 0, sizeof(*firmware));
}

static bool
all_is_back(void)
{
	return firmware->allocated == 0 && firmware->enabled == 0 &&
	       firmware->wrong == 0;
}

/* Two pieces, and the QPUs. */
static void
take_all(struct hold_memory memory[2])
{
	uint32_t answer;

	hold_begin(77);
	signals_arm(hold_release);
	if (!hold_enable(&answer) || !hold_allocate(4096, 4, &memory[0]) ||
	    !hold_allocate(8192, 4, &memory[1]))
		exit(99);
}

static void
test_orders(void)
{
	struct hold_memory memory[2];

	reset();
	take_all(memory);
	ok(memory[0].bus == 0xc0001000 && memory[1].bus == 0xc0002000 &&
	   firmware->locked == 2, "memory is locked and its place is told");
	hold_free(memory[0].handle);
	ok(firmware->allocated == 1 && firmware->locked == 1,
	   "a piece goes back alone");
	hold_release();
	is(firmware->events, "Ealalurure",
	   "unlocked, released, and last the QPUs");
	ok(all_is_back() && firmware->locked == 0, "all is back");
	hold_release();
	is(firmware->events, "Ealalurure", "once");
	ok(!hold_allocate(4096, 4, &memory[0]), "and then no more is taken");
	hold_free(memory[1].handle);
	is(firmware->events, "Ealalurure", "nor given");

	reset();
	take_all(memory);
	hold_distrust();
	hold_free(memory[0].handle);
	ok(firmware->allocated == 2, "after a failure nothing is freed");
	hold_release();
	is(firmware->events, "Ealaleurur",
	   "before QPUs that are stuck are switched off");
	ok(all_is_back(), "and then all of it");
	signals_disarm();
}

static void
test_refusals(void)
{
	struct hold_memory memory;
	uint32_t answer;

	reset();
	firmware->already_enabled = true;
	hold_begin(77);
	ok(hold_enable(&answer) && answer == 0x80000000,
	   "QPUs that are on already");
	hold_release();
	is(firmware->events, "E", "stay on");

	reset();
	firmware->no_memory = true;
	hold_begin(77);
	ok(!hold_allocate(4096, 4, &memory), "no memory");
	hold_release();
	is(firmware->events, "a", "nothing is given back for it");

	reset();
	firmware->no_lock = true;
	hold_begin(77);
	ok(!hold_allocate(4096, 4, &memory) && firmware->allocated == 0,
	   "memory that cannot be locked goes back at once");
	hold_release();

	reset();
	hold_begin(77);
	for (unsigned i = 0; i < HOLD_PIECES; i++)
		if (!hold_allocate(4096, 4, &memory))
			break;
	ok(firmware->allocated == HOLD_PIECES &&
	   !hold_allocate(4096, 4, &memory) &&
	   firmware->allocated == HOLD_PIECES,
	   "more pieces than can be noted are never taken");
	hold_release();
	ok(all_is_back(), "and all go back");

	hold_begin(78);
	ok(!hold_enable(&answer), "a mailbox that does not answer");
	hold_release();
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
	struct hold_memory memory[2];

	take_all(memory);
	raise(number);
}

static void
test_signals(void)
{
	static const int numbers[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS,
		SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
		SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS
	};
	int status;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		reset();
		status = status_of(end_by_signal, numbers[i]);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i] &&
		   all_is_back(), "%s: all goes back, and it kills",
		   strsignal(numbers[i]));
	}
	reset();
	status = status_of(end_by_signal, SIGRTMIN + 3);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGRTMIN + 3 &&
	   all_is_back(), "a real-time signal, too");
}

static void
end_by_exit(int status)
{
	struct hold_memory memory[2];

	take_all(memory);
	exit(status);
}

static void
end_in_allocation(int number)
{
	struct hold_memory memory[2];

	take_all(memory);
	firmware->ask_signal = (uint32_t)number;
	hold_allocate(4096, 4, &memory[0]);
	/* The signal is delivered at the end of the visit. */
	_exit(97);
}

static void
end_in_visit(int number)
{
	struct hold_memory memory[2];
	struct hold_visit visit;

	take_all(memory);
	hold_enter(&visit);
	raise(number);
	/* Only what cannot wait comes here. */
	hold_leave(&visit);
}

static void
ignore_and_go_on(int number)
{
	struct hold_memory memory[2];

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
	struct hold_memory memory[2];

	signal(number, count_signal);
	take_all(memory);
	raise(number);
	hold_release();
	signals_disarm();
	raise(number);
	_exit(firmware->nevents == 12 ? 7 : 8);
}

static void
end_after_disarm(int number)
{
	struct hold_memory memory[2];

	take_all(memory);
	hold_release();
	signals_disarm();
	raise(number);
}

static void
test_ends(void)
{
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
	reset();
	status = status_of(end_in_visit, SIGSEGV);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV &&
	   strcmp(firmware->events, "Ealaleurur") == 0,
	   "a crash does not, and what runs is stopped first");
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
	struct hold_visit visit;
	char byte;

	hold_enter(&visit);
	pthread_barrier_wait(&entered);
	/* Until the signal's handler is known to wait for us. */
	if (read(pipe_fds[0], &byte, 1) != 1)
		_exit(96);
	note('L');
	hold_leave(&visit);
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
	struct hold_memory memory[2];
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
	firmware = mmap(NULL, sizeof(*firmware), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (firmware == MAP_FAILED)
		return 99;
	test_orders();
	test_refusals();
	test_signals();
	test_ends();
	test_threads();
	return tap_done();
}
