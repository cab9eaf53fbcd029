/* SPDX-License-Identifier: MIT */
/*
 * schedule: a slot and an ALU for each operation and a place for each
 * temporary of a section, and how far that is from being allowed.
 *
 * Three sorts of violation are counted and kept up to date with each change:
 *
 *	early	slots by which an operation comes before what it needs: a
 *		register file is readable two slots after the write, an
 *		accumulator one, but two by a rotation; explicit orders; the
 *		readers of a register before it is overwritten
 *	crowd	operations too many in a slot: one add, one mul, one
 *		signal, one peripheral, one read and one write port of each
 *		file; an immediate takes B's port and the signal, a uniform
 *		one port; a rotation takes what an immediate does; a
 *		peripheral is not written beside a signal (rule R9), nor a
 *		part of a register beside an addition (whether its pack mode
 *		saturates the sum is not known)
 *	full	temporaries too many alive in a place
 *
 * A schedule without violations is a program.
 */
#ifndef QPU_SCHEDULER_SCHEDULE_H
#define QPU_SCHEDULER_SCHEDULE_H

#include "qpu/scheduler/section.h"

enum {
	SCHEDULE_SLOTS = 400,
	SCHEDULE_EDGES = 6144,
	SCHEDULE_OP_EDGES = 128,
	SCHEDULE_SLOT_OPS = 512,
};

/* `to` is at least `latency` slots after `from`; through a value the latency
 * is that of the value's place. */
struct edge {
	int16_t from, to;
	int16_t latency;
	int16_t value; /* or -1 */
};

struct slot {
	int16_t ops[SCHEDULE_SLOT_OPS];
	int nops;
	int crowd;
	int crowded_at; /* place in the list of crowded slots */
};

struct schedule {
	/* The schedule. */
	const struct graph *graph;
	enum section section;
	int nslots;
	int16_t time[GRAPH_OPS];
	bool on_mul[GRAPH_OPS];
	uint8_t place[GRAPH_VALUES];

	/* Derived, incremental. */
	int early, crowd, full;
	struct slot slots[SCHEDULE_SLOTS];
	int16_t crowded[SCHEDULE_SLOTS];
	int ncrowded;
	int capacity[PLACE_CHOICES];
	int16_t alive[PLACE_CHOICES][SCHEDULE_SLOTS + 1];
	int16_t born[GRAPH_VALUES], dies[GRAPH_VALUES];

	/* Derived from the graph once. */
	bool temporary[GRAPH_VALUES];
	int16_t head[GRAPH_VALUES]; /* temporary it is a part of, or itself */
	int16_t tail[GRAPH_VALUES]; /* part of this temporary, or -1 */
	struct edge edges[SCHEDULE_EDGES];
	int nedges;
	int16_t op_edges[GRAPH_OPS][SCHEDULE_OP_EDGES];
	int nop_edges[GRAPH_OPS];
	int16_t value_edges[GRAPH_VALUES][SCHEDULE_OP_EDGES];
	int nvalue_edges[GRAPH_VALUES];
};

/* Edges and capacities; the schedule itself is still to be filled in. */
void
schedule_open(struct schedule *schedule, const struct graph *graph,
	      enum section section, int nslots);

/* A first guess, spread over the slots as the operations want. */
void
schedule_spread(struct schedule *schedule);

/* Count anew after time, on_mul, place or nslots were set directly. */
void
schedule_count(struct schedule *schedule);

int
schedule_latency(const struct schedule *schedule, const struct edge *edge);

/* Changes that keep the counts. */
void
schedule_set_time(struct schedule *schedule, int op, int time);
void
schedule_set_unit(struct schedule *schedule, int op, bool on_mul);
void
schedule_set_place(struct schedule *schedule, int value, enum place place);

/*
 * The last slot in which an operation may be: flags are made before the
 * branch, and uniforms cannot be read for some time after their reset; an ldi
 * that takes a whole instruction is the first.
 */
int
schedule_last_slot(const struct schedule *schedule, int op);

static inline bool
schedule_is_valid(const struct schedule *schedule)
{
	return !schedule->early && !schedule->crowd && !schedule->full;
}

#endif
