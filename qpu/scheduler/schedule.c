/* SPDX-License-Identifier: MIT */
/* schedule: counting violations, all at once and change by change. */
#include "config.h"

#include "qpu/scheduler/schedule.h"

#include <assert.h>
#include <string.h>

#include "qpu/isa/isa.h"

/* One long wait counts no more than this: it must not hide the others. */
enum { EARLY_MAX = 25 };

static int
min(int a, int b)
{
	return a < b ? a : b;
}

static int
excess(int count)
{
	return count > 1 ? count - 1 : 0;
}

static void
add_edge(struct schedule *schedule, int from, int to, int latency, int value)
{
	const int number = schedule->nedges++;

	assert(number < SCHEDULE_EDGES);
	schedule->edges[number] = (struct edge){ from, to, latency, value };
	assert(schedule->nop_edges[to] < SCHEDULE_OP_EDGES);
	schedule->op_edges[to][schedule->nop_edges[to]++] = number;
	assert(schedule->nop_edges[from] < SCHEDULE_OP_EDGES);
	schedule->op_edges[from][schedule->nop_edges[from]++] = number;
	/* All of them are edges of the operation that writes the value. */
	if (value >= 0)
		schedule->value_edges[value][schedule->nvalue_edges[value]++] =
			number;
}

static void
op_edges(struct schedule *schedule, int number)
{
	const struct graph *graph = schedule->graph;
	const struct op *op = &graph->ops[number];

	for (unsigned i = 0; i < op->norders; i++)
		add_edge(schedule, op->orders[i].after, number,
			 op->orders[i].distance, -1);
	for (int i = 0; i < 2; i++) {
		const struct operand_source *source = &op->source[i];

		if (source->kind == SOURCE_VALUE &&
		    graph->values[source->number].writer >= 0)
			add_edge(schedule, graph->values[source->number].writer,
				 number, 0, source->number);
	}
	if (op->value < 0 || graph->values[op->value].home < 0)
		return;

	const struct value *home =
		&graph->values[graph->values[op->value].home];

	for (unsigned i = 0; i < home->nreaders; i++)
		if (home->readers[i] != number)
			add_edge(schedule, home->readers[i], number, 0, -1);
}

static void
open_value(struct schedule *schedule, int number)
{
	const struct graph *graph = schedule->graph;
	const struct value *value = &graph->values[number];
	const int root = graph_root(graph, number);

	schedule->head[number] = (int16_t)number;
	schedule->tail[number] = -1;
	if (!graph_is_temporary(graph, number)) {
		schedule->place[number] = graph_place(graph, number);
	} else if (root != number) {
		schedule->place[number] =
			graph->values[root].needs_a ? PLACE_A : PLACE_ACC;
		schedule->head[number] = (int16_t)root;
		schedule->tail[root] = (int16_t)number;
	} else {
		schedule->temporary[number] = true;
		schedule->place[number] = value->needs_a ? PLACE_A : PLACE_ACC;
	}
	if (value->place == PLACE_A || value->place == PLACE_B)
		schedule->capacity[value->place]--;
}

void
schedule_open(struct schedule *schedule, const struct graph *graph,
	      enum section section, int nslots)
{
	memset(schedule, 0, sizeof(*schedule));
	schedule->graph = graph;
	schedule->section = section;
	schedule->nslots = nslots;
	schedule->capacity[PLACE_A] = QPU_FILE_REGS;
	schedule->capacity[PLACE_B] = QPU_FILE_REGS;
	schedule->capacity[PLACE_ACC] = 4;
	for (int v = 0; v < graph->nvalues; v++)
		open_value(schedule, v);
	for (int op = 0; op < graph->nops; op++)
		op_edges(schedule, op);
}

int
schedule_last_slot(const struct schedule *schedule, int op)
{
	const struct op *o = &schedule->graph->ops[op];

	if (o->whole)
		return 0;
	/* Three delay slots. */
	if (o->sets_flags)
		return schedule->nslots - 4;
	if (o->port == PORT_UNIFORMS)
		return schedule->nslots - 3;
	return schedule->nslots - 1;
}

