/* SPDX-License-Identifier: MIT */
/*
 * Trapped registers as a program in C meets them: pointers to volatile,
 * copies, threads, and its own handlers of signals.
 */
#include "config.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/virtual/mmio/segv.h"
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

static void
test_pointers(void)
{
	uint32_t words[4];

	ok(*at(0x10) == 0xa0000010, "a register is read");
	is(device_log(&device), "r10", "by one call");
	*at(0x10) = 5;
	is(device_log(&device), "w10=5", "a write is one call");
	*at(0x10) |= 8;
	is(device_log(&device), "r10 w10=a0000018", "|= reads and writes");
	for (uint32_t i = 0; i < 3; i++)
		at(0x20)[i] = i;
	is(device_log(&device), "w20=0 w24=1 w28=2", "a loop writes each");
	memcpy(words, (const void *)at(0x40), sizeof(words));
	ok(words[0] == 0xa0000040 && words[1] == 0xa0000044 &&
		   words[2] == 0xa0000048 && words[3] == 0xa000004c,
	   "memcpy reads registers");
	ok((float)*at(0) == 2684354560.0F, "a register becomes a float");
	ok(*(volatile uint8_t *)at(4) == 4, "a byte of a register is read");
	device_clear(&device);
}

/* Registers of a second mapping: offset 0 counts, the others are its square. */
static atomic_uint counter, reads_done;

static uint32_t
count_read(void *context, uint32_t offset)
{
	(void)context;
	if (offset == 0)
		return atomic_fetch_add(&counter, 1);
	atomic_fetch_add(&reads_done, 1);
	return offset * offset;
}

static void
count_write(void *context, uint32_t offset, uint32_t value)
{
	(void)context;
	(void)offset;
	atomic_fetch_add(&counter, value);
}

static uint8_t *counting;

static bool
open_counting(void)
{
	const struct trap_registers registers = {
		.read = count_read,
		.write = count_write,
	};

	counting = mmap(NULL, DEVICE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return counting != MAP_FAILED &&
	       trap_add(counting, DEVICE_PAGE, &registers, NULL);
}

enum { THREADS = 6, ROUNDS = 500 };

static _Atomic bool seen[THREADS * ROUNDS];

/* Each value of the counter is seen by one thread: nobody slips through. */
static void *
use_registers(void *unused)
{
	volatile uint32_t *registers = (volatile void *)counting;
	bool right = true;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		const uint32_t ticket = registers[0];
		right &= ticket < THREADS * ROUNDS &&
			 !atomic_exchange(&seen[ticket], true);
		right &= registers[1 + i] == (4 + 4 * i) * (4 + 4 * i);
	}
	(void)unused;
	return right ? counting : NULL;
}

static void
test_threads(void)
{
	pthread_t threads[THREADS];
	unsigned started = 0, right = 0;

	if (!ok(open_counting(), "a second mapping is trapped"))
		return;
	while (started < THREADS && pthread_create(&threads[started], NULL,
						   use_registers, NULL) == 0)
		started++;
	for (unsigned i = 0; i < started; i++) {
		void *result;
		pthread_join(threads[i], &result);
		right += result != NULL;
	}
	ok(right == THREADS, "%d threads at once get answers of their own",
	   THREADS);
	ok(atomic_load(&counter) == THREADS * ROUNDS &&
		   atomic_load(&reads_done) == THREADS * ROUNDS,
	   "and no access is seen twice or not at all");
}

/* A timer interrupts accesses, and its handler makes some. */
static atomic_uint alarms;

static void
on_alarm(int signum)
{
	volatile uint32_t *registers = (volatile void *)counting;

	(void)signum;
	if (registers[3] == 144)
		atomic_fetch_add(&alarms, 1);
}

static void
test_interrupts(void)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	volatile uint32_t *registers = (volatile void *)counting;
	bool right = true;

	segv_sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&alarms) < 50)
		right &= registers[2] == 64;
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

/* Memory without rights that nobody answers for. */
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
	segv_sigaction(SIGSEGV, &action, &old);
	ok(old.sa_handler == SIG_DFL || ADDRESS_SANITIZER,
	   "at first there is no handler to see");
	if (sigsetjmp(back, 1) == 0)
		closed[3] = 1;
	ok(faults == 1 && fault_address == closed + 3,
	   "a handler gets the faults that are the program's");
	ok(*at(0x10) == 0xa0000010 && faults == 1, "but none of registers");
	segv_sigmask(SIG_SETMASK, NULL, &mask);
	ok(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGUSR1),
	   "the mask is as before");
	segv_sigaction(SIGSEGV, NULL, &old);
	ok(old.sa_sigaction == on_fault, "a handler sees itself installed");

	action.sa_handler = on_simple_fault;
	action.sa_flags = (int)SA_RESETHAND;
	segv_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	segv_sigaction(SIGSEGV, NULL, &old);
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
	segv_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	ok(sigismember(&handler_mask, SIGUSR2) == 1 &&
		   sigismember(&handler_mask, SIGSEGV) == 1 &&
		   sigismember(&handler_mask, SIGUSR1) == 0,
	   "in a handler its mask is blocked, and its own signal");
	action.sa_flags = SA_NODEFER;
	segv_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		closed[0] = 1;
	ok(sigismember(&handler_mask, SIGUSR2) == 1 &&
		   sigismember(&handler_mask, SIGSEGV) == 0,
	   "but not that one if it is not to be deferred");
	action.sa_handler = SIG_DFL;
	segv_sigaction(SIGSEGV, &action, NULL);
}

