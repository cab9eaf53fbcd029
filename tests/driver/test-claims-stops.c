/* SPDX-License-Identifier: MIT */
/*
 * A process that uses the QPUs can be stopped and continued, but not during a
 * visit to the firmware.
 */
#include "config.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/driver/firmware-double.h"
#include "tests/support/tap.h"

static pthread_barrier_t entered;

static void *
visit_for_a_while(void *arg)
{
	const struct timespec time = { .tv_nsec = 30 * 1000 * 1000 };
	struct claims_visit visit;

	(void)arg;
	claims_enter(&visit);
	firmware->visited = true;
	pthread_barrier_wait(&entered);
	nanosleep(&time, NULL);
	firmware->visited = false;
	claims_leave(&visit);
	return NULL;
}

/* What a launch does; it must not take a stop for the end of the process. */
static void *
visit_often(void *arg)
{
	struct claims_visit visit;

	(void)arg;
	pthread_barrier_wait(&entered);
	while (!firmware->enough) {
		if (claims_enter(&visit))
			claims_leave(&visit);
		else
			firmware->refused = true;
	}
	return NULL;
}

static void
stop_often(int number)
{
	struct claims_memory memory[2];
	pthread_t visitor;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	pthread_create(&visitor, NULL, visit_often, NULL);
	pthread_barrier_wait(&entered);
	for (unsigned i = 0; i < 50; i++)
		raise(number);
	firmware->enough = true;
	pthread_join(visitor, NULL);
	exit(firmware->refused ? 8 : 7);
}

/* A group of its own, so that somebody can continue it. */
static void
stop_twice(int number)
{
	struct claims_memory memory[2];
	pthread_t visitor;

	setpgid(0, 0);
	take_all(memory);
	pthread_barrier_init(&entered, NULL, 2);
	for (unsigned i = 0; i < 2; i++) {
		pthread_create(&visitor, NULL, visit_for_a_while, NULL);
		pthread_barrier_wait(&entered);
		raise(number);
		pthread_join(visitor, NULL);
	}
	exit(7);
}

/* Run a child and let it go on after each stop; how many were there? */
static unsigned
continue_child(void (*body)(int), int number, int *status, bool *visited)
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
		*visited = *visited || firmware->visited;
		kill(child, SIGCONT);
	}
	return stops;
}

static void
test_stops(int number)
{
	bool visited = false;
	int status = 0;
	unsigned stops = continue_child(stop_twice, number, &status, &visited);

	ok(stops == 2 && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "%s stops the process each time", strsignal(number));
	ok(!visited && all_is_back(), "but never during a visit");
	stops = continue_child(stop_often, number, &status, &visited);
	ok(stops == 50 && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "and visits go on after it");
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