void
schedule_spread(struct schedule *schedule)
{
	const struct graph *graph = schedule->graph;
	double wanted[GRAPH_OPS];

	for (int i = 0; i < graph->nops; i++)
		wanted[i] = graph->ops[i].wanted * schedule->nslots;
	/* What is needed comes first; operations are in an order in which
	 * edges lead forward, but for those that guard a register. */
	for (int round = 0; round < 4; round++)
		for (int i = schedule->nedges - 1; i >= 0; i--) {
			const struct edge *edge = &schedule->edges[i];
			const double latest = wanted[edge->to] - 2.2;

			if (wanted[edge->from] > latest)
				wanted[edge->from] = latest;
		}
	for (int i = 0; i < graph->nops; i++) {
		const int last = schedule_last_slot(schedule, i);
		const int time = wanted[i] < 0 ? 0 : (int)wanted[i];

		schedule->time[i] = min(time, last);
		schedule->on_mul[i] = graph->ops[i].unit != UNIT_ADD;
	}
}

int
schedule_latency(const struct schedule *schedule, const struct edge *edge)
{
	if (edge->value < 0)
		return edge->latency;
	switch (schedule->place[edge->value]) {
	case PLACE_A:
	case PLACE_B: return 2;
	default: return schedule->graph->ops[edge->to].rotate ? 2 : 1;
	}
}

static int
edge_early(const struct schedule *schedule, const struct edge *edge)
{
	const int early = schedule->time[edge->from] +
			  schedule_latency(schedule, edge) -
			  schedule->time[edge->to];

	return early <= 0 ? 0 : min(early, EARLY_MAX);
}

/* The ports of one slot: what is read from each file, by key. */
struct use {
	int units[2];
	int signals, peripherals;
	int reads[2];
	int keys[2][8];
	int writes[2];
	bool immediate, uniform, no_immediate;
	bool sum, part; /* an addition; a write of a part of a register */
};

static void
use_read(struct use *use, int file, int key)
{
	for (int i = 0; i < use->reads[file]; i++)
		if (use->keys[file][i] == key)
			return;
	if (use->reads[file] < 8)
		use->keys[file][use->reads[file]++] = key;
}

/* What takes the port of file B besides its registers. */
enum { IMMEDIATE_KEYS = 1 << 20, ROTATION_KEYS = 1 << 21 };

static void
use_source(const struct schedule *schedule, struct use *use,
	   const struct operand_source *source)
{
	switch (source->kind) {
	case SOURCE_IMMEDIATE:
		use->immediate = true;
		use_read(use, PLACE_B, IMMEDIATE_KEYS + source->number);
		return;
	case SOURCE_UNIFORM: use->uniform = true; return;
	case SOURCE_VALUE: break;
	}
	if (schedule->place[source->number] == PLACE_A)
		use_read(use, PLACE_A, source->number * 8 + source->unpack);
	else if (schedule->place[source->number] == PLACE_B)
		use_read(use, PLACE_B, source->number);
}

static void
use_op(const struct schedule *schedule, struct use *use, int number)
{
	const struct op *op = &schedule->graph->ops[number];

	if (op->unit == UNIT_SIGNAL) {
		use->signals++;
		return;
	}
	use->units[schedule->on_mul[number]]++;
	if (op->whole) {
		use->units[1]++;
		use->signals++;
	}
	if (op->rotate) {
		use->immediate = true;
		use_read(use, PLACE_B, ROTATION_KEYS + op->rotate);
	}
	use->no_immediate |= op->no_immediate;
	use->sum |= !schedule->on_mul[number] &&
		    (op->add_op == QPU_ADD_ADD || op->add_op == QPU_ADD_SUB);
	use->part |= op->pack != QPU_PACK_NONE;
	/* Discarding counts as well: it is in the way of nothing else. */
	use->peripherals += op->port != PORT_NONE;
	use->writes[PLACE_A] += op->port == PORT_UNIFORMS;
	if (!op->whole) {
		use_source(schedule, use, &op->source[0]);
		use_source(schedule, use, &op->source[1]);
	}
	if (op->value >= 0 && schedule->place[op->value] <= PLACE_B)
		use->writes[schedule->place[op->value]]++;
}

