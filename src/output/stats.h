/* SPDX-License-Identifier: MIT */
/*
 * stats: the lines of --stats about a run, on stderr.
 */
#ifndef SRC_OUTPUT_STATS_H
#define SRC_OUTPUT_STATS_H

#include "src/base/engine.h"
#include "src/lanes/run.h"

/* began_ns: when the run began, by clock.h. */
void
stats_report(const struct engine *, const struct worker_report *,
	     uint64_t began_ns);

#endif