#if defined(__x86_64__) && defined(__LP64__)
/* By one instruction. */
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

	segv_sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		*closed = *at(0x10);
	is(device_log(&device), "r10", "a fault behind an access is theirs");
#if defined(__x86_64__) && defined(__LP64__)
	if (sigsetjmp(back, 1) == 0)
		move_word(at(0x10), closed);
	ok(faults == 4, "one instruction, one operand ours, the other's fault");
	device_clear(&device);
	if (sigsetjmp(back, 1) == 0)
		move_word(at(0x40), (void *)(UINT64_C(1) << 63));
	ok(faults == 5, "also where the other is no address at all");
	is(device_log(&device), "r40", "and the register is read once");
	if (sigsetjmp(back, 1) == 0)
		asm volatile("push (%0); pop %%rax" ::"r"(at(0x10)) : "rax");
	ok(faults == 6, "what cannot be carried out is the program's fault");
#endif
	device_clear(&device);
}

static void
test_masks(void)
{
	sigset_t all;

	sigfillset(&all);
	segv_sigmask(SIG_BLOCK, &all, NULL);
	ok(*at(0x10) == 0xa0000010, "with all signals blocked");
	segv_sigmask(SIG_UNBLOCK, &all, NULL);
	device_clear(&device);
}

/* How a child ends that does something. */
static int
status_of(void (*child)(void))
{
	const struct rlimit no_core = { 0, 0 };
	int status = -1;
	const pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		child();
		_exit(7);
	}
	waitpid(pid, &status, 0);
	return status;
}

static bool
died_of_fault(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void
set_handler(void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };

	segv_sigaction(SIGSEGV, &action, NULL);
}

static void
access_nothing(void)
{
	set_handler(SIG_DFL);
	*closed_page() = 1;
}

/* Not even a page without rights. */
static void
access_unmapped_ignored(void)
{
	volatile uint32_t *page = closed_page();

	munmap((void *)page, DEVICE_PAGE);
	alarm(10); /* a fault that is ignored comes again */
	set_handler(SIG_IGN);
	*page = 1;
}

static void
access_nothing_ignored(void)
{
	set_handler(SIG_IGN);
	*closed_page() = 1;
}

static void
send_fault(void)
{
	set_handler(SIG_DFL);
	raise(SIGSEGV);
}

static void
send_ignored_fault(void)
{
	set_handler(SIG_IGN);
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
	set_handler(SIG_DFL);
	trap_remove(device.base, DEVICE_BYTES);
	_exit(*at(0x10) == 0xa0000010 ? 3 : 4);
}

static void
test_deaths(void)
{
	int status = status_of(access_register);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 3,
	   "registers answer in a child");
	if (ADDRESS_SANITIZER) {
		tap_skip("AddressSanitizer has a SIGSEGV handler of its own");
		return;
	}
	ok(died_of_fault(status_of(access_nothing)), "the default is to die");
	ok(died_of_fault(status_of(access_nothing_ignored)),
	   "faults cannot be ignored");
	ok(died_of_fault(status_of(access_unmapped_ignored)),
	   "those of nothing at all neither");
	ok(died_of_fault(status_of(send_fault)),
	   "a signal sent is deadly, too");
	status = status_of(send_ignored_fault);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "a signal sent can be ignored");
	ok(died_of_fault(status_of(access_removed)),
	   "removed registers do not answer");
}

static void
test_refusals(void)
{
	const struct trap_registers registers = { .read = count_read };
	struct diag why = { .text = "" };

	ok(!trap_add(device.base + 4, DEVICE_PAGE, &registers, &why) &&
		   why.text[0] != '\0',
	   "part of a page is refused: %s", why.text);
	ok(!trap_add(device.base, 100, &registers, &why),
	   "a length that is no page is refused");
}

int
main(void)
{
	if (!trap_supported()) {
		ok(!device_open(&device), "trapping is refused with a reason");
		return tap_done();
	}
	if (THREAD_SANITIZER) {
		tap_skip("ThreadSanitizer stands between us and signals");
		return tap_done();
	}
	if (!ok(device_open(&device), "registers are trapped"))
		return tap_done();
	test_pointers();
	test_threads();
	test_interrupts();
	test_handlers();
	test_handler_masks();
	test_copy_to_nowhere();
	test_masks();
	test_deaths();
	test_refusals();
	return tap_done();
}
