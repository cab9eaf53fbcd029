/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/bench/virtual-time.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { THREADS = 64, STACK_BYTES = 256 << 10 };

/* The computing time that passes between two steps of the clock. */
static const double least_seconds = 20e-6;

enum state {
	FREE, /* no thread */
	READY,
	COMPUTES, /* for `left` more seconds of a core */
	SLEEPS,	  /* until `until` */
	WAITS,	  /* for the object `what`: a lock, a condition or a thread */
	ENDED
};

struct thread {
	enum state state;
	bool gives_way;
	double left, until, computed;
	const void *what;
	uint64_t since; /* the order of those that wait */
	ucontext_t context;
	void *stack;
	void *(*run)(void *);
	void *arg, *result;
};

/* There is one machine. */
static struct {
	struct thread threads[THREADS];
	unsigned nthreads; /* places ever used */
	struct thread *running;
	unsigned cores;
	double now, thread_seconds;
	uint64_t waits;
} machine;

/* The C library's function, and what is called in its place. */
#define REPLACED(name) __typeof__(name) __real_##name, __wrap_##name

REPLACED(pthread_create);
REPLACED(pthread_join);
REPLACED(pthread_mutex_lock);
REPLACED(pthread_mutex_unlock);
REPLACED(pthread_cond_wait);
REPLACED(pthread_cond_signal);
REPLACED(pthread_cond_broadcast);
REPLACED(clock_gettime);

/* The machine -------------------------------------------------------------- */

/* The part of a core that a thread has.  Those that give way share the rest. */
static double
part_of(const struct thread *thread)
{
	double cores = machine.cores;
	unsigned first = 0, others = 0;

	for (unsigned i = 0; i < machine.nthreads; i++) {
		const struct thread *other = &machine.threads[i];

		first += other->state == COMPUTES && !other->gives_way;
		others += other->state == COMPUTES && other->gives_way;
	}
	if (!thread->gives_way)
		return fmin(cores / first, 1);
	return fmin(fmax(cores - first, 0) / others, 1);
}

/* When a thread goes on, if nothing else happens. */
static double
next_of(const struct thread *thread)
{
	switch (thread->state) {
	case COMPUTES: return machine.now + thread->left / part_of(thread);
	case SLEEPS: return thread->until;
	default: return INFINITY;
	}
}

/* Let time pass until a thread goes on. */
static void
pass_time(void)
{
	double parts[THREADS], next = INFINITY;

	for (unsigned i = 0; i < machine.nthreads; i++) {
		parts[i] = machine.threads[i].state == COMPUTES ?
				   part_of(&machine.threads[i]) :
				   0;
		next = fmin(next, next_of(&machine.threads[i]));
	}
	if (isinf(next)) {
		fputs("virtual-time: all threads wait\n", stderr);
		exit(99);
	}
	for (unsigned i = 0; i < machine.nthreads; i++) {
		struct thread *thread = &machine.threads[i];

		thread->left -= (next - machine.now) * parts[i];
		if ((thread->state == COMPUTES && thread->left < 1e-12) ||
		    (thread->state == SLEEPS && thread->until <= next))
			thread->state = READY;
	}
	machine.now = next;
}

/* Let the next thread run that is ready, until it is the caller's turn. */
static void
pass_on(void)
{
	struct thread *self = machine.running, *next = NULL;

	while (!next) {
		for (unsigned i = 0; i < machine.nthreads && !next; i++)
			if (machine.threads[i].state == READY)
				next = &machine.threads[i];
		if (!next)
			pass_time();
	}
	machine.running = next;
	if (next != self)
		swapcontext(&self->context, &next->context);
}

static void
wait_for(const void *what)
{
	struct thread *self = machine.running;

	self->what = what;
	self->since = machine.waits++;
	self->state = WAITS;
	pass_on();
}

static struct thread *
first_waiting(const void *what)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < machine.nthreads; i++) {
		struct thread *thread = &machine.threads[i];

		if (thread->state == WAITS && thread->what == what &&
		    (!first || thread->since < first->since))
			first = thread;
	}
	return first;
}

