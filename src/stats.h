/* SPDX-License-Identifier: MIT */
/*
 * stats: what --stats says about a run, on stderr.
 */
#ifndef SRC_STATS_H
#define SRC_STATS_H

#include "cpu/engine.h"
#include "src/worker.h"

void
stats_report(const struct engine *, const struct worker_report *);

#endif
