/* SPDX-License-Identifier: MIT */
/*
 * step: an instruction of x86-64 on trapped registers, single-stepped.
 *
 * The fault says where the access begins, and whether it writes.  A load reads
 * the register there.  Then the page is filled with what its registers hold
 * (peek), it is opened, and the thread executes the instruction with the trap
 * flag set (Intel 64 and IA-32 manual, volume 3, 18.3.1.4).  The SIGTRAP after
 * it closes the page; the word of the fault, if it was a store, and all words
 * that have changed go to the registers.  No instruction is decoded, so any
 * can be used.  Of a repeated string instruction each element is a step.
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

#include "qpu/virtual/mmio/step.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/virtual/mmio/signals.h"

#ifdef STEP_X86

enum {
	PAGE = 4096,
	PAGE_WORDS = PAGE / 4,
	PAGES = 4, /* two operands, each over the edge of a page */
	STORES = 64,
	KERNEL_MASK_BYTES = 8,
	TRAP_PAGE = 14,	 /* of REG_TRAPNO: #PF */
	ERROR_WRITE = 2, /* of REG_ERR: bits of a page fault */
	ERROR_FETCH = 16,
	FLAG_TRAP = 0x100,
};

/* A page that is open, and what it was filled with. */
struct open_page {
	uint32_t *words;
	uint32_t before[PAGE_WORDS];
	uint32_t *stored; /* the word at which a store began, or null */
};

static struct step {
	atomic_int thread; /* the one that is in a step; 0: none */
	struct open_page pages[PAGES];
	unsigned npages;
	uint64_t mask; /* the thread's blocked signals, before */
} step;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static sigset_t signals_of_fork; /* guarded by step.thread */

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
	const uintptr_t base = fault & ~(uintptr_t)(PAGE - 1);
	const size_t word = fault % PAGE / 4;
	struct open_page *page = &step.pages[step.npages];

	if (step.npages == PAGES)
		return false;
	range_peek(base, page->before, PAGE_WORDS);
	if (!store)
		page->before[word] = value;
	page->words = (uint32_t *)base;
	page->stored = store ? &page->words[word] : NULL;
	if (mprotect(page->words, PAGE, PROT_READ | PROT_WRITE) != 0)
		return false;
	memcpy(page->words, page->before, PAGE);
	step.npages++;
	return true;
}

static void
close_pages(void)
{
	while (step.npages > 0)
		mprotect(step.pages[--step.npages].words, PAGE, PROT_NONE);
}

/* The thread is again as it was before the step. */
static void
restore(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
	memcpy(&context->uc_sigmask, &step.mask, KERNEL_MASK_BYTES);
}

/* A fault at a register: from here on, or once more, the thread is in a step. */
static bool
begin(uintptr_t fault, ucontext_t *context)
{
	greg_t *r = context->uc_mcontext.gregs;
	const bool store = r[REG_ERR] & ERROR_WRITE;
	const bool first = atomic_load(&step.thread) != this_thread();
	const uint32_t value = store ? 0 : range_load(fault & ~(uintptr_t)3);

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
	r[REG_EFL] |= FLAG_TRAP;

	const uint64_t others =
		~((uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGTRAP - 1));
	memcpy(&context->uc_sigmask, &others, KERNEL_MASK_BYTES);
	return true;
}

static void
give_up(ucontext_t *context)
{
	close_pages();
	restore(context);
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
		for (size_t k = 0; k < PAGE_WORDS && n < STORES; k++) {
			uint32_t *word = &page->words[k];
			const uint32_t value = *(volatile uint32_t *)word;
			if (value == page->before[k] && word != page->stored)
				continue;
			stores[n].word = word;
			stores[n++].value = value;
		}
	}
	close_pages();
	restore(context);
	leave();
	for (size_t i = 0; i < n; i++)
		range_store((uintptr_t)stores[i].word, stores[i].value);
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
	if (!sent && range_covers((uintptr_t)info->si_addr) &&
	    begin((uintptr_t)info->si_addr, context))
		return true;
	give_up(context);
	return false;
}

/* A signals_claim. */
static bool
claim(int signum, const siginfo_t *info, ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;

	if (atomic_load(&step.thread) == this_thread())
		return goes_on(signum, info, context);
	return signum == SIGSEGV && info->si_code > 0 &&
	       r[REG_TRAPNO] == TRAP_PAGE && !(r[REG_ERR] & ERROR_FETCH) &&
	       range_covers((uintptr_t)info->si_addr) &&
	       begin((uintptr_t)info->si_addr, context);
}

bool
step_open(struct diag *why)
{
	static bool opened;
	bool good;

	pthread_mutex_lock(&opening);
	good = opened || (signals_own(SIGSEGV, claim, why) &&
			  signals_own(SIGTRAP, claim, why));
	if (good && !opened) {
		const int error =
			pthread_atfork(before_fork, after_fork, after_fork);
		good = error == 0;
		if (!good)
			diag_set(why, "cannot trap registers: %s",
				 strerror(error));
	}
	opened = good;
	pthread_mutex_unlock(&opening);
	return good;
}

#endif
