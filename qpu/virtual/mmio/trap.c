/* SPDX-License-Identifier: MIT */
/*
 * trap: takes the rights of a mapping away and says which function answers.
 *
 * An access then ends in a fault.  Signal handlers read the table of ranges
 * without a lock: a row is in use while its end is not null; the end is written
 * last and taken back first.  An instruction on registers is single-stepped:
 *
 * The fault says where the access begins, and whether it writes.  A load reads
 * the register there.  Then the page is filled with what its registers hold
 * (peek), it is opened, and the thread executes the one instruction: on x86-64
 * with the trap flag set (Intel 64 and IA-32 manual, volume 3, 18.3.1.4), on
 * AArch64 as a copy with a breakpoint after it.  The SIGTRAP that follows
 * closes the page; the word of the fault, if it was a store, and all words that
 * have changed go to the registers.  So any instruction can be used, except
 * AArch64's exclusive stores, which never succeed.  Of a repeated string
 * instruction each element is a step.
 *
 * What this costs:
 *  - While the page is open another thread can slip through: it reads what the
 *    register held a moment ago and calls no function; what it writes counts as
 *    written by the instruction, or is lost.
 *  - An instruction that touches several registers of a page reads only the
 *    first of them; of the others it sees what they hold.  A store to such
 *    another register is seen only if it changes the value.
 *  - A debugger sees the signals.  A trap flag of the program's own is lost.
 *
 * One thread at a time is in a step, with all signals blocked but the two.  If
 * the instruction faults elsewhere, the step is given up and the fault is the
 * program's; when its handler returns, the instruction begins again.
 */
#include "config.h"

#include "qpu/virtual/mmio/trap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/virtual/mmio/signals.h"

enum { RANGES = 64 };

static struct range {
	uintptr_t base;
	trap_registers *registers;
	void *context;
	atomic_uintptr_t end;
} ranges[RANGES];

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;

static bool
add_range(uintptr_t base, size_t bytes, trap_registers *registers,
	  void *context)
{
	bool added = false;

	pthread_mutex_lock(&changes);
	for (size_t i = 0; i < RANGES && !added; i++) {
		struct range *range = &ranges[i];
		if (atomic_load(&range->end) != 0)
			continue;
		range->base = base;
		range->registers = registers;
		range->context = context;
		atomic_store(&range->end, base + bytes);
		added = true;
	}
	pthread_mutex_unlock(&changes);
	return added;
}

/* Remove all ranges inside [base, base + bytes). */
static void
remove_ranges(uintptr_t base, size_t bytes)
{
	pthread_mutex_lock(&changes);
	for (size_t i = 0; i < RANGES; i++) {
		const uintptr_t end = atomic_load(&ranges[i].end);
		if (end <= base + bytes && ranges[i].base >= base)
			atomic_store(&ranges[i].end, 0);
	}
	pthread_mutex_unlock(&changes);
}

static const struct range *
find(uintptr_t address)
{
	for (size_t i = 0; i < RANGES; i++)
		if (address < atomic_load(&ranges[i].end) &&
		    address >= ranges[i].base)
			return &ranges[i];
	return NULL;
}

/* Access n words that are registers of one range. */
static void
call(enum trap_access access, uintptr_t word, uint32_t *values, size_t n)
{
	const struct range *range = find(word);

	range->registers(range->context, access, (uint32_t)(word - range->base),
			 values, n);
}

#ifndef TRAP_NONE

enum {
#ifdef TRAP_X86
	MOST_PAGE_WORDS = 4096 / 4,
#else
	MOST_PAGE_WORDS = 65536 / 4,
#endif
	PAGES = 4, /* two operands, each over the edge of a page */
	STORES = 64,
	KERNEL_MASK_BYTES = 8,
};

/* A page that is open, and what it was filled with. */
struct open_page {
	uint32_t *words;
	uint32_t before[MOST_PAGE_WORDS];
	uint32_t *stored; /* the word at which a store began, or null */
};

static struct step {
	atomic_int thread; /* the thread in a step; 0 if none */
	struct open_page pages[PAGES];
	unsigned npages;
	uint64_t mask; /* the thread's blocked signals, before */
} step;

static size_t page_bytes;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static sigset_t signals_of_fork; /* guarded by step.thread */

#ifdef TRAP_X86

