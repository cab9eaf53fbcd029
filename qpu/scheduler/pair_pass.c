/* SPDX-License-Identifier: MIT */
/* pair_pass: values that all passes have, and their lookups. */
#include "config.h"

#include "qpu/scheduler/pair_pass.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/ops.h"

/* The first operation of a pass, always in slot 0. */
enum { RESET = 0 };

/* Slots between reads of uniforms. */
enum { UNIFORM_DISTANCE = 4, RESET_DISTANCE = 10 };

/*
 * A request for K comes after the data of another QPU that the TMU fetches
 * from memory, for 300 clocks or more: a light pass, in which that happens, asks
 * for it LIGHT_AHEAD slots before its load at least.  The first four loads of a
 * pass are not before these slots, so the requests for them have a last slot in
 * the pass before.
 */
enum { LIGHT_AHEAD = 86, HEAVY_AHEAD = 64 };
enum { HEAVY_SLOTS = 279, LIGHT_SLOTS = 114 };

static const int first_loads[] = { 6, 20, 40, 60 };

static const struct {
	const char *name;
	enum op_port tmu;
} memory_rows[MEMORIES] = {
	[MEMORY_DATA] = { "DATA", PORT_TMU0 },
	[MEMORY_K] = { "K", PORT_TMU1 },
};

int
pass_last_op(const struct pair_pass *pass)
{
	return pass->graph->nops - 1;
}

void
pass_wanted_by(struct pair_pass *pass, double fraction)
{
	ops_wanted_by(pass->graph, fraction);
}

/* Registers are given out from the top: temporaries take the low ones. */
struct files {
	struct graph *graph;
	int next[2];
};

static int
fixed(struct files *files, enum place place, const char *name)
{
	return graph_fixed(files->graph, name, place, files->next[place]--);
}

static void
fixed_row(struct files *files, enum place place, const char *name, int n,
	  int *values)
{
	for (int i = 0; i < n; i++) {
		char text[GRAPH_TEXT];

		snprintf(text, sizeof(text), "%s_%d", name, i);
		values[i] = fixed(files, place, text);
	}
}

/* Values that are turned, unpacked, or read beside an immediate are in file A. */
static void
open_values(struct pair_pass *pass, struct graph *graph)
{
	static const int powers[] = { 6, 13, 14, 15 };
	struct files files = { graph, { 31, 31 } };
	int chain[STATES];

	memset(pass, 0, sizeof(*pass));
	graph_clear(graph);
	pass->graph = graph;
	fixed_row(&files, PLACE_A, "state", STATES, pass->state);
	fixed_row(&files, PLACE_A, "w", PAIRS, pass->w);
	fixed_row(&files, PLACE_A, "x", CROSSED, pass->x);
	pass->k_index = fixed(&files, PLACE_A, "k_index");
	pass->data = fixed(&files, PLACE_A, "data");
	fixed(&files, PLACE_A, "left");
	fixed_row(&files, PLACE_B, "chain", STATES, chain);
	fixed_row(&files, PLACE_B, "sigma", 3, pass->sigma);
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		char text[GRAPH_TEXT];

		snprintf(text, sizeof(text), "power_%d", powers[i]);
		pass->power[powers[i]] = fixed(&files, PLACE_B, text);
	}
	pass->data_step = fixed(&files, PLACE_B, "data_step");
	pass->passes = fixed(&files, PLACE_B, "passes");
	fixed(&files, PLACE_B, "passes_begin");
	fixed(&files, PLACE_B, "parity");
	pass->ones = graph_fixed(graph, "ones", PLACE_R5, 5);
	pass->last_uniform = pass->last_load = pass->loaded = -1;
}

void
pass_map(struct pair_pass *pass, struct graph *graph)
{
	open_values(pass, graph);
}

/* A value that takes over the register of another. */
int
pass_heir(struct pair_pass *pass, int home)
{
	const int value = graph_value(pass->graph);

	graph_rehouse(pass->graph, value, home);
	return value;
}

void
pass_move_to(struct pair_pass *pass, int value, int from, const char *text)
{
	graph_op(pass->graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
		 graph_read(from), graph_read(from), value, text);
}

