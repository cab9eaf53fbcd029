/* SPDX-License-Identifier: MIT */
/*
 * Trapped registers in a program that has threads, children and its own
 * handlers of signals.
 */
#include "config.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/virtual/mmio/signals.h"
#include "tests/virtual/trap-device.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER true
#else
#define ADDRESS_SANITIZER false
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZER true
#else
#define THREAD_SANITIZER false
#endif

static struct device device;

static volatile uint32_t *
at(uint32_t offset)
{
	return (volatile uint32_t *)(void *)(device.base + offset);
}

/* Registers of a second mapping. */
static struct device other = { .quiet = true };

static bool
reads_other(uint32_t rounds)
{
	volatile uint32_t *words = (volatile uint32_t *)(void *)other.base;
	bool right = true;

	for (uint32_t i = 0; i < rounds; i++)
		right &= words[1 + i] == 0xa0000004 + 4 * i;
	return right;
}

enum { THREADS = 6, ROUNDS = 500 };

static void *
use_registers(void *unused)
{
	(void)unused;
	return reads_other(ROUNDS) ? &device : NULL;
}

/* Return the status, as a shell shows it, of a child that acts; 7 if it ends by
 * itself. */
static int
status_of(void (*act)(void), void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };
	const struct rlimit no_core = { 0, 0 };
	int status = -1;
	const pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		alarm(10); /* a fault that is ignored comes again */
		signals_sigaction(SIGSEGV, &action, NULL);
		act();
		_exit(7);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static void
count_reads(void)
{
	const unsigned before = atomic_load(&other.reads);

	_exit(reads_other(10) && atomic_load(&other.reads) == before + 10 ? 3 :
									    4);
}

/* While other threads are in accesses, which none of them ends in a child. */
static bool
children_read(unsigned n)
{
	bool right = true;

	while (n-- > 0)
		right &= status_of(count_reads, SIG_DFL) == 3;
	return right;
}

static void
test_threads(void)
{
	pthread_t threads[THREADS];
	unsigned started = 0, right = 0;

	if (!ok(device_open(&other), "a second mapping is trapped"))
		return;
	while (started < THREADS && pthread_create(&threads[started], NULL,
						   use_registers, NULL) == 0)
		started++;
	ok(children_read(20), "children of a program whose threads access "
			      "registers access them, too");
	for (unsigned i = 0; i < started; i++) {
		void *result;
		pthread_join(threads[i], &result);
		right += result != NULL;
	}
	ok(right == THREADS, "%d threads at once get the right answers",
	   THREADS);
	const unsigned before = atomic_load(&other.reads);
	ok(reads_other(10) && atomic_load(&other.reads) == before + 10,
	   "after accesses by threads at once each access is seen");
}

/* A timer interrupts accesses, and its handler makes some. */
static atomic_uint alarms;

static void
on_alarm(int signum)
{
	(void)signum;
	if (reads_other(1))
		atomic_fetch_add(&alarms, 1);
}

static void
test_interrupts(void)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	bool right = true;

	signals_sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&alarms) < 50)
		right &= reads_other(1);
	setitimer(ITIMER_REAL, &never, NULL);
	ok(right, "a handler may access registers between accesses");
}

/* The program's own handler of faults. */
static sigjmp_buf back;
static void *volatile fault_address;
static volatile unsigned faults;

static void
on_fault(int signum, siginfo_t *info, void *context)
{
	(void)context;
	(void)signum;
	fault_address = info->si_addr;
	faults++;
	siglongjmp(back, 1);
}

static void
on_simple_fault(int signum)
{
	faults++;
	siglongjmp(back, signum);
}

