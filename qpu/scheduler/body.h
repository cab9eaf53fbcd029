/* SPDX-License-Identifier: MIT */
/*
 * body: the sections of the optimised kernel as operations.
 *
 *	heavy	8 rounds and 8 schedule words; six times a block
 *	light	8 rounds and 8 loads of the next block's words; twice
 *	end	feed-forward and counters; once
 */
#ifndef QPU_SCHEDULER_BODY_H
#define QPU_SCHEDULER_BODY_H

#include "qpu/scheduler/graph.h"

/* A graph with the fixed values only. */
void
body_map(struct graph *graph);

void
body_heavy(struct graph *graph);
void
body_light(struct graph *graph);
void
body_end(struct graph *graph);

#endif