static void
wake_all(const void *what)
{
	struct thread *thread;

	while ((thread = first_waiting(what)) != NULL)
		thread->state = READY;
}

static void
account(double least)
{
	struct thread *self = machine.running;

	if (self->computed <= least)
		return;
	self->left = self->computed;
	self->computed = 0;
	self->state = COMPUTES;
	pass_on();
}

void
virtual_time_begin(unsigned cores, double thread_seconds)
{
	machine.cores = cores;
	machine.thread_seconds = thread_seconds;
	machine.now = 0;
	machine.running = &machine.threads[0];
	machine.threads[0] = (struct thread){ .state = READY };
	machine.nthreads = 1;
}

double
virtual_time_end(void)
{
	account(0);
	machine.running = NULL;
	return machine.now;
}

double
virtual_time_now(void)
{
	return machine.now + machine.running->computed;
}

void
virtual_time_compute(double seconds)
{
	machine.running->computed += seconds;
	account(least_seconds);
}

void
virtual_time_give_way(void)
{
	machine.running->gives_way = true;
}

void
virtual_time_sleep_until(double seconds)
{
	struct thread *self = machine.running;

	account(0);
	if (seconds <= machine.now)
		return;
	self->until = seconds;
	self->state = SLEEPS;
	pass_on();
}

/* In the place of the C library's ------------------------------------------ */

static void
run_thread(void)
{
	struct thread *self = machine.running;

	self->result = self->run(self->arg);
	account(0);
	wake_all(self);
	self->state = ENDED;
	pass_on();
}

static void
prepare_context(struct thread *thread)
{
	thread->stack = malloc(STACK_BYTES);
	if (!thread->stack || getcontext(&thread->context) != 0)
		exit(99);
	thread->context.uc_stack.ss_sp = thread->stack;
	thread->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&thread->context, run_thread, 0);
}

/* The place of a thread is its id. */
int
__wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	unsigned place = 0;

	if (!machine.running)
		return __real_pthread_create(id, attr, run, arg);
	virtual_time_compute(machine.thread_seconds);
	while (machine.threads[place].state != FREE)
		place++;
	if (place == machine.nthreads && ++machine.nthreads == THREADS)
		exit(99);
	machine.threads[place] =
		(struct thread){ .state = READY, .run = run, .arg = arg };
	prepare_context(&machine.threads[place]);
	*id = place;
	return 0;
}

int
__wrap_pthread_join(pthread_t id, void **result)
{
	struct thread *thread = &machine.threads[id];

	if (!machine.running)
		return __real_pthread_join(id, result);
	virtual_time_compute(machine.thread_seconds);
	while (thread->state != ENDED)
		wait_for(thread);
	free(thread->stack);
	thread->state = FREE;
	if (result)
		*result = thread->result;
	return 0;
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
	if (!machine.running)
		return __real_pthread_mutex_lock(lock);
	while (pthread_mutex_trylock(lock) != 0)
		wait_for(lock);
	return 0;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
	const int error = __real_pthread_mutex_unlock(lock);

	if (machine.running)
		wake_all(lock);
	return error;
}

int
__wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
	if (!machine.running)
		return __real_pthread_cond_wait(cond, lock);
	__wrap_pthread_mutex_unlock(lock);
	wait_for(cond);
	return __wrap_pthread_mutex_lock(lock);
}

int
__wrap_pthread_cond_signal(pthread_cond_t *cond)
{
	struct thread *thread = machine.running ? first_waiting(cond) : NULL;

	if (thread)
		thread->state = READY;
	return machine.running ? 0 : __real_pthread_cond_signal(cond);
}

int
__wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
	if (machine.running)
		wake_all(cond);
	return machine.running ? 0 : __real_pthread_cond_broadcast(cond);
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *to)
{
	double seconds;

	if (!machine.running)
		return __real_clock_gettime(clock, to);
	seconds = virtual_time_now();
	to->tv_sec = (time_t)seconds;
	to->tv_nsec = (long)((seconds - (double)to->tv_sec) * 1e9);
	return 0;
}