/* Return memory without rights that no trap handles. */
static volatile uint32_t *
closed_page(void)
{
	return mmap(NULL, DEVICE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

static void
test_handlers(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO,
	};
	struct sigaction old;
	volatile uint32_t *closed = closed_page();
	sigset_t mask;

	sigemptyset(&action.sa_mask);
	signals_sigaction(SIGSEGV, &action, &old);
	ok(old.sa_handler == SIG_DFL || ADDRESS_SANITIZER,
	   "at first there is no handler to see");
	if (sigsetjmp(back, 1) == 0)
		closed[3] = 1;
	ok(faults == 1 && fault_address == closed + 3,
	   "a handler gets the faults that are the program's");
	ok(*at(0x10) == 0xa0000010 && faults == 1,
	   "a handler of the program gets no fault of a register");
	signals_sigmask(SIG_SETMASK, NULL, &mask);
	ok(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGUSR1),
	   "the mask of signals is as it was before an access");
	signals_sigaction(SIGSEGV, NULL, &old);
	ok(old.sa_sigaction == on_fault, "a handler sees itself installed");

	siginfo_t sent = { .si_signo = SIGSEGV, .si_code = SI_QUEUE };
	sent.si_addr = (void *)at(0x10);
	if (sigsetjmp(back, 1) == 0)
		closed[3] = 1;
	device_clear(&device);
	if (sigsetjmp(back, 1) == 0)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
			SIGSEGV, &sent);
	ok(faults == 3 && *device.log == '\0',
	   "a SIGSEGV that was sent with a register's address is no access");
	faults = 1;

	action.sa_handler = on_simple_fault;
	action.sa_flags = (int)SA_RESETHAND;
	signals_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	signals_sigaction(SIGSEGV, NULL, &old);
	ok(faults == 2 && old.sa_handler == SIG_DFL,
	   "a handler for one fault is gone after it");
	device_clear(&device);
}

static sigset_t handler_mask;

static void
note_mask(int signum)
{
	pthread_sigmask(SIG_BLOCK, NULL, &handler_mask);
	siglongjmp(back, signum);
}

/* A handler of the program runs with the mask that the kernel would set. */
static void
test_handler_masks(void)
{
	struct sigaction action = { .sa_handler = note_mask };
	volatile uint32_t *closed = closed_page();

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	signals_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	ok(sigismember(&handler_mask, SIGUSR2) == 1 &&
		   sigismember(&handler_mask, SIGSEGV) == 1 &&
		   sigismember(&handler_mask, SIGUSR1) == 0,
	   "a handler runs with its mask and its own signal blocked");
	action.sa_flags = SA_NODEFER;
	signals_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	ok(sigismember(&handler_mask, SIGUSR2) == 1 &&
		   sigismember(&handler_mask, SIGSEGV) == 0,
	   "SA_NODEFER leaves the signal of a handler open in it");
	action.sa_handler = SIG_DFL;
	signals_sigaction(SIGSEGV, &action, NULL);
}

#if defined(__x86_64__) && defined(__LP64__)
/* Copy a word by one instruction. */
static void
move_word(volatile uint32_t *from, volatile uint32_t *to)
{
	asm volatile("movsl" : "+S"(from), "+D"(to)::"memory");
}
#endif

static void
test_copy_to_nowhere(void)
{
	const struct sigaction action = { .sa_handler = on_simple_fault };
	volatile uint32_t *closed = closed_page();

	signals_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		*closed = *at(0x10);
	is(device_log(&device), "r10",
	   "a fault of the instruction after an access is the program's");
#if defined(__x86_64__) && defined(__LP64__)
	if (sigsetjmp(back, 1) == 0)
		move_word(at(0x10), closed);
	ok(faults == 4, "a fault of the other operand is the program's");
	device_clear(&device);
	if (sigsetjmp(back, 1) == 0)
		move_word(at(0x40), (void *)(UINT64_C(1) << 63));
	ok(faults == 5,
	   "a fault of an operand that is no address is the program's");
	is(device_log(&device), "r40",
	   "the register of the first operand is read once");
#endif
	device_clear(&device);
}

static void
test_masks(void)
{
	sigset_t all;

	sigfillset(&all);
	signals_sigmask(SIG_BLOCK, &all, NULL);
	ok(*at(0x10) == 0xa0000010,
	   "a register is read with all signals blocked");
	signals_sigmask(SIG_UNBLOCK, &all, NULL);
	signals_sigmask(SIG_BLOCK, NULL, &all);
	ok(sigismember(&all, SIGUSR1) == 0 && sigismember(&all, SIGTRAP) == 0,
	   "signals that are unblocked are open");
	device_clear(&device);
}

static void
access_nothing(void)
{
	*closed_page() = 1;
}

/* There is not even a page without rights. */
static void
access_unmapped(void)
{
	volatile uint32_t *page = closed_page();

	munmap((void *)page, DEVICE_PAGE);
	*page = 1;
}

static void
send_fault(void)
{
	raise(SIGSEGV);
}

