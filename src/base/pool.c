/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/pool.h"

#include <assert.h>
#include <string.h>

#include "src/base/thread.h"

enum { STACK_BYTES = 128 << 10 };

void
pool_init(struct pool *pool, unsigned max_threads)
{
	assert(max_threads <= POOL_THREADS);
	memset(pool, 0, sizeof(*pool));
	pool->max_threads = max_threads;
	pool->end = &pool->first;
	lock_init(&pool->lock);
	pthread_cond_init(&pool->posted, NULL);
	pthread_cond_init(&pool->ended, NULL);
}

/* Run tasks until the pool ends. */
static void *
serve(void *arg)
{
	struct pool_thread *thread = arg;
	struct pool *pool = thread->pool;

	lock_take(&pool->lock);
	while (!pool->ends) {
		struct task *task = pool->first;

		if (!task) {
			pool->idle++;
			lock_wait(&pool->lock, &pool->posted);
			pool->idle--;
			continue;
		}
		pool->first = task->next;
		if (!pool->first)
			pool->end = &pool->first;
		pool->queued--;
		thread->task = task;
		lock_release(&pool->lock);
		task->run(task);
		lock_take(&pool->lock);
		thread->task = NULL;
		if (pool->recalls > 0)
			pthread_cond_broadcast(&pool->ended);
	}
	lock_release(&pool->lock);
	return NULL;
}

/* Do the work of pool_has_thread, with the lock held. */
static bool
have_thread(struct pool *pool)
{
	struct pool_thread *next = &pool->threads[pool->nthreads];

	assert(pool->lock.is_held);
	if (pool->queued >= pool->idle && pool->nthreads < pool->max_threads) {
		next->pool = pool;
		if (thread_start(&next->thread, STACK_BYTES, serve, next))
			pool->nthreads++;
		else
			pool->max_threads = pool->nthreads;
	}
	return pool->nthreads > 0;
}

bool
pool_has_thread(struct pool *pool)
{
	bool any;

	lock_take(&pool->lock);
	any = have_thread(pool);
	lock_release(&pool->lock);
	return any;
}

bool
pool_post(struct pool *pool, struct task *task)
{
	bool posted;

	lock_take(&pool->lock);
	posted = have_thread(pool);
	if (posted) {
		task->next = NULL;
		*pool->end = task;
		pool->end = &task->next;
		pool->queued++;
	}
	lock_release(&pool->lock);
	if (posted)
		pthread_cond_signal(&pool->posted);
	return posted;
}

/* Return whether some thread runs the task. */
static bool
is_running(const struct pool *pool, const struct task *task)
{
	assert(pool->lock.is_held);
	for (unsigned i = 0; i < pool->nthreads; i++)
		if (pool->threads[i].task == task)
			return true;
	return false;
}

bool
pool_recall(struct pool *pool, struct task *task)
{
	struct task **at;
	bool queued;

	lock_take(&pool->lock);
	/* It may post itself while it runs. */
	pool->recalls++;
	while (is_running(pool, task))
		lock_wait(&pool->lock, &pool->ended);
	pool->recalls--;
	at = &pool->first;
	while (*at && *at != task)
		at = &(*at)->next;
	queued = *at != NULL;
	if (queued) {
		*at = task->next;
		if (!*at)
			pool->end = at;
		pool->queued--;
	}
	lock_release(&pool->lock);
	return queued;
}

void
pool_end(struct pool *pool)
{
	lock_take(&pool->lock);
	assert(!pool->first);
	pool->ends = true;
	pthread_cond_broadcast(&pool->posted);
	lock_release(&pool->lock);
	for (unsigned i = 0; i < pool->nthreads; i++)
		pthread_join(pool->threads[i].thread, NULL);
	pthread_cond_destroy(&pool->ended);
	pthread_cond_destroy(&pool->posted);
	lock_destroy(&pool->lock);
}
