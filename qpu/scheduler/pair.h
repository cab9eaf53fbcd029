/* SPDX-License-Identifier: MIT */
/*
 * pair: the sections of the pair kernel (qpu/kernel/pair.m4), in which two
 * lanes share a message.
 *
 *	heavy	16 rounds and 8 pairs of schedule words; three times a block
 *	light	8 rounds and 4 pairs of the next block's words; twice
 *
 * What is between a light pass and the next block is written by hand.
 */
#ifndef QPU_SCHEDULER_PAIR_H
#define QPU_SCHEDULER_PAIR_H

#include "qpu/scheduler/graph.h"

/* A graph with the fixed values only. */
void
pair_map(struct graph *graph);

void
pair_heavy(struct graph *graph);
void
pair_light(struct graph *graph);

#endif
