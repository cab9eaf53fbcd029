/* SPDX-License-Identifier: MIT */
/*
 * balance: what the code under test holds: memory, mappings, threads,
 * descriptors, and signals that it has changed.
 *
 * The test is linked with --wrap for the functions below (balance in
 * tests/local.mk), so that calls of ours are counted and those inside of
 * libraries are not.
 */
#ifndef TESTS_SUPPORT_BALANCE_H
#define TESTS_SUPPORT_BALANCE_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum {
	BALANCE_PLACES = 1 << 18, /* more than there are blocks at a time */
	BALANCE_DESCRIPTORS = 256
};

struct balance {
	unsigned blocks, descriptors;
	int threads;
	long mapped_bytes;
	void (*handlers[NSIG])(int);
	sigset_t mask;
};

/* Live blocks, hashed by their addresses.  A place once used stays so. */
static void *balance_places[BALANCE_PLACES];
static unsigned balance_blocks;
static int balance_threads;
static long balance_mapped;
static pthread_mutex_t balance_lock = PTHREAD_MUTEX_INITIALIZER;
static bool balance_no_threads __attribute__((unused)); /* can be started */
static unsigned balance_refused; /* threads, because of that */
static char balance_gone;	 /* its address marks a place that was used */

void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_realloc(void *old, size_t bytes);
void *
__wrap_realloc(void *old, size_t bytes);
void *
__real_aligned_alloc(size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *
__real_strdup(const char *text);
char *
__wrap_strdup(const char *text);
void
__real_free(void *block);
void
__wrap_free(void *block);
void *
__real_mmap64(void *address, size_t len, int prot, int flags, int fd, off_t at);
void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at);
void *
__wrap_mmap64(void *address, size_t len, int prot, int flags, int fd, off_t at)
	__attribute__((alias("__wrap_mmap")));
int
__real_munmap(void *address, size_t len);
int
__wrap_munmap(void *address, size_t len);
int
__real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg);
int
__real_pthread_join(pthread_t thread, void **result);
int
__wrap_pthread_join(pthread_t thread, void **result);

/* The place of a block, or the first that is free for it. */
static void **
balance_find(const void *block, bool for_new)
{
	size_t at = (uintptr_t)block / 16 * 0x9e3779b1u % BALANCE_PLACES;

	while (balance_places[at] && balance_places[at] != block &&
	       !(for_new && balance_places[at] == &balance_gone))
		at = (at + 1) % BALANCE_PLACES;
	return &balance_places[at];
}

static void *
balance_add(void *block)
{
	if (!block)
		return NULL;
	pthread_mutex_lock(&balance_lock);
	*balance_find(block, true) = block;
	balance_blocks++;
	pthread_mutex_unlock(&balance_lock);
	return block;
}

/* Blocks that a library has allocated are not known. */
static void
balance_remove(void *block)
{
	void **place;

	if (!block)
		return;
	pthread_mutex_lock(&balance_lock);
	place = balance_find(block, false);
	if (*place) {
		*place = &balance_gone;
		balance_blocks--;
	}
	pthread_mutex_unlock(&balance_lock);
}

void *
__wrap_malloc(size_t bytes)
{
	return balance_add(__real_malloc(bytes));
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return balance_add(__real_calloc(n, bytes));
}

void *
__wrap_realloc(void *old, size_t bytes)
{
	void *block;

	balance_remove(old);
	block = __real_realloc(old, bytes);
	return balance_add(block ? block : old);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return balance_add(__real_aligned_alloc(alignment, bytes));
}

char *
__wrap_strdup(const char *text)
{
	return balance_add(__real_strdup(text));
}

void
__wrap_free(void *block)
{
	balance_remove(block);
	__real_free(block);
}

void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at)
{
	void *mapping = __real_mmap64(address, len, prot, flags, fd, at);

	if (mapping != (void *)-1)
		__atomic_add_fetch(&balance_mapped, (long)len,
				   __ATOMIC_RELAXED);
	return mapping;
}

int
__wrap_munmap(void *address, size_t len)
{
	const int failed = __real_munmap(address, len);

	if (!failed)
		__atomic_sub_fetch(&balance_mapped, (long)len,
				   __ATOMIC_RELAXED);
	return failed;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	const int error = balance_no_threads ?
				  EAGAIN :
				  __real_pthread_create(thread, attr, run, arg);

	balance_refused += balance_no_threads;
	if (!error)
		__atomic_add_fetch(&balance_threads, 1, __ATOMIC_RELAXED);
	return error;
}

int
__wrap_pthread_join(pthread_t thread, void **result)
{
	const int error = __real_pthread_join(thread, result);

	if (!error)
		__atomic_sub_fetch(&balance_threads, 1, __ATOMIC_RELAXED);
	return error;
}

static struct balance
balance_now(void)
{
	struct balance now;

	memset(&now, 0, sizeof(now));
	now.blocks = balance_blocks;
	now.threads = balance_threads;
	now.mapped_bytes = balance_mapped;
	for (int fd = 0; fd < BALANCE_DESCRIPTORS; fd++)
		now.descriptors += fcntl(fd, F_GETFD) >= 0;
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0)
			now.handlers[number] = action.sa_handler;
	}
	pthread_sigmask(SIG_SETMASK, NULL, &now.mask);
	return now;
}

static bool
balance_same_signals(const struct balance *a, const struct balance *b)
{
	for (int number = 1; number < NSIG; number++)
		if (a->handlers[number] != b->handlers[number] ||
		    sigismember(&a->mask, number) !=
			    sigismember(&b->mask, number))
			return false;
	return true;
}

/* All that `run` takes it gives back.  What the first run keeps for all others
 * does not count. */
static void
balance_test(void (*run)(void), const char *name)
{
	struct balance before, after;

	run();
	before = balance_now();
	run();
	after = balance_now();
	if (!ok(after.blocks == before.blocks &&
			after.threads == before.threads &&
			after.mapped_bytes == before.mapped_bytes &&
			after.descriptors == before.descriptors &&
			balance_same_signals(&before, &after),
		"%s gives back what it takes", name))
		tap_note("left: %d blocks, %d threads, %ld bytes mapped, %d "
			 "descriptors%s",
			 (int)(after.blocks - before.blocks),
			 after.threads - before.threads,
			 after.mapped_bytes - before.mapped_bytes,
			 (int)(after.descriptors - before.descriptors),
			 balance_same_signals(&before, &after) ?
				 "" :
				 ", and signals were changed");
}

#endif