/* The 16 lanes of x, turned; `cond` as of enum qpu_cond. */
static void
turn_to(struct pair_pass *pass, int value, int x, int lanes, int cond,
	const char *text)
{
	const int op = graph_op(pass->graph, UNIT_MUL, 0, QPU_MUL_V8MIN,
				graph_read(x), graph_read(x), value, text);

	pass->graph->ops[op].rotate = lanes;
	pass->graph->ops[op].cond = cond;
}

/* A lanes get a of the B lane, B lanes b of the A lane; home may be -1. */
int
pass_cross(struct pair_pass *pass, int a, int b, int home, const char *text)
{
	const int first = graph_value(pass->graph);

	if (home >= 0)
		graph_rehouse(pass->graph, first, home);
	turn_to(pass, first, a, 14, QPU_COND_ALWAYS, text);
	const int op = pass_last_op(pass);
	const int both = pass_heir(pass, first);

	turn_to(pass, both, b, 2, QPU_COND_ZC, text);
	graph_order(pass->graph, pass_last_op(pass), op, 1);
	return both;
}

/* The last operation reads the next uniform. */
static void
reads_uniform(struct pair_pass *pass, int distance, const char *kind,
	      enum pass_memory memory, int word)
{
	struct op *op = &pass->graph->ops[pass_last_op(pass)];

	op->no_immediate = true;
	if (memory == MEMORIES)
		snprintf(op->operand, sizeof(op->operand), "uniform(%s)", kind);
	else
		snprintf(op->operand, sizeof(op->operand),
			 "uniform(%s, %s, %d)", kind, memory_rows[memory].name,
			 word);
	if (pass->last_uniform >= 0)
		graph_order(pass->graph, pass_last_op(pass), pass->last_uniform,
			    distance);
	pass->last_uniform = pass_last_op(pass);
}

/* The index of a memory, between 0 and its size less `bytes`. */
static void
clamp(struct pair_pass *pass, enum pass_memory memory, int index, int bytes)
{
	struct graph *graph = pass->graph;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "clamp %s", memory_rows[memory].name);
	const int positive = ops_add(graph, QPU_ADD_MAX, graph_read(index),
				     graph_immediate(0), text);

	pass->clamped[memory] = ops_add(graph, QPU_ADD_MIN,
					graph_read(positive), graph_uniform(),
					text);
	reads_uniform(pass,
		      memory == MEMORY_K ? RESET_DISTANCE : UNIFORM_DISTANCE,
		      "CLAMP", memory, bytes);
}

/* The driver wants uniforms to be reset, and indices clamped, in each pass. */
static void
begin(struct pair_pass *pass, int pairs, bool data)
{
	struct graph *graph = pass->graph;
	const int offset = graph_value(graph);

	pass->pairs = pairs;
	pass->slots = data ? LIGHT_SLOTS : HEAVY_SLOTS;
	pass->ahead = data ? LIGHT_AHEAD : HEAVY_AHEAD;
	graph->round = -1;
	int op = graph_op(graph, UNIT_ADD, QPU_ADD_OR, 0, graph_immediate(0),
			  graph_immediate(0), offset, "reset");

	graph->ops[op].whole = true;
	snprintf(graph->ops[op].operand, GRAPH_TEXT, "uniforms_here");
	pass_wanted_by(pass, 0);
	op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(offset),
		      graph_uniform(), -1, "uniforms");
	graph->ops[op].port = PORT_UNIFORMS;
	reads_uniform(pass, 0, "ADDRESS", MEMORIES, 0);
	pass_wanted_by(pass, 0.01);
	clamp(pass, MEMORY_K, pass->k_index,
	      (pairs + AHEAD) * PAIR_SIZE - PAIR_SIZE + 4);
	pass_wanted_by(pass, 0.06);
	if (data) {
		clamp(pass, MEMORY_DATA, pass->data,
		      pairs * PAIR_SIZE - PAIR_SIZE + 4);
		pass_wanted_by(pass, 0.1);
	}
}

