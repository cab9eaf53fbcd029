/* SPDX-License-Identifier: MIT */
/*
 * small: a graph with a few fixed values, and a schedule of it, for the tests
 * of the scheduler.
 */
#ifndef TESTS_SCHEDULER_SMALL_H
#define TESTS_SCHEDULER_SMALL_H

#include "qpu/scheduler/schedule.h"

static struct graph graph;
static struct schedule schedule;

enum { SLOTS = 60 };

/* Values that every graph here begins with; the first ten are in file A. */
enum { A0, A1, A9 = 9, B0, B1, ACC, FIXED };

static void
begin(void)
{
	graph_clear(&graph);
	for (int i = 0; i < 10; i++)
		graph_fixed(&graph, "a", PLACE_A, i);
	graph_fixed(&graph, "b", PLACE_B, 0);
	graph_fixed(&graph, "b", PLACE_B, 1);
	graph_fixed(&graph, "ones", PLACE_R5, 5);
}

static void
open_schedule(void)
{
	schedule_open(&schedule, &graph, SECTION_END, SLOTS);
	for (int i = 0; i < graph.nops; i++)
		schedule.on_mul[i] = graph.ops[i].unit == UNIT_MUL;
}

#endif
