/* SPDX-License-Identifier: MIT */
/*
 * A process that uses the QPUs can be stopped and continued, but not in a
 * critical section.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/wait.h>

#include "tests/driver/firmware-double.h"
#include "tests/support/tap.h"

static pthread_barrier_t entered;
static sem_t waited; /* for the end of a critical section, by a stop */

/* Waiting looks again and again, with a pause that is not needed here. */
static int
note_wait(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	(void)n;
	(void)ms;
	sem_post(&waited);
	sched_yield();
	return 0;
}

/* Does not leave before a stop waits for that. */
static void *
stay_for_a_while(void *arg)
{
	struct critical_section section;

	(void)arg;
	critical_enter(&section);
	firmware->inside = true;
	pthread_barrier_wait(&entered);
	while (sem_wait(&waited) != 0)
		continue;
	firmware->inside = false;
	critical_leave(&section);
	return NULL;
}

/* What a launch does; it must not take a stop for the end of the process. */
static void *
enter_often(void *arg)
{
	struct critical_section section;

	(void)arg;
	pthread_barrier_wait(&entered);
	while (!firmware->enough) {
		if (critical_enter(&section))
			critical_leave(&section);
		else
			firmware->refused = true;
	}
	return NULL;
}

static void
stop_often(int number)
{
	struct handles_memory memory[2];
	pthread_t other;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_create(&other, NULL, enter_often, NULL);
	pthread_barrier_wait(&entered);
	for (unsigned i = 0; i < 50; i++)
		raise(number);
	firmware->enough = true;
	pthread_join(other, NULL);
	exit(firmware->refused ? 8 : 7);
}

/* A group of its own, so that somebody can continue it. */
static void
stop_twice(int number)
{
	struct handles_memory memory[2];
	pthread_t other;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	fault_hooks.poll = note_wait;
	for (unsigned i = 0; i < 2; i++) {
		sem_init(&waited, 0, 0);
		pthread_create(&other, NULL, stay_for_a_while, NULL);
		pthread_barrier_wait(&entered);
		raise(number);
		pthread_join(other, NULL);
	}
	exit(7);
}

/* Run a child and let it go on after each stop; how many were there? */
static unsigned
continue_child(void (*body)(int), int number, int *status, bool *inside)
{
	unsigned stops = 0;
	pid_t child;

	reset();
	fflush(stdout);
	child = fork();
	if (child == 0)
		body(number);
	while (waitpid(child, status, WUNTRACED) == child &&
	       WIFSTOPPED(*status)) {
		stops += WSTOPSIG(*status) == number;
		*inside = *inside || firmware->inside;
		kill(child, SIGCONT);
	}
	return stops;
}

static void
test_stops(int number)
{
	bool inside = false;
	int status = 0;
	unsigned stops = continue_child(stop_twice, number, &status, &inside);

	ok(stops == 2 && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "%s stops the process each time", strsignal(number));
	ok(!inside && all_is_back(),
	   "%s never stops the process in a critical section",
	   strsignal(number));
	stops = continue_child(stop_often, number, &status, &inside);
	ok(stops == 50 && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "critical sections begin again after %s", strsignal(number));
}

int
main(void)
{
	if (!map_firmware())
		return 99;
	test_stops(SIGTSTP);
	test_stops(SIGTTIN);
	test_stops(SIGTTOU);
	return tap_done();
}
