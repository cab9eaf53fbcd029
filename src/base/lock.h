/* SPDX-License-Identifier: MIT */
/*
 * lock: a mutex that knows whether it is held, so that who depends on that can assert
 * it.  Some thread holds it then, and in code that is right it is the one that asks.
 *
 * It is held for a microsecond or so.  A thread that has to wait spins for that long
 * where the C library can do it (glibc), before it sleeps.
 */
#ifndef SRC_BASE_LOCK_H
#define SRC_BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct lock {
	pthread_mutex_t mutex;
	bool is_held;
};

static inline void
lock_init(struct lock *lock)
{
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
	lock->mutex = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
	pthread_mutex_init(&lock->mutex, NULL);
#endif
	lock->is_held = false;
}

static inline void
lock_destroy(struct lock *lock)
{
	assert(!lock->is_held);
	pthread_mutex_destroy(&lock->mutex);
}

static inline void
lock_take(struct lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
	lock->is_held = true;
}

static inline void
lock_release(struct lock *lock)
{
	assert(lock->is_held);
	lock->is_held = false;
	pthread_mutex_unlock(&lock->mutex);
}

/* Wait for the condition, with the lock released. */
static inline void
lock_wait(struct lock *lock, pthread_cond_t *condition)
{
	assert(lock->is_held);
	lock->is_held = false;
	pthread_cond_wait(condition, &lock->mutex);
	lock->is_held = true;
}

#endif