static int
step(struct pair_pass *pass, int index, int by, bool bytes, const char *text)
{
	const int next = pass_heir(pass, index);

	graph_op(pass->graph, bytes ? UNIT_EITHER : UNIT_ADD, QPU_ADD_ADD,
		 QPU_MUL_V8ADDS, graph_read(index), graph_read(by), next, text);
	pass_wanted_by(pass, 0.8);
	return next;
}

/* The loop counter goes up a bit, and the indices on to the next pass.  That
 * of K has no carry from its lowest byte but in the last pass, whose result
 * nobody reads. */
static void
count(struct pair_pass *pass, bool data)
{
	const int next = pass_heir(pass, pass->passes);

	pass->graph->round = -1;
	const int op = graph_op(pass->graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_read(pass->passes),
				graph_read(pass->passes), next, "pass");

	pass->graph->ops[op].sets_flags = true;
	pass_wanted_by(pass, 0.9);
	step(pass, pass->k_index, data ? pass->data_step : pass->power[6], true,
	     "step K");
	if (data)
		step(pass, pass->data, pass->data_step, false, "step data");
}

/* A load of r4, after the last one and everything that still reads that. */
int
pass_load(struct pair_pass *pass, enum pass_memory memory)
{
	struct graph *graph = pass->graph;
	const int was_loaded = pass->loaded;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "load %s", memory_rows[memory].name);
	pass->loaded = graph_value(graph);
	graph->values[pass->loaded].place = PLACE_R4;
	const int op = graph_op(graph, UNIT_SIGNAL, 0, 0, graph_immediate(0),
				graph_immediate(0), pass->loaded, text);

	graph->ops[op].port = memory_rows[memory].tmu;
	if (pass->last_load >= 0)
		graph_order(graph, op, pass->last_load, 1);
	for (unsigned i = 0;
	     was_loaded >= 0 && i < graph->values[was_loaded].nreaders; i++)
		graph_order(graph, op, graph->values[was_loaded].readers[i], 0);
	pass->last_load = op;
	return op;
}

/* Pair k, after a load has made room for its request. */
void
pass_request(struct pair_pass *pass, enum pass_memory memory, int k, int room)
{
	struct graph *graph = pass->graph;
	const int ahead = memory == MEMORY_K ? k + AHEAD : k;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "ask %s", memory_rows[memory].name);
	const int op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_read(pass->clamped[memory]),
				graph_uniform(), -1, text);

	graph->ops[op].port = memory_rows[memory].tmu;
	reads_uniform(pass, UNIFORM_DISTANCE, "BASE", memory,
		      PAIR_SIZE * ahead);
	graph_order(graph, op, room, 1);
	pass->request[memory][k] = op;
}

/* w + K of rounds 2k and 2k + 1. */
void
pass_constants(struct pair_pass *pass, int k)
{
	const double at = k / pass->pairs;
	const int op = pass_load(pass, MEMORY_K);

	pass_wanted_by(pass, at);
	if (k >= AHEAD)
		graph_order(pass->graph, op, pass->request[MEMORY_K][k - AHEAD],
			    pass->ahead);
	else
		graph_order(pass->graph, op, RESET, first_loads[k]);
	pass->sum[0] = ops_sum(pass->graph, pass->w[k], pass->loaded, "w+K");
	pass_wanted_by(pass, at + 0.01);
	pass->sum[1] = graph_value(pass->graph);
	turn_to(pass, pass->sum[1], pass->sum[0], 14, QPU_COND_ALWAYS,
		"w+K odd");
	pass_request(pass, MEMORY_K, k, op);
	pass_wanted_by(pass, at + 0.02);
	if (k >= pass->pairs - AHEAD)
		graph_order(pass->graph, RESET, pass->request[MEMORY_K][k],
			    pass->ahead - pass->slots - first_loads[k % AHEAD]);
}

void
pass_open(struct pair_pass *pass, struct graph *graph, int pairs)
{
	const bool data = pairs == AHEAD; /* a light pass */

	pass_map(pass, graph);
	begin(pass, pairs, data);
	count(pass, data);
}