static void
access_register(void)
{
	_exit(*at(0x10) == 0xa0000010 ? 3 : 4);
}

static void
access_removed(void)
{
	trap_remove(device.base - DEVICE_PAGE, DEVICE_BYTES + DEVICE_PAGE);
	access_register();
}

static void
break_here(void)
{
#ifdef __aarch64__
	asm volatile("brk #0");
#elif defined(__x86_64__)
	asm volatile("int3");
#endif
}

/* A program may unmap what is beside its registers. */
static void
test_removal(void)
{
	uint8_t *base = device.base;

	trap_remove(base + 1, 4 * DEVICE_BYTES);
	trap_remove(base + DEVICE_PAGE, DEVICE_PAGE);
	ok(*at(0x10) == 0xa0000010 && *at(DEVICE_PAGE) == 0xa0001000,
	   "a removal of the last registers leaves all of them");
	trap_remove(base, DEVICE_BYTES - 1);
	ok(*at(0x10) == 0xa0000010 && *at(DEVICE_PAGE) == 0xa0001000,
	   "a removal of the first registers leaves all of them");
	trap_remove(base - DEVICE_PAGE, DEVICE_PAGE);
	trap_remove(base + DEVICE_BYTES, DEVICE_PAGE);
	trap_remove(NULL, DEVICE_PAGE);
	ok(*at(0x10) == 0xa0000010, "a removal beside registers leaves them");
	device_clear(&device);
}

static void
test_deaths(void)
{
	static const struct {
		void (*act)(void);
		void (*handler)(int);
		int status;
		const char *promise;
	} deaths[] = {
		{ access_nothing, SIG_DFL, 128 + SIGSEGV,
		  "a fault of the program ends it by default" },
		{ access_nothing, SIG_IGN, 128 + SIGSEGV,
		  "a fault of the program cannot be ignored" },
		{ access_unmapped, SIG_IGN, 128 + SIGSEGV,
		  "a fault at an address without memory cannot be ignored" },
		{ send_fault, SIG_DFL, 128 + SIGSEGV,
		  "a SIGSEGV that was sent ends the program by default" },
		{ send_fault, SIG_IGN, 7,
		  "a SIGSEGV that was sent can be ignored" },
		{ access_removed, SIG_DFL, 128 + SIGSEGV,
		  "removed registers do not answer" },
		{ break_here, SIG_DFL, 128 + SIGTRAP,
		  "a breakpoint of the program ends it by default" },
	};

	ok(status_of(access_register, SIG_DFL) == 3,
	   "registers answer in a child");
	if (ADDRESS_SANITIZER) {
		tap_skip("AddressSanitizer has a SIGSEGV handler of its own");
		return;
	}
	for (unsigned i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		ok(status_of(deaths[i].act, deaths[i].handler) ==
			   deaths[i].status,
		   "%s", deaths[i].promise);
}

static volatile sig_atomic_t traps;

static void
on_trap(int signum)
{
	traps += signum == SIGTRAP;
}

static void
test_traps(void)
{
	const struct sigaction action = { .sa_handler = on_trap };

	signals_sigaction(SIGTRAP, &action, NULL);
	ok(*at(0x10) == 0xa0000010 && traps == 0,
	   "a handler of SIGTRAP gets none of an access");
	raise(SIGTRAP);
	ok(traps == 1, "a handler of SIGTRAP gets one that was sent");
}

static void
test_refusals(void)
{
	struct diag why = { .text = "" };

	ok(!trap_add(device.base + 4, DEVICE_PAGE, device_access, &device,
		     &why) &&
		   why.text[0] != '\0',
	   "part of a page is refused: %s", why.text);
	ok(!trap_add(device.base, 100, device_access, &device, &why),
	   "a length that is not whole pages is refused");
}

int
main(void)
{
#ifdef TRAP_NONE
	ok(!device_open(&device), "trapping is refused with a reason");
	return tap_done();
#endif
	if (THREAD_SANITIZER) {
		tap_skip("ThreadSanitizer stands between us and signals");
		return tap_done();
	}
	if (!ok(device_open(&device), "registers are trapped"))
		return tap_done();
	test_threads();
	test_interrupts();
	test_handlers();
	test_handler_masks();
	test_copy_to_nowhere();
	test_masks();
	test_removal();
	test_deaths();
	test_traps();
	test_refusals();
	return tap_done();
}
