/* SPDX-License-Identifier: MIT */
/* graph: building operations and values. */
#include "config.h"
#include "qpu/tools/graph.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "qpu/isa.h"

void
graph_clear(struct graph *graph)
{
	graph->nops = 0;
	graph->nvalues = 0;
	graph->round = -1;
}

int
graph_value(struct graph *graph)
{
	assert(graph->nvalues < GRAPH_VALUES);
	graph->values[graph->nvalues] = (struct value){
		.place = PLACE_NONE,
		.reg = -1,
		.home = -1,
		.writer = -1,
	};
	return graph->nvalues++;
}

int
graph_fixed(struct graph *graph, const char *name, enum place place, int reg)
{
	const int number = graph_value(graph);
	struct value *value = &graph->values[number];

	value->place = place;
	value->reg = reg;
	snprintf(value->name, sizeof(value->name), "%s", name);
	return number;
}

void
graph_rehouse(struct graph *graph, int value, int home)
{
	graph->values[value].home = home;
}

struct source
graph_read(int value)
{
	return graph_unpacked(value, QPU_UNPACK_NONE);
}

struct source
graph_unpacked(int value, int unpack)
{
	return (struct source){ SOURCE_VALUE, value, unpack };
}

struct source
graph_immediate(int number)
{
	return (struct source){ SOURCE_IMMEDIATE, number, QPU_UNPACK_NONE };
}

struct source
graph_uniform(void)
{
	return (struct source){ SOURCE_UNIFORM, 0, QPU_UNPACK_NONE };
}

static void
add_reader(struct graph *graph, int op, const struct source *source)
{
	struct value *value;

	if (source->kind != SOURCE_VALUE)
		return;
	value = &graph->values[source->number];
	if (source->unpack != QPU_UNPACK_NONE)
		value->needs_a = true;
	if (value->nreaders && value->readers[value->nreaders - 1] == op)
		return;
	assert(value->nreaders < GRAPH_READERS);
	value->readers[value->nreaders++] = op;
}

int
graph_op(struct graph *graph, enum op_unit unit, int add_op, int mul_op,
	 struct source a, struct source b, int value, const char *text)
{
	const int number = graph->nops;
	struct op *op = &graph->ops[number];

	assert(graph->nops < GRAPH_OPS);
	*op = (struct op){
		.unit = unit,
		.add_op = add_op,
		.mul_op = mul_op,
		.source = { a, b },
		.value = value,
		.cond = QPU_COND_ALWAYS,
		.round = graph->round,
		.wanted = 1,
	};
	snprintf(op->text, sizeof(op->text), "%s", text);
	if (unit != UNIT_SIGNAL) {
		add_reader(graph, number, &a);
		add_reader(graph, number, &b);
	}
	if (value >= 0) {
		assert(graph->values[value].writer < 0);
		graph->values[value].writer = number;
	}
	return graph->nops++;
}

void
graph_order(struct graph *graph, int op, int after, int distance)
{
	struct op *then = &graph->ops[op];

	assert(then->norders < GRAPH_ORDERS);
	then->orders[then->norders++] = (struct order){ after, distance };
}

int
graph_root(const struct graph *graph, int value)
{
	while (graph->values[value].home >= 0)
		value = graph->values[value].home;
	return value;
}

enum place
graph_place(const struct graph *graph, int value)
{
	return graph->values[graph_root(graph, value)].place;
}

bool
graph_is_temporary(const struct graph *graph, int value)
{
	return graph_place(graph, value) == PLACE_NONE;
}
