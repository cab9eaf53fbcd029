/* SPDX-License-Identifier: MIT */
/* What the code under test holds: the half of fault.h that is for C tests only. */
#include <config.h>

#include "tests/support/fault.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>

#include "tests/support/tap.h"

enum { PLACES = 1 << 18 }; /* more than there are blocks at a time */

/* Live blocks, hashed by their addresses.  A place once used stays so. */
static const void *places[PLACES];
static const char used_before; /* its address marks such a place */
static long blocks;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_counting;
static _Atomic int threads;
static _Atomic long mapped;

/* Return the place of a block, or the first that is free for it. */
static const void **
find_place(const void *block, bool for_new)
{
	size_t at = (uintptr_t)block / 16 * 0x9e3779b1u % PLACES;

	while (places[at] && places[at] != block &&
	       !(for_new && places[at] == &used_before))
		at = (at + 1) % PLACES;
	return &places[at];
}

static void *
add_block(void *block)
{
	if (block && is_counting) {
		pthread_mutex_lock(&places_lock);
		*find_place(block, true) = block;
		blocks++;
		pthread_mutex_unlock(&places_lock);
	}
	return block;
}

/* Forget a block, unless a library has allocated it. */
static void
remove_block(const void *block)
{
	const void **place;

	if (!block || !is_counting)
		return;
	pthread_mutex_lock(&places_lock);
	place = find_place(block, false);
	if (*place) {
		*place = &used_before;
		blocks--;
	}
	pthread_mutex_unlock(&places_lock);
}

struct balance
balance_now(void)
{
	struct balance now = { 0 };
	sigset_t mask;

	is_counting = true;
	now.blocks = blocks;
	now.threads = threads;
	now.mapped = mapped;
	for (int fd = 0; fd < 256; fd++)
		now.files += fcntl(fd, F_GETFD) >= 0;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0)
			now.signals =
				now.signals * 31 + (uintptr_t)action.sa_handler;
		now.signals =
			now.signals * 31 + (sigismember(&mask, number) == 1);
	}
	return now;
}

bool
balance_is_as(const struct balance *before)
{
	const struct balance after = balance_now();

	if (after.blocks == before->blocks &&
	    after.threads == before->threads &&
	    after.mapped == before->mapped && after.files == before->files &&
	    after.signals == before->signals)
		return true;
	tap_note("left: %ld blocks, %d threads, %ld bytes mapped, %d "
		 "descriptors%s",
		 after.blocks - before->blocks, after.threads - before->threads,
		 after.mapped - before->mapped,
		 (int)(after.files - before->files),
		 after.signals == before->signals ? "" :
						    ", and signals were "
						    "changed");
	return false;
}

void
balance_test(void (*run)(void), const char *name)
{
	struct balance before;

	balance_now();
	run();
	before = balance_now();
	run();
	ok(balance_is_as(&before), "%s gives back what it takes", name);
}

void
fault_first(enum fault_call call, int error, enum fault_outcome (*run)(void),
	    const char *name, unsigned all)
{
	enum { MOST_CALLS = 10000, STEP = 7 };
	unsigned nth = 0, last, failures_before;
	struct balance before;
	bool good;

	balance_now();
	fault_clear();
	good = run() == FAULT_WHOLE;
	before = balance_now();
	do {
		last = nth;
		nth += nth < all ? 1 : STEP;
		failures_before = fault_failures();
		fault_clear();
		fault_at(call, nth, error);
		good = run() != FAULT_WRONG && good;
		fault_clear();
		good = balance_is_as(&before) && good;
		if (!good)
			tap_note("where call %u fails", nth);
	} while (good && fault_failures() != failures_before &&
		 nth < MOST_CALLS);
	ok(good && nth > 1 && nth < MOST_CALLS,
	   "%s is whole or says why not, and gives back what it takes, "
	   "whichever of its %u calls fails",
	   name, last);
}

void
fault_each(enum fault_call call, int error, enum fault_outcome (*run)(void),
	   const char *name)
{
	fault_first(call, error, run, name, UINT_MAX);
}

/* --- The functions that take and give back ----------------------------------- */

#define __real_mmap __real_mmap64
#define DECLARE(type, name, parameters, arguments, failed)                     \
	type __real_##name parameters;
FAULT_BLOCK_FUNCTIONS(DECLARE)
FAULT_HELD_FUNCTIONS(DECLARE)
FAULT_THREAD_FUNCTIONS(DECLARE)

#define DEFINE_BLOCK(type, name, parameters, arguments)                        \
	type fault_real_##name parameters                                      \
	{                                                                      \
		return add_block(__real_##name arguments);                     \
	}
DEFINE_BLOCK(void *, malloc, (size_t bytes), (bytes))
DEFINE_BLOCK(void *, calloc, (size_t n, size_t bytes), (n, bytes))
DEFINE_BLOCK(void *, aligned_alloc, (size_t alignment, size_t bytes),
	     (alignment, bytes))
DEFINE_BLOCK(char *, strdup, (const char *text), (text))

/* A block leaves the count before it can be given to another thread. */
#define DEFINE_RESIZE(name, parameters, arguments)                             \
	void *fault_real_##name parameters                                     \
	{                                                                      \
		void *block;                                                   \
                                                                               \
		remove_block(old);                                             \
		block = __real_##name arguments;                               \
		add_block(block ? block : old);                                \
		return block;                                                  \
	}
DEFINE_RESIZE(realloc, (void *old, size_t bytes), (old, bytes))
DEFINE_RESIZE(reallocarray, (void *old, size_t n, size_t bytes),
	      (old, n, bytes))

/* free() cannot fail. */
void
__real_free(void *block);
void
__wrap_free(void *block);

void
__wrap_free(void *block)
{
	remove_block(block);
	__real_free(block);
}

void *
fault_real_mmap(void *address, size_t n, int prot, int flags, int fd, off_t at)
{
	void *mapping = __real_mmap(address, n, prot, flags, fd, at);

	/* A fixed mapping replaces one that was counted. */
	if (mapping != MAP_FAILED && !(flags & MAP_FIXED))
		mapped += (long)n;
	return mapping;
}

int
fault_real_munmap(void *address, size_t n)
{
	const int failed = __real_munmap(address, n);

	mapped -= failed ? 0 : (long)n;
	return failed;
}

int
fault_real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *data)
{
	const int error = __real_pthread_create(thread, attr, run, data);

	threads += !error;
	return error;
}

int
fault_real_pthread_join(pthread_t thread, void **result)
{
	const int error = __real_pthread_join(thread, result);

	threads -= !error;
	return error;
}
