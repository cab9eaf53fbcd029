/* SPDX-License-Identifier: MIT */
/*
 * Promise: a runner does one task after the other on a thread of its own, or
 * on its owner's where no thread can be had, and gives back what it takes.
 */
#include "config.h"

#include "qpu/engine/runner.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { STACK_KIB = 512, HANG_SECONDS = 100 };

/* What the runner asks of the system (--wrap). */
static struct {
	bool no_memory, no_threads;
	int mutexes, conditions, attributes; /* that are in use */
	int threads;
	size_t stack_bytes;
	atomic_int misused; /* locks */
} world;

static _Thread_local bool holds_lock;
static pthread_t owner;
static sem_t go; /* for a task that waits */

void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
int
__real_pthread_mutex_init(pthread_mutex_t *mutex,
			  const pthread_mutexattr_t *attr);
int
__wrap_pthread_mutex_init(pthread_mutex_t *mutex,
			  const pthread_mutexattr_t *attr);
int
__real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int
__wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int
__real_pthread_cond_init(pthread_cond_t *condition,
			 const pthread_condattr_t *attr);
int
__wrap_pthread_cond_init(pthread_cond_t *condition,
			 const pthread_condattr_t *attr);
int
__real_pthread_cond_destroy(pthread_cond_t *condition);
int
__wrap_pthread_cond_destroy(pthread_cond_t *condition);
int
__real_pthread_attr_init(pthread_attr_t *attr);
int
__wrap_pthread_attr_init(pthread_attr_t *attr);
int
__real_pthread_attr_destroy(pthread_attr_t *attr);
int
__wrap_pthread_attr_destroy(pthread_attr_t *attr);
int
__real_pthread_mutex_lock(pthread_mutex_t *mutex);
int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int
__real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int
__real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
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

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return world.no_memory ? NULL : __real_calloc(n, bytes);
}

int
__wrap_pthread_mutex_init(pthread_mutex_t *mutex,
			  const pthread_mutexattr_t *attr)
{
	world.mutexes++;
	return __real_pthread_mutex_init(mutex, attr);
}

int
__wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	world.mutexes--;
	return __real_pthread_mutex_destroy(mutex);
}

int
__wrap_pthread_cond_init(pthread_cond_t *condition,
			 const pthread_condattr_t *attr)
{
	world.conditions++;
	return __real_pthread_cond_init(condition, attr);
}

int
__wrap_pthread_cond_destroy(pthread_cond_t *condition)
{
	world.conditions--;
	return __real_pthread_cond_destroy(condition);
}

int
__wrap_pthread_attr_init(pthread_attr_t *attr)
{
	world.attributes++;
	return __real_pthread_attr_init(attr);
}

int
__wrap_pthread_attr_destroy(pthread_attr_t *attr)
{
	world.attributes--;
	return __real_pthread_attr_destroy(attr);
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	const int error = __real_pthread_mutex_lock(mutex);

	holds_lock = true;
	return error;
}

/* Not without the lock: it may be another thread's. */
int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (!holds_lock) {
		world.misused++;
		return EPERM;
	}
	holds_lock = false;
	return __real_pthread_mutex_unlock(mutex);
}

/* An owner who waits lets the task go on. */
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	if (!holds_lock) {
		world.misused++;
		__wrap_pthread_mutex_lock(mutex);
	}
	if (pthread_equal(pthread_self(), owner))
		sem_post(&go);
	return __real_pthread_cond_wait(condition, mutex);
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	if (world.no_threads)
		return EAGAIN;
	pthread_attr_getstacksize(attr, &world.stack_bytes);
	world.threads++;
	return __real_pthread_create(thread, attr, run, arg);
}

int
__wrap_pthread_join(pthread_t thread, void **result)
{
	world.threads--;
	return __real_pthread_join(thread, result);
}

/* Tasks ---------------------------------------------------------------------- */

struct task {
	bool waits; /* for `go` */
	bool by_owner, by_holder;
	atomic_bool has_ended;
};

static void
do_task(void *task_)
{
	struct task *task = task_;

	while (task->waits && sem_wait(&go) != 0)
		continue;
	task->by_owner = pthread_equal(pthread_self(), owner) != 0;
	task->by_holder = holds_lock;
	task->has_ended = true;
}

static struct runner *
start(void)
{
	struct runner *runner = runner_start(NULL);

	if (!runner)
		exit(99);
	return runner;
}

/* What happened before goes is of no account. */
static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	while (sem_trywait(&go) == 0)
		continue;
}

static bool
all_is_back(void)
{
	return world.mutexes == 0 && world.conditions == 0 &&
	       world.attributes == 0 && world.threads == 0;
}

static void
test_tasks(void)
{
	struct task first = { .waits = true }, second = first, third = first;
	struct runner *runner;

	reset();
	runner = start();
	ok(world.threads == 1 && world.stack_bytes == STACK_KIB << 10,
	   "a runner has a thread with a stack of %d KiB", (int)STACK_KIB);
	runner_wait(runner);
	ok(sem_trywait(&go) != 0, "one with nothing to do is not waited for");
	runner_post(runner, do_task, &first);
	ok(!first.has_ended, "a task is begun and not waited for");
	runner_post(runner, do_task, &second);
	ok(first.has_ended && !second.has_ended,
	   "before the next one begins it has ended");
	runner_wait(runner);
	ok(second.has_ended, "the end of a task can be waited for");
	runner_call(runner, do_task, &third);
	ok(third.has_ended, "a task can be called");
	ok(!first.by_owner && !second.by_owner && !third.by_owner,
	   "the owner's thread does none of them");
	ok(!first.by_holder && !second.by_holder && !third.by_holder,
	   "nothing is locked meanwhile");
	first = (struct task){ .waits = true };
	runner_post(runner, do_task, &first);
	sem_post(&go);
	runner_stop(runner);
	ok(first.has_ended, "a runner that is stopped ends its task");
	ok(all_is_back(), "and gives back what it has");
	ok(world.misused == 0, "who waits or unlocks has locked");
}

static void
test_no_thread(void)
{
	struct task first = { .waits = false }, second = first;
	struct runner *runner;

	reset();
	world.no_threads = true;
	runner = start();
	runner_post(runner, do_task, &first);
	ok(first.has_ended && first.by_owner && !first.by_holder,
	   "without a thread the owner does a task");
	runner_wait(runner);
	runner_call(runner, do_task, &second);
	ok(second.has_ended && second.by_owner, "and the next one");
	runner_stop(runner);
	ok(all_is_back() && world.misused == 0, "nothing is left behind");
}

static void
test_no_memory(void)
{
	struct diag why = { .text = "" };

	reset();
	world.no_memory = true;
	ok(!runner_start(&why) && strcmp(why.text, "out of memory") == 0,
	   "without memory there is no runner");
	ok(all_is_back(), "and nothing of one");
}

int
main(void)
{
	owner = pthread_self();
	if (sem_init(&go, 0, 0) != 0)
		return 99;
	alarm(HANG_SECONDS);
	test_tasks();
	test_no_thread();
	test_no_memory();
	sem_destroy(&go);
	return tap_done();
}
