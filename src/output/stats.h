/* SPDX-License-Identifier: MIT */
/*
 * stats: what a run has done, for people (--stats, on stderr) and for programs
 * (--json).  A stream of JSON objects that does not end with its summary was
 * cut off.
 */
#ifndef SRC_OUTPUT_STATS_H
#define SRC_OUTPUT_STATS_H

#include <stdint.h>

#include "src/base/engine.h"
#include "src/base/json.h"
#include "src/lanes/run.h"

/* Report how a run went; began_ns: when the run began, by clock.h. */
void
stats_report(const struct engine *, const struct run_report *,
	     uint64_t began_ns);

struct stats_count {
	const char *name; /* a member's name in JSON; NULL ends a list */
	uintmax_t count;
};

/* "PROG: stats: entries: 3, ok: 2, failed: 1" on stderr. */
void
stats_report_counts(const struct stats_count *counts);

/* {"summary":"check","entries":3,"ok":2,"failed":1,"status":1} on stdout: what
 * was done, the counts, and the exit status so far. */
void
stats_print_summary(struct json *object, const char *what,
		    const struct stats_count *counts);

#endif