static int
slot_crowd(const struct schedule *schedule, int number)
{
	const struct slot *slot = &schedule->slots[number];
	struct use use = { .signals = 0 };
	int crowd = 0;

	if (!slot->nops)
		return 0;
	for (int i = 0; i < slot->nops; i++)
		use_op(schedule, &use, slot->ops[i]);
	if (use.uniform) {
		if (!use.reads[PLACE_B])
			use.reads[PLACE_B] = 1;
		else if (!use.reads[PLACE_A])
			use.reads[PLACE_A] = 1;
		else
			crowd++;
	}
	crowd += use.signals && (use.immediate || use.peripherals);
	crowd += use.sum && use.part;
	crowd += use.immediate && use.no_immediate;
	crowd += excess(use.units[0]) + excess(use.units[1]) +
		 excess(use.signals) + excess(use.peripherals);
	for (int file = 0; file < 2; file++)
		crowd += excess(use.reads[file]) + excess(use.writes[file]);
	return crowd;
}

/* Keep the list of crowded slots, from which moves are drawn. */
static void
slot_count(struct schedule *schedule, int number)
{
	struct slot *slot = &schedule->slots[number];
	const int crowd = slot_crowd(schedule, number);

	if (crowd == slot->crowd)
		return;
	schedule->crowd += crowd - slot->crowd;
	if (crowd && !slot->crowd) {
		slot->crowded_at = schedule->ncrowded;
		schedule->crowded[schedule->ncrowded++] = number;
	} else if (!crowd) {
		const int last = schedule->crowded[--schedule->ncrowded];

		schedule->crowded[slot->crowded_at] = last;
		schedule->slots[last].crowded_at = slot->crowded_at;
	}
	slot->crowd = crowd;
}

static void
slot_put(struct schedule *schedule, int number, int op)
{
	struct slot *slot = &schedule->slots[number];

	assert(slot->nops < SCHEDULE_SLOT_OPS);
	slot->ops[slot->nops++] = op;
}

static void
slot_take(struct schedule *schedule, int number, int op)
{
	struct slot *slot = &schedule->slots[number];
	int i = 0;

	while (slot->ops[i] != op)
		i++;
	slot->ops[i] = slot->ops[--slot->nops];
}

static int
last_reader(const struct schedule *schedule, int number, int last)
{
	const struct value *value = &schedule->graph->values[number];

	for (unsigned i = 0; i < value->nreaders; i++)
		if (schedule->time[value->readers[i]] > last)
			last = schedule->time[value->readers[i]];
	return last;
}

/* A temporary occupies its place after its birth, until its last reader. */
static void
value_in(struct schedule *schedule, int number)
{
	const struct value *value = &schedule->graph->values[number];
	const int place = schedule->place[number];

	if (!schedule->temporary[number])
		return;
	const int born = schedule->time[value->writer];
	int dies = last_reader(schedule, number, born);

	if (schedule->tail[number] >= 0)
		dies = last_reader(schedule, schedule->tail[number], dies);
	schedule->born[number] = born;
	schedule->dies[number] = dies;
	for (int i = born + 1; i <= dies; i++)
		if (++schedule->alive[place][i] > schedule->capacity[place])
			schedule->full++;
}

static void
value_out(struct schedule *schedule, int number)
{
	const int place = schedule->place[number];

	if (!schedule->temporary[number])
		return;
	for (int i = schedule->born[number] + 1; i <= schedule->dies[number];
	     i++)
		if (schedule->alive[place][i]-- > schedule->capacity[place])
			schedule->full--;
}

