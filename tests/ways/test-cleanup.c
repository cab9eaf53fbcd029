/* SPDX-License-Identifier: MIT */
/*
 * Promise: QPUs that were switched on go off again and their clock goes back,
 * whatever ends the process; the end of a critical section is waited for, up to
 * four seconds.  The process that keeps memory has only the memory, so no other
 * program misses anything or waits for it: this program adopts it, and ends it.
 */
#include "config.h"

#include "qpu/ways/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/memory_holder.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

/* Act inside the next request for this event: 'E', 'e'. */
static struct {
	char event;
	void (*act)(void);
} meanwhile;

static __typeof__(fault_hooks.ioctl) ask_pi;

static int
ask(int fd, unsigned long request, void *argument)
{
	const int result = ask_pi(fd, request, argument);
	const size_t n = strlen(pi_events());

	if (meanwhile.act && n > 0 && pi_events()[n - 1] == meanwhile.event) {
		void (*act)(void) = meanwhile.act;

		meanwhile.act = NULL;
		act();
	}
	return result;
}

static void
reset(void)
{
	pi_begin();
	ask_pi = fault_hooks.ioctl;
	fault_hooks.ioctl = ask;
	meanwhile.act = NULL;
}

static void
begin(void)
{
	cleanup_begin(firmware_open_node("/dev/vcio", 0));
}

/* The QPUs, and memory to be kept if in doubt. */
static void
take_all(void)
{
	uint32_t answer;

	begin();
	if (!qpus_enable(&answer))
		exit(99);
	cleanup_hold_memory();
}

/* --- What goes back ---------------------------------------------------------- */

static bool
is_blocked(int number)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, number);
}

static void
test_orders(void)
{
	uint32_t answer = 7;
	bool blocks;

	reset();
	errno = 0;
	ok(!qpus_enable(&answer) && errno == ECANCELED && answer == 7,
	   "nothing is enabled before cleanup_begin");
	ok(!qpus_restart(&answer) && answer == 0x80000000,
	   "nothing is restarted before cleanup_begin");
	take_all();
	critical_enter();
	blocks = is_blocked(SIGTERM);
	critical_leave();
	ok(blocks && !is_blocked(SIGTERM),
	   "signals are blocked until a critical section ends");
	cleanup_run();
	ok(pi_asked("Ee"), "QPUs are switched off at the end");
	cleanup_run();
	ok(pi_asked("") && !critical_enter() && !is_blocked(SIGTERM),
	   "all goes back once, then nothing more is taken, and nothing is "
	   "blocked");

	reset();
	pi_wrong("30012=0x80000000");
	begin();
	ok(qpus_enable(&answer) && answer == 0x80000000,
	   "QPUs that are on already answer so");
	cleanup_end();
	ok(pi_asked("E"), "QPUs that were on already stay on");

	reset();
	cleanup_begin(-1);
	ok(!qpus_enable(&answer) && !qpus_restart(&answer) && !qpus_may_run(),
	   "a mailbox that does not answer enables and restarts nothing");
	cleanup_end();
}

static void
test_failures(void)
{
	uint32_t answer;

	reset();
	take_all();
	qpus_mark_failed();
	cleanup_end();
	ok(pi_asked("EeP") && qpus_may_run(),
	   "after a failure the QPUs are switched off once, and a process keeps "
	   "memory to which they may write all the same");

	reset();
	take_all();
	qpus_mark_failed();
	ok(!qpus_stop() && pi_asked("Ee"),
	   "QPUs that have failed may be switched off earlier");
	cleanup_end();
	ok(pi_asked("P"), "QPUs are not switched off twice");

	reset();
	take_all();
	ok(qpus_stop() && pi_asked("E"), "QPUs that have not failed stay on");
	qpus_mark_failed();
	ok(qpus_restart(&answer) && answer == 0 && !qpus_may_run() &&
		   pi_asked("eE"),
	   "QPUs can be switched off and on again, and then nothing runs");
	cleanup_end();
	ok(pi_asked("e"), "after a restart all goes back");

	reset();
	begin();
	qpus_mark_failed();
	cleanup_end();
	ok(pi_asked("e"), "without mappings no process keeps memory");
}

/* --- Ends of the process ------------------------------------------------------ */

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

