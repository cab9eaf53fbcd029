/* SPDX-License-Identifier: MIT */
/*
 * Promise: a runner does one task after the other on a thread of its own, or
 * on its owner's where no thread can be had, and gives back what it takes.
 */
#include "config.h"

#include "qpu/sha/runner.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { HANG_SECONDS = 60 };

static pthread_t owner;
static sem_t go;	    /* for tasks that wait */
static atomic_bool misused; /* somebody waited without the lock */

struct task {
	bool waits; /* for `go` */
	bool by_owner;
	atomic_bool has_ended;
};

static void
do_task(void *task_)
{
	struct task *task = task_;

	while (task->waits && sem_wait(&go) != 0)
		continue;
	task->by_owner = pthread_equal(pthread_self(), owner) != 0;
	task->has_ended = true;
}

/* The owner waits: only now a task that waits goes on. */
static int
let_go(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	int error;

	if (pthread_equal(pthread_self(), owner))
		sem_post(&go);
	error = fault_real_pthread_cond_wait(condition, mutex);
	misused = misused || error != 0;
	return error;
}

/* A lock that refuses those who do not hold it. */
static int
init_checked(pthread_mutex_t *lock, const pthread_mutexattr_t *usual)
{
	pthread_mutexattr_t attr;
	int error;

	(void)usual;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	error = fault_real_pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return error;
}

static void
test_tasks(void)
{
	struct task first = { .waits = true }, second = first, third = first;
	struct runner *runner;

	fault_hooks.pthread_cond_wait = let_go;
	fault_hooks.pthread_mutex_init = init_checked;
	runner = runner_start(NULL);
	runner_wait(runner);
	ok(sem_trywait(&go) != 0,
	   "a runner that has nothing to do is not waited for");
	runner_post(runner, do_task, &first);
	ok(!first.has_ended, "a task that is posted is not waited for");
	runner_post(runner, do_task, &second);
	ok(first.has_ended && !second.has_ended,
	   "a task has ended before the next one begins");
	runner_wait(runner);
	ok(second.has_ended, "the end of a task can be waited for");
	runner_call(runner, do_task, &third);
	ok(third.has_ended, "a task that is called has ended");
	ok(!first.by_owner && !second.by_owner && !third.by_owner,
	   "the owner's thread does no task");
	first = (struct task){ .waits = true };
	runner_post(runner, do_task, &first);
	sem_post(&go);
	runner_stop(runner);
	ok(first.has_ended, "a runner that is stopped ends its task");
	ok(!misused, "all who wait hold the lock");
	fault_clear();
}

static void
test_no_thread(void)
{
	struct task first = { .waits = false }, second = first;
	struct runner *runner;

	fault_at(FAULT_pthread_create, 1, EAGAIN);
	runner = runner_start(NULL);
	runner_post(runner, do_task, &first);
	ok(first.has_ended && first.by_owner,
	   "without a thread the owner does a task when it is posted");
	runner_wait(runner);
	runner_call(runner, do_task, &second);
	ok(second.has_ended && second.by_owner,
	   "without a thread the owner does a task that is called");
	runner_stop(runner);
	fault_clear();
}

static enum fault_outcome
use(void)
{
	struct task task = { .waits = false };
	struct diag why = { .text = "" };
	struct runner *runner = runner_start(&why);

	if (!runner)
		return *why.text ? FAULT_TOLD : FAULT_WRONG;
	runner_call(runner, do_task, &task);
	runner_stop(runner);
	return task.has_ended ? FAULT_WHOLE : FAULT_WRONG;
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
	fault_each(FAULT_MEMORY, ENOMEM, use, "a runner");
	fault_each(FAULT_pthread_create, EAGAIN, use, "a runner's thread");
	sem_destroy(&go);
	return tap_done();
}
