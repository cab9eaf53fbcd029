/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/runner.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/base/thread.h"

/* Enough for a device; a default stack may not fit under a small limit. */
enum { STACK_BYTES = 512 << 10 };

struct runner {
	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*task)(void *arg); /* NULL = nothing to do */
	void *arg;
	bool ending;
};

static void *
run_tasks(void *arg)
{
	struct runner *runner = arg;

	pthread_mutex_lock(&runner->lock);
	for (;;) {
		while (!runner->task && !runner->ending)
			pthread_cond_wait(&runner->changed, &runner->lock);
		if (!runner->task)
			break;
		pthread_mutex_unlock(&runner->lock);
		runner->task(runner->arg);
		pthread_mutex_lock(&runner->lock);
		runner->task = NULL;
		pthread_cond_broadcast(&runner->changed);
	}
	pthread_mutex_unlock(&runner->lock);
	return NULL;
}

struct runner *
runner_start(struct diag *why_not)
{
	struct runner *runner = calloc(1, sizeof(*runner));

	if (!runner) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&runner->lock, NULL);
	pthread_cond_init(&runner->changed, NULL);
	runner->threaded =
		thread_start(&runner->thread, STACK_BYTES, run_tasks, runner);
	return runner;
}

void
runner_post(struct runner *runner, void (*task)(void *arg), void *arg)
{
	if (!runner->threaded) {
		task(arg);
		return;
	}
	pthread_mutex_lock(&runner->lock);
	while (runner->task)
		pthread_cond_wait(&runner->changed, &runner->lock);
	runner->task = task;
	runner->arg = arg;
	pthread_cond_broadcast(&runner->changed);
	pthread_mutex_unlock(&runner->lock);
}

void
runner_wait(struct runner *runner)
{
	pthread_mutex_lock(&runner->lock);
	while (runner->task)
		pthread_cond_wait(&runner->changed, &runner->lock);
	pthread_mutex_unlock(&runner->lock);
}

void
runner_call(struct runner *runner, void (*task)(void *arg), void *arg)
{
	runner_post(runner, task, arg);
	runner_wait(runner);
}

void
runner_stop(struct runner *runner)
{
	pthread_mutex_lock(&runner->lock);
	runner->ending = true;
	pthread_cond_broadcast(&runner->changed);
	pthread_mutex_unlock(&runner->lock);
	if (runner->threaded)
		pthread_join(runner->thread, NULL);
	pthread_cond_destroy(&runner->changed);
	pthread_mutex_destroy(&runner->lock);
	free(runner);
}