void
schedule_count(struct schedule *schedule)
{
	const struct graph *graph = schedule->graph;

	assert(schedule->nslots <= SCHEDULE_SLOTS);
	for (int i = 0; i < SCHEDULE_SLOTS; i++)
		schedule->slots[i].nops = schedule->slots[i].crowd = 0;
	memset(schedule->alive, 0, sizeof(schedule->alive));
	schedule->early = schedule->crowd = schedule->full = 0;
	schedule->ncrowded = 0;
	for (int i = 0; i < graph->nops; i++)
		slot_put(schedule, schedule->time[i], i);
	for (int i = 0; i < schedule->nslots; i++)
		slot_count(schedule, i);
	for (int i = 0; i < schedule->nedges; i++)
		schedule->early += edge_early(schedule, &schedule->edges[i]);
	for (int i = 0; i < graph->nvalues; i++)
		value_in(schedule, i);
}

static void
edges_count(struct schedule *schedule, const int16_t *edges, int n, int sign)
{
	for (int i = 0; i < n; i++)
		schedule->early +=
			sign * edge_early(schedule, &schedule->edges[edges[i]]);
}

/* The values whose life an operation bounds, each once. */
static int
op_values(const struct schedule *schedule, int op, int values[3])
{
	const struct op *o = &schedule->graph->ops[op];
	int n = 0;

	if (o->value >= 0)
		values[n++] = schedule->head[o->value];
	for (int i = 0; i < 2; i++) {
		if (o->source[i].kind != SOURCE_VALUE)
			continue;
		const int head = schedule->head[o->source[i].number];
		int k = 0;

		while (k < n && values[k] != head)
			k++;
		if (k == n)
			values[n++] = head;
	}
	return n;
}

void
schedule_set_time(struct schedule *schedule, int op, int time)
{
	const int was = schedule->time[op];
	int values[3];
	int n;

	if (time == was)
		return;
	n = op_values(schedule, op, values);
	for (int i = 0; i < n; i++)
		value_out(schedule, values[i]);
	edges_count(schedule, schedule->op_edges[op], schedule->nop_edges[op],
		    -1);
	slot_take(schedule, was, op);
	slot_put(schedule, time, op);
	schedule->time[op] = time;
	slot_count(schedule, was);
	slot_count(schedule, time);
	edges_count(schedule, schedule->op_edges[op], schedule->nop_edges[op],
		    1);
	for (int i = 0; i < n; i++)
		value_in(schedule, values[i]);
}

void
schedule_set_unit(struct schedule *schedule, int op, bool on_mul)
{
	schedule->on_mul[op] = on_mul;
	slot_count(schedule, schedule->time[op]);
}

static void
value_edges_count(struct schedule *schedule, int number, int sign)
{
	edges_count(schedule, schedule->value_edges[number],
		    schedule->nvalue_edges[number], sign);
}

/* Where it is written and read. */
static void
value_slots_count(struct schedule *schedule, int number)
{
	const struct value *value = &schedule->graph->values[number];

	slot_count(schedule, schedule->time[value->writer]);
	for (unsigned i = 0; i < value->nreaders; i++)
		slot_count(schedule, schedule->time[value->readers[i]]);
}

void
schedule_set_place(struct schedule *schedule, int number, enum place place)
{
	const int tail = schedule->tail[number];

	value_out(schedule, number);
	value_edges_count(schedule, number, -1);
	schedule->place[number] = place;
	value_edges_count(schedule, number, 1);
	if (tail >= 0) {
		value_edges_count(schedule, tail, -1);
		schedule->place[tail] = place;
		value_edges_count(schedule, tail, 1);
	}
	value_in(schedule, number);
	value_slots_count(schedule, number);
	if (tail >= 0)
		value_slots_count(schedule, tail);
}