enum {
	TRAP_PAGE = 14,	 /* of REG_TRAPNO: #PF */
	ERROR_WRITE = 2, /* of REG_ERR: bits of a page fault */
	ERROR_FETCH = 16,
	FLAG_TRAP = 0x100,
};

static bool
stepper_open(void)
{
	return true;
}

/* Return true if a fault comes from a load or store. */
static bool
is_access(const siginfo_t *info, const ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;

	(void)info;
	return r[REG_TRAPNO] == TRAP_PAGE && !(r[REG_ERR] & ERROR_FETCH);
}

static bool
is_store(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_ERR] & ERROR_WRITE;
}

/* Have the thread execute one instruction and then trap. */
static void
stepper_start(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] |= FLAG_TRAP;
}

static void
stepper_stop(ucontext_t *context, bool executed)
{
	(void)executed;
	context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
}

#else

/* Loads and stores, sections C4.1.94 of the Arm manual DDI 0487, issue I.a. */
enum {
	BIT_LOAD = 1 << 22,
	OPC = 3 << 22,
};

static const uint32_t breakpoint = 0xd4200000; /* brk #0 */
static uint32_t *copy;	     /* of the instruction, followed by a breakpoint */
static uint64_t instruction; /* where it stands */

static bool
stepper_open(void)
{
	copy = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return false;
	copy[1] = breakpoint;
	return true;
}

static bool
is_access(const siginfo_t *info, const ucontext_t *context)
{
	return (uintptr_t)info->si_addr != context->uc_mcontext.pc;
}

/* One general register is stored where opc is 0, all else where L is. */
static bool
is_store(const ucontext_t *context)
{
	const uint32_t word = *(const uint32_t *)context->uc_mcontext.pc;

	return !(word & ((word >> 26 & 0xf) == 0xe ? OPC : BIT_LOAD));
}

static void
stepper_start(ucontext_t *context)
{
	instruction = context->uc_mcontext.pc;
	copy[0] = *(const uint32_t *)instruction;
	__builtin___clear_cache((char *)copy, (char *)(copy + 2));
	context->uc_mcontext.pc = (uintptr_t)copy;
}

static void
stepper_stop(ucontext_t *context, bool executed)
{
	context->uc_mcontext.pc = executed ? instruction + 4 : instruction;
}

#endif

static int
this_thread(void)
{
	return (int)syscall(SYS_gettid);
}

/* A step is one instruction, so the wait is short. */
static void
enter(void)
{
	int none = 0;

	while (!atomic_compare_exchange_weak(&step.thread, &none,
					     this_thread())) {
		none = 0;
		sched_yield();
	}
}

static void
leave(void)
{
	atomic_store(&step.thread, 0);
}

/* No thread is in a step while another one forks: the child would lack it. */
static void
before_fork(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	enter();
	signals_of_fork = before;
}

