/* SPDX-License-Identifier: MIT */
/*
 * pool: threads that wait in place of others, for storage, for directories, for the
 * writers of pipes, or for pages.
 *
 * What is to be waited for is a task.  It is posted, and runs once, on any thread
 * of the pool; then the pool knows it no more, so that it may be posted again or
 * freed while it runs.  No thread is started before there is a task for it.
 *
 * Lock: `lock` guards all fields, inside of each function; no task runs under it.
 */
#ifndef SRC_BASE_POOL_H
#define SRC_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "src/base/lock.h"

enum { POOL_THREADS = 128 };

struct task {
	void (*run)(struct task *);
	struct task *next; /* in the queue */
};

/* A thread and the task that it runs, or NULL. */
struct pool_thread {
	struct pool *pool;
	const struct task *task;
	pthread_t thread;
};

struct pool {
	struct lock lock;
	pthread_cond_t posted; /* a task, or the end */
	pthread_cond_t ended;  /* a task that pool_recall waits for, perhaps */
	struct task *first, **end;
	unsigned queued, idle;
	unsigned max_threads, nthreads;
	unsigned recalls; /* calls that wait for `ended` */
	bool ends;
	struct pool_thread threads[POOL_THREADS];
};

/* A pool of max_threads at most, <= POOL_THREADS. */
void
pool_init(struct pool *, unsigned max_threads);

/* End all threads, when all that was posted has run or was recalled. */
void
pool_end(struct pool *);

/* Return whether there is a thread for one more task, perhaps when it has done
 * others; one is started if all are busy. */
bool
pool_has_thread(struct pool *);

/* Have a thread run the task.  Return false if there is no thread. */
bool
pool_post(struct pool *, struct task *);

/* Wait until no thread runs the task.  Return true if it was still in the queue: it
 * will not run any more. */
bool
pool_recall(struct pool *, struct task *);

#endif
