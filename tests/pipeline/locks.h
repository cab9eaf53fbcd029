/* SPDX-License-Identifier: MIT */
/*
 * locks: are locks taken and given in turn, one at a time, and destroyed?
 *
 * The test is linked with --wrap for the functions below (locks in
 * tests/local.mk).  Header only.
 */
#ifndef TESTS_PIPELINE_LOCKS_H
#define TESTS_PIPELINE_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

enum { LOCKS_HELD = 4 };

static _Thread_local const pthread_mutex_t *locks_held[LOCKS_HELD];
static _Thread_local unsigned locks_nheld;
static unsigned locks_wrong; /* taken twice, given untaken, or left */
static unsigned locks_nested __attribute__((unused));
static int locks_live; /* locks and conditions in use */

int
__real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int
__wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int
__real_pthread_mutex_destroy(pthread_mutex_t *);
int
__wrap_pthread_mutex_destroy(pthread_mutex_t *);
int
__real_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int
__wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int
__real_pthread_cond_destroy(pthread_cond_t *);
int
__wrap_pthread_cond_destroy(pthread_cond_t *);
int
__real_pthread_mutex_lock(pthread_mutex_t *);
int
__wrap_pthread_mutex_lock(pthread_mutex_t *);
int
__real_pthread_mutex_trylock(pthread_mutex_t *);
int
__wrap_pthread_mutex_trylock(pthread_mutex_t *);
int
__real_pthread_mutex_unlock(pthread_mutex_t *);
int
__wrap_pthread_mutex_unlock(pthread_mutex_t *);

static inline void
locks_count(int *what, int change)
{
	__atomic_add_fetch(what, change, __ATOMIC_RELAXED);
}

static inline void
locks_note(unsigned *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

int
__wrap_pthread_mutex_init(pthread_mutex_t *lock,
			  const pthread_mutexattr_t *attr)
{
	locks_count(&locks_live, 1);
	return __real_pthread_mutex_init(lock, attr);
}

int
__wrap_pthread_mutex_destroy(pthread_mutex_t *lock)
{
	locks_count(&locks_live, -1);
	return __real_pthread_mutex_destroy(lock);
}

int
__wrap_pthread_cond_init(pthread_cond_t *condition,
			 const pthread_condattr_t *attr)
{
	locks_count(&locks_live, 1);
	return __real_pthread_cond_init(condition, attr);
}

int
__wrap_pthread_cond_destroy(pthread_cond_t *condition)
{
	locks_count(&locks_live, -1);
	return __real_pthread_cond_destroy(condition);
}

/* Its place among those that this thread holds, or their number. */
static inline unsigned
locks_find(const pthread_mutex_t *lock)
{
	unsigned i = 0;

	while (i < locks_nheld && locks_held[i] != lock)
		i++;
	return i;
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
	if (locks_find(lock) < locks_nheld || locks_nheld == LOCKS_HELD) {
		locks_note(&locks_wrong);
		return 0;
	}
	if (locks_nheld > 0)
		locks_note(&locks_nested);
	locks_held[locks_nheld++] = lock;
	return __real_pthread_mutex_lock(lock);
}

int
__wrap_pthread_mutex_trylock(pthread_mutex_t *lock)
{
	const int error = __real_pthread_mutex_trylock(lock);

	if (!error && locks_nheld < LOCKS_HELD)
		locks_held[locks_nheld++] = lock;
	return error;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
	const unsigned i = locks_find(lock);

	if (i == locks_nheld) {
		locks_note(&locks_wrong);
		return 0;
	}
	locks_held[i] = locks_held[--locks_nheld];
	return __real_pthread_mutex_unlock(lock);
}

/* Have all been taken and given in turn, and are none in use any more? */
static inline bool
locks_are_right(void)
{
	return locks_wrong == 0 && locks_nheld == 0 && locks_live == 0;
}

#endif