static void
after_fork(void)
{
	const sigset_t before = signals_of_fork;

	leave();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Fill the page of a fault, which a store or a load of `value` has made. */
static bool
open_page(uintptr_t fault, bool store, uint32_t value)
{
	const size_t word = fault % page_bytes / 4;
	const uintptr_t base = fault - fault % page_bytes;
	struct open_page *page = &step.pages[step.npages];

	if (step.npages == PAGES)
		return false;
	call(TRAP_PEEK, base, page->before, page_bytes / 4);
	if (!store)
		page->before[word] = value;
	page->words = (uint32_t *)base;
	page->stored = store ? &page->words[word] : NULL;
	if (mprotect(page->words, page_bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	memcpy(page->words, page->before, page_bytes);
	step.npages++;
	return true;
}

static void
shut(void)
{
	while (step.npages > 0)
		mprotect(step.pages[--step.npages].words, page_bytes,
			 PROT_NONE);
}

/* The thread is again as it was, before the instruction or after it. */
static void
restore(ucontext_t *context, bool executed)
{
	stepper_stop(context, executed);
	memcpy(&context->uc_sigmask, &step.mask, KERNEL_MASK_BYTES);
}

/* A fault at a register: from here on, or once more, the thread is in a step. */
static bool
begin(uintptr_t fault, ucontext_t *context)
{
	const bool store = is_store(context);
	const bool first = atomic_load(&step.thread) != this_thread();
	uint32_t value = 0;

	if (!store)
		call(TRAP_READ, fault & ~(uintptr_t)3, &value, 1);
	if (first)
		enter();
	if (!open_page(fault, store, value)) {
		if (first)
			leave();
		return false;
	}
	if (!first)
		return true;
	memcpy(&step.mask, &context->uc_sigmask, KERNEL_MASK_BYTES);
	stepper_start(context);

	const uint64_t others =
		~((uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGTRAP - 1));
	memcpy(&context->uc_sigmask, &others, KERNEL_MASK_BYTES);
	return true;
}

static void
give_up(ucontext_t *context)
{
	shut();
	restore(context, false);
	leave();
}

/* The instruction has been executed: its stores are made in rising order. */
static void
finish(ucontext_t *context)
{
	struct {
		uint32_t *word;
		uint32_t value;
	} stores[STORES];
	size_t n = 0;

	for (unsigned i = 0; i < step.npages; i++) {
		const struct open_page *page = &step.pages[i];
		for (size_t k = 0; k < page_bytes / 4 && n < STORES; k++) {
			uint32_t *word = &page->words[k];
			const uint32_t value = *(volatile uint32_t *)word;
			if (value == page->before[k] && word != page->stored)
				continue;
			stores[n].word = word;
			stores[n++].value = value;
		}
	}
	shut();
	restore(context, true);
	leave();
	for (size_t i = 0; i < n; i++)
		call(TRAP_WRITE, (uintptr_t)stores[i].word, &stores[i].value,
		     1);
}

/* A signal during the step of its thread. */
static bool
goes_on(int signum, const siginfo_t *info, ucontext_t *context)
{
	const bool sent = info->si_code <= 0;

	if (signum == SIGTRAP && !sent) {
		finish(context);
		return true;
	}
	if (!sent && find((uintptr_t)info->si_addr) &&
	    begin((uintptr_t)info->si_addr, context))
		return true;
	give_up(context);
	return false;
}

/* A signals_claim. */
static bool
claim(int signum, const siginfo_t *info, ucontext_t *context)
{
	if (atomic_load(&step.thread) == this_thread())
		return goes_on(signum, info, context);
	return signum == SIGSEGV && info->si_code > 0 &&
	       is_access(info, context) && find((uintptr_t)info->si_addr) &&
	       begin((uintptr_t)info->si_addr, context);
}

/* Do what is needed once for all steps; returns an errno value. */
static int
prepare(void)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (page_bytes / 4 > MOST_PAGE_WORDS)
		return ENOTSUP;
	if (!stepper_open())
		return errno;
	return pthread_atfork(before_fork, after_fork, after_fork);
}

/* Own the signals that an access makes from now on; may be called again. */
static bool
step_open(struct diag *why)
{
	static bool opened;
	bool good;

	pthread_mutex_lock(&opening);
	good = opened || (signals_own(SIGSEGV, claim, why) &&
			  signals_own(SIGTRAP, claim, why));
	if (good && !opened) {
		const int error = prepare();
		good = error == 0;
		if (!good)
			diag_set(why, "cannot trap registers: %s",
				 strerror(error));
	}
	opened = good;
	pthread_mutex_unlock(&opening);
	return good;
}

#else

static bool
step_open(struct diag *why)
{
	diag_set(why, "accesses to mapped registers cannot be seen on this "
		      "kind of processor");
	return false;
}

#endif

/*
 * Fill the pages with what the registers hold, and close them: what a thread
 * reads that slips through is then never made up.
 */
static bool
close_pages(void *base, size_t bytes)
{
	if (mprotect(base, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	call(TRAP_PEEK, (uintptr_t)base, base, bytes / sizeof(uint32_t));
	return mprotect(base, bytes, PROT_NONE) == 0;
}

bool
trap_add(void *base, size_t bytes, trap_registers *registers, void *context,
	 struct diag *why)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if ((uintptr_t)base % page || bytes == 0 || bytes % page) {
		diag_set(why, "registers are trapped in whole pages only");
		return false;
	}
	if (!step_open(why))
		return false;
	if (!add_range((uintptr_t)base, bytes, registers, context)) {
		diag_set(why, "too many mappings of registers");
		return false;
	}
	if (!close_pages(base, bytes)) {
		diag_set(why, "cannot protect a mapping of registers: %s",
			 strerror(errno));
		remove_ranges((uintptr_t)base, bytes);
		return false;
	}
	return true;
}

void
trap_remove(void *base, size_t bytes)
{
	remove_ranges((uintptr_t)base, bytes);
}
