/* SPDX-License-Identifier: MIT */
/*
 * profile: what each instruction has cost, as text.
 */
#ifndef QPU_TRACE_PROFILE_H
#define QPU_TRACE_PROFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/trace/trace.h"

/* An instruction: counts of all QPUs, its word, its source line or null. */
struct profile_row {
	struct machine_profile_row cost;
	uint64_t word;
	const struct qpu_linemap_row *line;
};

/*
 * The rows in their order, then, if there are lines, the sums by source line
 * in the order of their first row.  False without memory for them.
 */
bool
profile_print(FILE *stream, const struct profile_row *rows, size_t n,
	      bool timed);

#endif