static bool
dies_by(int signal, void (*body)(int), int argument)
{
	const int status = status_of(body, argument);

	return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static void
end_by_signal(int number)
{
	take_all();
	raise(number);
}

static void
end_by_exit(int status)
{
	take_all();
	(status == 4 ? quick_exit : exit)(status);
}

static void
send_term(void)
{
	kill(getpid(), SIGTERM);
}

/* The signal comes after the QPUs are on and before this is recorded. */
static void
end_in_request(int number)
{
	(void)number;
	meanwhile.event = 'E';
	meanwhile.act = send_term;
	take_all();
}

static void
end_in_release(int number)
{
	take_all();
	meanwhile.event = 'e';
	meanwhile.act = send_term;
	raise(number);
}

static void
end_inside(int number)
{
	take_all();
	critical_enter();
	raise(number);
	/* Only a signal that cannot wait comes here. */
	critical_leave();
}

static void
count_signal(int number)
{
	(void)number;
	pi_note('!');
}

static void
go_on(int number)
{
	signal(SIGHUP, SIG_IGN);
	signal(number, count_signal);
	take_all();
	raise(SIGHUP);
	raise(number);
	cleanup_end();
	raise(number);
	raise(SIGTERM);
}

static void
test_ends(void)
{
	static const int numbers[] = {
		SIGHUP,	 SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
		SIGFPE,	 SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
		SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,	SIGSYS
	};
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		ok(dies_by(numbers[i], end_by_signal, numbers[i]) &&
			   pi_asked("Ee"),
		   "%s kills after all went back", strsignal(numbers[i]));
	ok(dies_by(SIGRTMIN, end_by_signal, SIGRTMIN) && pi_asked("Ee"),
	   "a real-time signal kills after all went back");
	for (int status = 3; status <= 4; status++)
		ok(status_of(end_by_exit, status) == status << 8 &&
			   pi_asked("Ee"),
		   "%s gives all back", status == 3 ? "exit" : "quick_exit");
	ok(dies_by(SIGTERM, end_in_request, 0) && pi_asked("Ee"),
	   "a signal between an answer and its record loses nothing");
	ok(dies_by(SIGINT, end_in_release, SIGINT) && pi_asked("Ee"),
	   "a second signal waits until all is back");
	ok(dies_by(SIGINT, end_inside, SIGINT) && pi_asked("Ee"),
	   "a signal waits for the end of a critical section");
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		ok(dies_by(crashes[i], end_inside, crashes[i]) &&
			   pi_asked("EeP"),
		   "%s does not wait for the end of a critical section, and a "
		   "process keeps memory",
		   strsignal(crashes[i]));
	ok(dies_by(SIGTERM, go_on, SIGUSR1) && pi_asked("E!e!"),
	   "a signal that is ignored stays so, a handler of the program's own "
	   "is called, and others are as before once all is back");
}

/* --- Threads -------------------------------------------------------------------- */

static pthread_barrier_t entered, over;

/* Stay inside a launch while other threads end the process. */
static void *
stay_inside(void *arg)
{
	(void)arg;
	if (!critical_enter())
		_exit(96);
	pthread_barrier_wait(&entered);
	pthread_barrier_wait(&over);
	pi_note('L');
	critical_leave();
	return NULL;
}

static pthread_t
begin_inside(void)
{
	pthread_t other;

	take_all();
	pthread_barrier_init(&entered, NULL, 2);
	pthread_barrier_init(&over, NULL, 2);
	pthread_create(&other, NULL, stay_inside, NULL);
	pthread_barrier_wait(&entered);
	return other;
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
	pthread_t thread;

	begin_inside();
	for (int i = 0; i < nsignals; i++)
		pthread_create(&thread, NULL, raise_term, NULL);
	/* The process ends once, whether the signals have arrived or not. */
	pthread_barrier_wait(&over);
	for (;;)
		pause();
}

static atomic_uint looks; /* at the clock, a millisecond each */

static int
read_clock(clockid_t clock, struct timespec *to)
{
	const unsigned ms = ++looks;

	(void)clock;
	to->tv_sec = ms / 1000;
	to->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

static void
test_patience(void)
{
	pthread_t other;

	reset();
	fault_hooks.clock_gettime = read_clock;
	other = begin_inside();
	looks = 0;
	cleanup_run();
	/* The first one, 4000 ms, and one after that. */
	ok(looks == 4002 && qpus_may_run() && pi_asked("EeP"),
	   "a critical section that does not end within four seconds (%u looks) "
	   "means that the QPUs have failed",
	   (unsigned)looks);
	pthread_barrier_wait(&over);
	pthread_join(other, NULL);
	ok(!critical_enter(),
	   "a critical section that ends too late changes nothing");
	looks = 0;
	cleanup_run();
	ok(looks <= 1, "a second release does not wait");
	cleanup_end();
}

/* --- The process that keeps memory ----------------------------------------------- */

static void
ignore(int number)
{
	(void)number;
}

/* A program with memory, open files, a handler and blocked signals, which keeps
 * its memory, and then has no child. */
static void
keep_and_wait(void)
{
	const int fd = memfd_create("of-the-qpus", 0);
	sigset_t all;

	alarm(60);
	if (fd < 0 || ftruncate(fd, 4096) != 0 ||
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		_exit(99);
	signal(SIGTERM, ignore);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (!memory_holder_start())
		_exit(1);
	_exit(wait(NULL) < 0 && errno == ECHILD ? 0 : 2);
}

/* A file of /proc about a process, or where a link there leads; "" if there is
 * none. */
static const char *
read_about(pid_t pid, const char *name)
{
	static char text[65536];
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	len = readlink(path, text, sizeof(text) - 1);
	fd = len < 0 ? open(path, O_RDONLY) : -1;
	if (fd >= 0) {
		len = 0;
		for (ssize_t n = 1; n > 0; len += n > 0 ? n : 0)
			n = read(fd, text + len,
				 sizeof(text) - 1 - (size_t)len);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	return text;
}

/* -1: there is no such process. */
static int
count_files(pid_t pid)
{
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* "." and ".." */
}

static long
refuse(long number, long a, long b, long c, long d, long e, long f)
{
	(void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	errno = EAGAIN;
	return -1;
}

static void
test_holder(void)
{
	char children[64];
	pid_t caller, holder;
	int status = -1;

	alarm(60);
	fault_hooks.syscall = refuse;
	ok(!memory_holder_start(),
	   "where there can be no process, that is told");
	fault_clear();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
		tap_skip("qemu adopts no processes");
		return;
	}
	fflush(stdout);
	caller = fork();
	if (caller == 0)
		keep_and_wait();
	waitpid(caller, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a program that keeps memory has no child to wait for");
	snprintf(children, sizeof(children), "task/%d/children", (int)getpid());
	holder = (pid_t)strtol(read_about(getpid(), children), NULL, 10);
	if (holder <= 0) {
		ok(false, "a process keeps the memory of a program that ended");
		return;
	}
	ok(count_files(holder) == 0,
	   "the process that keeps memory has no open files, and no standard "
	   "streams");
	/* It may not have come so far yet; the alarm ends a wait in vain. */
	while (strcmp(read_about(holder, "cwd"), "/") != 0)
		sched_yield();
	ok(strcmp(read_about(holder, "comm"), "qpu-memory\n") == 0,
	   "the process that keeps memory has a name, and is in no folder that "
	   "somebody may want to unmount");
	ok(strstr(read_about(holder, "maps"), "of-the-qpus"),
	   "a process keeps the memory of a program that has ended");
	ok(getsid(holder) != getsid(0) && getsid(holder) != holder,
	   "the process that keeps memory is in a session without a terminal");
	kill(holder, SIGTERM);
	waitpid(holder, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	   "the process that keeps memory ends with the system, whatever the "
	   "program does with SIGTERM");
}

int
main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1) {
		pi_exec("--board=pi2 --kms=no", "test-cleanup",
			(char[]){ "on-board" });
		return 99;
	}
	test_orders();
	test_failures();
	test_ends();
	ok(dies_by(SIGTERM, end_while_inside, 1) && pi_asked("ELe"),
	   "a launch that is under way is waited for");
	ok(dies_by(SIGTERM, end_while_inside, 4) && pi_asked("ELe"),
	   "signals in four threads give back once");
	test_patience();
	pi_end();
	test_holder();
	return tap_done();
}
