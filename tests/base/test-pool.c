/* SPDX-License-Identifier: MIT */
/*
 * Promise: each task that is posted runs once, as many at a time as there may be
 * threads, or is recalled; threads are started when there is a task for them.
 */
#include "config.h"

#include "src/base/pool.h"

#include <errno.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { TASKS = 20, THREADS = 3 };

/* Tasks wait until the gate is open. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_open;
static unsigned inside, most_inside, runs;

static struct pool pool;
static struct task tasks[TASKS];
static unsigned again; /* times that a task posts itself */

static void
pass_gate(struct task *task)
{
	pthread_mutex_lock(&lock);
	if (++inside > most_inside)
		most_inside = inside;
	pthread_cond_broadcast(&changed);
	while (!is_open)
		pthread_cond_wait(&changed, &lock);
	inside--;
	runs++;
	if (again > 0) {
		again--;
		pool_post(&pool, task);
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void
set_gate(bool open)
{
	pthread_mutex_lock(&lock);
	is_open = open;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void
await(const unsigned *count, unsigned n)
{
	pthread_mutex_lock(&lock);
	while (*count < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

/* Post n tasks.  Return how many there was a thread for. */
static unsigned
post(unsigned n)
{
	unsigned posted = 0;

	for (unsigned i = 0; i < n; i++) {
		tasks[i].run = pass_gate;
		posted += pool_post(&pool, &tasks[i]);
	}
	return posted;
}

static void
begin(unsigned threads)
{
	fault_clear();
	inside = most_inside = runs = again = 0;
	set_gate(false);
	pool_init(&pool, threads);
}

static void
test_runs(void)
{
	begin(THREADS);
	ok(fault_count(FAULT_pthread_create) == 0,
	   "no thread is started before there is a task");
	ok(post(TASKS) == TASKS, "more tasks than threads can be posted");
	await(&inside, THREADS);
	set_gate(true);
	await(&runs, TASKS);
	pool_end(&pool);
	ok(runs == TASKS && most_inside == THREADS &&
		   fault_count(FAULT_pthread_create) == THREADS,
	   "each task runs once, %d at a time", THREADS);
	begin(THREADS);
	again = 5;
	set_gate(true);
	post(1);
	await(&runs, 6);
	pool_end(&pool);
	ok(runs == 6 && fault_count(FAULT_pthread_create) <= THREADS,
	   "a task may post itself while it runs");
}

static void
test_recall(void)
{
	bool first, last, middle;

	begin(1);
	post(4);
	await(&inside, 1);
	middle = pool_recall(&pool, &tasks[2]);
	last = pool_recall(&pool, &tasks[3]);
	tasks[3].run = pass_gate;
	pool_post(&pool, &tasks[3]);
	again = 1;
	set_gate(true);
	/* It runs, and posts itself once: either has ended then. */
	first = pool_recall(&pool, &tasks[0]);
	await(&runs, first ? 3 : 4);
	ok(middle && last, "a task that has not begun can be recalled");
	ok(runs == (first ? 3 : 4) && !pool_recall(&pool, &tasks[1]),
	   "what was recalled does not run, and all others do");
	pool_end(&pool);
}

static void
test_no_threads(void)
{
	begin(0);
	ok(post(1) == 0 && !pool_has_thread(&pool),
	   "a pool without threads takes no task");
	pool_end(&pool);
	begin(THREADS);
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	ok(post(1) == 0, "no thread can be started: no task is taken");
	pool_end(&pool);
	begin(THREADS);
	fault_from(FAULT_pthread_create, 2, EAGAIN);
	ok(post(5) == 5, "one thread can be started: it takes all tasks");
	set_gate(true);
	await(&runs, 5);
	pool_end(&pool);
	ok(runs == 5 && most_inside == 1, "it runs them one after the other");
}

int
main(void)
{
	alarm(60);
	test_runs();
	test_recall();
	test_no_threads();
	return tap_done();
}
