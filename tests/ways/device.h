/* SPDX-License-Identifier: MIT */
/*
 * device: commands of a session (support/golden.h) with a device that runs
 * programs on QPUs:
 *
 *	open [OPTIONS], close
 *	take BYTES		memory number 0, 1, and so on, which is filled
 *	free N, free-unused N	gives it back
 *	load SOURCE		the next program, and those after it; ';' ends a line
 *	publish N
 *	run N [EXPECTED LIMIT [MEMORY+OFFSET]...]	where results are
 *	job [KEY=VALUE]...	in tiles: submits 2 x 1 with two draws; tiles=, offset=,
 *				results=, window=, loads= and program= are others
 *	wait MS			for that job
 *	restart
 *	totals
 */
#ifndef TESTS_WAYS_DEVICE_H
#define TESTS_WAYS_DEVICE_H

#include <stdbool.h>

#include "qpu/ways/way.h"

enum { DEVICE_MEMORIES = 256, DEVICE_PROGRAMS = 13 };

/* The test sets which device it is. */
struct device_session {
	const struct way *device;
	void *self; /* NULL while it is not open */
	struct device_program programs[DEVICE_PROGRAMS];
	unsigned nprograms;	    /* that were loaded */
	struct way_program program; /* in tiles */
	struct way_memory memories[DEVICE_MEMORIES];
	unsigned nmemories; /* that were taken */
};
extern struct device_session device_session;

void
device_close(char *words);

/* Return false if the line's command is not one of these. */
bool
device_command(char *line);

#endif
