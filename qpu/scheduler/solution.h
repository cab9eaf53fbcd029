/* SPDX-License-Identifier: MIT */
/*
 * solution: schedules as text files, to be kept and to start again from.
 *
 *	SECTION SLOTS OPERATIONS
 *	SLOT add|mul|signal PLACE X Y	for each operation of the section
 *
 * PLACE is where the result goes: a, b, acc, or - if that is no choice.  X and
 * Y are the values that the operation reads (numbers of immediates): a search
 * may exchange operands of sums, and read a copy in place of the original.
 * Lines that start with # are comments.
 */
#ifndef QPU_SCHEDULER_SOLUTION_H
#define QPU_SCHEDULER_SOLUTION_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/scheduler/schedule.h"
#include "src/base/diag.h"

/* Which section a file is about, and in how many slots. */
bool
solution_head(FILE *stream, const char *path, enum section *section,
	      int *nslots, struct diag *why);

/* The values that its operations read, into a graph; the stream stays where
 * it is.  That the result computes the same is up to the tests. */
bool
solution_rewire(FILE *stream, const char *path, struct graph *graph,
		struct diag *why);

/* The rest of it, into an opened schedule; squeezed or stretched if that has
 * another number of slots.  schedule_count is up to the caller. */
bool
solution_read(FILE *stream, const char *path, int nslots,
	      struct schedule *schedule, struct diag *why);

bool
solution_write(FILE *stream, const struct schedule *schedule);

#endif
