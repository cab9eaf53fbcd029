/* SPDX-License-Identifier: MIT */
/*
 * pair: rounds and words for two lanes a message.  A lanes have e f g h as s0
 * to s3, B lanes a b c d; Z is set in A lanes at all times.
 */
#include "config.h"

#include "qpu/scheduler/pair.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/ops.h"

enum {
	STATES = 4,
	PAIRS = 8,    /* of words, in the window */
	CROSSED = 7,  /* x_0..x_6 have registers */
	AHEAD = 4,    /* pairs, from a request to its load */
	PAIR_SIZE = 8 /* bytes of memory */
};

/* Slots between reads of uniforms. */
enum { UNIFORM_DISTANCE = 4, RESET_DISTANCE = 10 };

/*
 * A request for K waits behind the data of another QPU that the TMU fetches
 * from memory, for 300 clocks or more: a light pass, in which that happens, asks
 * for it LIGHT_AHEAD slots before its load at least.  The first four loads of a
 * pass are not before these slots, so the requests for them have a last slot in
 * the pass before.
 */
enum { LIGHT_AHEAD = 86, HEAVY_AHEAD = 64 };
enum { HEAVY_SLOTS = 279, LIGHT_SLOTS = 114 };

static const int first_loads[] = { 6, 20, 40, 60 };

enum memory { MEMORY_DATA, MEMORY_K, MEMORIES };

static const struct {
	const char *name;
	enum op_port tmu;
} memory_rows[MEMORIES] = {
	[MEMORY_DATA] = { "DATA", PORT_TMU0 },
	[MEMORY_K] = { "K", PORT_TMU1 },
};

/* Numbers of values in the graph, or of operations; -1: none. */
struct pair {
	struct graph *graph;
	int ones; /* r5: 0xffff */
	int power[16];
	int sigma[3]; /* rotations of Sigma, nested */
	int k_index, data, passes, data_step;
	int state[STATES]; /* of the round to come */
	int fresh;	   /* s0 before it was copied to a register */
	int w[2 * PAIRS], x[2 * PAIRS];
	double pairs;	  /* of the pass */
	int slots, ahead; /* of the pass, about; from request to load */
	int sum[2];	  /* w + K of an even and an odd round */
	int last_uniform, last_load, loaded;
	int clamped[MEMORIES];
	int request[MEMORIES][PAIRS];
};

/* The first operation of a pass, always in slot 0. */
enum { RESET = 0 };

static int
last_op(const struct pair *pair)
{
	return pair->graph->nops - 1;
}

static void
wanted_by(struct pair *pair, double fraction)
{
	ops_wanted_by(pair->graph, fraction);
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

/* In A what is turned, unpacked, or read beside an immediate. */
static void
pair_open(struct pair *pair, struct graph *graph)
{
	static const int powers[] = { 6, 13, 14, 15 };
	struct files files = { graph, { 31, 31 } };
	int chain[STATES];

	memset(pair, 0, sizeof(*pair));
	graph_clear(graph);
	pair->graph = graph;
	fixed_row(&files, PLACE_A, "state", STATES, pair->state);
	fixed_row(&files, PLACE_A, "w", PAIRS, pair->w);
	fixed_row(&files, PLACE_A, "x", CROSSED, pair->x);
	pair->k_index = fixed(&files, PLACE_A, "k_index");
	pair->data = fixed(&files, PLACE_A, "data");
	fixed(&files, PLACE_A, "left");
	fixed_row(&files, PLACE_B, "chain", STATES, chain);
	fixed_row(&files, PLACE_B, "sigma", 3, pair->sigma);
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		char text[GRAPH_TEXT];

		snprintf(text, sizeof(text), "power_%d", powers[i]);
		pair->power[powers[i]] = fixed(&files, PLACE_B, text);
	}
	pair->data_step = fixed(&files, PLACE_B, "data_step");
	pair->passes = fixed(&files, PLACE_B, "passes");
	fixed(&files, PLACE_B, "passes_begin");
	fixed(&files, PLACE_B, "parity");
	pair->ones = graph_fixed(graph, "ones", PLACE_R5, 5);
	pair->last_uniform = pair->last_load = pair->loaded = -1;
}

void
pair_map(struct graph *graph)
{
	struct pair pair;

	pair_open(&pair, graph);
}

/* A value that takes over the register of another. */
static int
heir(struct pair *pair, int home)
{
	const int value = graph_value(pair->graph);

	graph_rehouse(pair->graph, value, home);
	return value;
}

static void
move_to(struct pair *pair, int value, int from, const char *text)
{
	graph_op(pair->graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
		 graph_read(from), graph_read(from), value, text);
}

/* The 16 lanes of x, turned; `cond` as of enum qpu_cond. */
static void
turn_to(struct pair *pair, int value, int x, int lanes, int cond,
	const char *text)
{
	const int op = graph_op(pair->graph, UNIT_MUL, 0, QPU_MUL_V8MIN,
				graph_read(x), graph_read(x), value, text);

	pair->graph->ops[op].rotate = lanes;
	pair->graph->ops[op].cond = cond;
}

/* A lanes get a of the B lane, B lanes b of the A lane; home may be -1. */
static int
cross(struct pair *pair, int a, int b, int home, const char *text)
{
	const int first = graph_value(pair->graph);

	if (home >= 0)
		graph_rehouse(pair->graph, first, home);
	turn_to(pair, first, a, 14, QPU_COND_ALWAYS, text);
	const int op = last_op(pair);
	const int both = heir(pair, first);

	turn_to(pair, both, b, 2, QPU_COND_ZC, text);
	graph_order(pair->graph, last_op(pair), op, 1);
	return both;
}

/* The last operation reads the next uniform. */
static void
reads_uniform(struct pair *pair, int distance, const char *kind,
	      enum memory memory, int word)
{
	struct op *op = &pair->graph->ops[last_op(pair)];

	op->no_immediate = true;
	if (memory == MEMORIES)
		snprintf(op->operand, sizeof(op->operand), "uniform(%s)", kind);
	else
		snprintf(op->operand, sizeof(op->operand),
			 "uniform(%s, %s, %d)", kind, memory_rows[memory].name,
			 word);
	if (pair->last_uniform >= 0)
		graph_order(pair->graph, last_op(pair), pair->last_uniform,
			    distance);
	pair->last_uniform = last_op(pair);
}

/* The index of a memory, between 0 and its size less `bytes`. */
static void
clamp(struct pair *pair, enum memory memory, int index, int bytes)
{
	struct graph *graph = pair->graph;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "clamp %s", memory_rows[memory].name);
	const int positive = ops_add(graph, QPU_ADD_MAX, graph_read(index),
				     graph_immediate(0), text);

	pair->clamped[memory] = ops_add(graph, QPU_ADD_MIN,
					graph_read(positive), graph_uniform(),
					text);
	reads_uniform(pair,
		      memory == MEMORY_K ? RESET_DISTANCE : UNIFORM_DISTANCE,
		      "CLAMP", memory, bytes);
}

/* The driver wants uniforms to be reset, and indices clamped, in each pass. */
static void
open_pass(struct pair *pair, int pairs, bool data)
{
	struct graph *graph = pair->graph;
	const int offset = graph_value(graph);

	pair->pairs = pairs;
	pair->slots = data ? LIGHT_SLOTS : HEAVY_SLOTS;
	pair->ahead = data ? LIGHT_AHEAD : HEAVY_AHEAD;
	graph->round = -1;
	int op = graph_op(graph, UNIT_ADD, QPU_ADD_OR, 0, graph_immediate(0),
			  graph_immediate(0), offset, "reset");

	graph->ops[op].whole = true;
	snprintf(graph->ops[op].operand, GRAPH_TEXT, "uniforms_here");
	wanted_by(pair, 0);
	op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(offset),
		      graph_uniform(), -1, "uniforms");
	graph->ops[op].port = PORT_UNIFORMS;
	reads_uniform(pair, 0, "ADDRESS", MEMORIES, 0);
	wanted_by(pair, 0.01);
	clamp(pair, MEMORY_K, pair->k_index,
	      (pairs + AHEAD) * PAIR_SIZE - PAIR_SIZE + 4);
	wanted_by(pair, 0.06);
	if (data) {
		clamp(pair, MEMORY_DATA, pair->data,
		      pairs * PAIR_SIZE - PAIR_SIZE + 4);
		wanted_by(pair, 0.1);
	}
}

static int
step(struct pair *pair, int index, int by, bool bytes, const char *text)
{
	const int next = heir(pair, index);

	graph_op(pair->graph, bytes ? UNIT_EITHER : UNIT_ADD, QPU_ADD_ADD,
		 QPU_MUL_V8ADDS, graph_read(index), graph_read(by), next, text);
	wanted_by(pair, 0.8);
	return next;
}

/* The loop counter goes up a bit, and the indices on to the next pass.  That
 * of K has no carry from its lowest byte but in the last pass, whose result
 * nobody reads. */
static void
count_pass(struct pair *pair, bool data)
{
	const int next = heir(pair, pair->passes);

	pair->graph->round = -1;
	const int op = graph_op(pair->graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_read(pair->passes),
				graph_read(pair->passes), next, "pass");

	pair->graph->ops[op].sets_flags = true;
	wanted_by(pair, 0.9);
	step(pair, pair->k_index, data ? pair->data_step : pair->power[6], true,
	     "step K");
	if (data)
		step(pair, pair->data, pair->data_step, false, "step data");
}

/* A load of r4, after the last one and everything that still reads that. */
static int
load(struct pair *pair, enum memory memory)
{
	struct graph *graph = pair->graph;
	const int was_loaded = pair->loaded;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "load %s", memory_rows[memory].name);
	pair->loaded = graph_value(graph);
	graph->values[pair->loaded].place = PLACE_R4;
	const int op = graph_op(graph, UNIT_SIGNAL, 0, 0, graph_immediate(0),
				graph_immediate(0), pair->loaded, text);

	graph->ops[op].port = memory_rows[memory].tmu;
	if (pair->last_load >= 0)
		graph_order(graph, op, pair->last_load, 1);
	for (unsigned i = 0;
	     was_loaded >= 0 && i < graph->values[was_loaded].nreaders; i++)
		graph_order(graph, op, graph->values[was_loaded].readers[i], 0);
	pair->last_load = op;
	return op;
}

/* Pair k, after a load has made room for its request. */
static void
request(struct pair *pair, enum memory memory, int k, int room)
{
	struct graph *graph = pair->graph;
	const int ahead = memory == MEMORY_K ? k + AHEAD : k;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "ask %s", memory_rows[memory].name);
	const int op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_read(pair->clamped[memory]),
				graph_uniform(), -1, text);

	graph->ops[op].port = memory_rows[memory].tmu;
	reads_uniform(pair, UNIFORM_DISTANCE, "BASE", memory,
		      PAIR_SIZE * ahead);
	graph_order(graph, op, room, 1);
	pair->request[memory][k] = op;
}

/* w + K of rounds 2k and 2k + 1. */
static void
constants(struct pair *pair, int k)
{
	const double at = k / pair->pairs;
	const int op = load(pair, MEMORY_K);

	wanted_by(pair, at);
	if (k >= AHEAD)
		graph_order(pair->graph, op, pair->request[MEMORY_K][k - AHEAD],
			    pair->ahead);
	else
		graph_order(pair->graph, op, RESET, first_loads[k]);
	pair->sum[0] = ops_sum(pair->graph, pair->w[k], pair->loaded, "w+K");
	wanted_by(pair, at + 0.01);
	pair->sum[1] = graph_value(pair->graph);
	turn_to(pair, pair->sum[1], pair->sum[0], 14, QPU_COND_ALWAYS,
		"w+K odd");
	request(pair, MEMORY_K, k, op);
	wanted_by(pair, at + 0.02);
	if (k >= pair->pairs - AHEAD)
		graph_order(pair->graph, RESET, pair->request[MEMORY_K][k],
			    pair->ahead - pair->slots - first_loads[k % AHEAD]);
}

/*
 * Ch | Maj = (s0 & s1) + (s2 & p), without common bits; A: p = ~s0, B: p = s0 ^
 * s1, which is (s0 - (s0 & s1)) + (s1 - (s0 & s1)) without borrow or carry.
 */
static int
ch_maj(struct pair *pair)
{
	struct graph *graph = pair->graph;
	const int *s = pair->state;
	const int both = ops_and(graph, pair->fresh, s[1], "s0&s1");
	const int rest0 = ops_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				     graph_read(pair->fresh), graph_read(both),
				     "s0-");
	const int rest1 = ops_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				     graph_read(s[1]), graph_read(both), "s1-");
	const int p_b =
		ops_join(graph, graph_read(rest0), graph_read(rest1), "p of B");
	const int op = last_op(pair);
	const int p = heir(pair, p_b);

	graph_op(graph, UNIT_EITHER, QPU_ADD_SUB, QPU_MUL_V8SUBS,
		 graph_immediate(-1), graph_read(pair->fresh), p, "p of A");
	graph->ops[last_op(pair)].cond = QPU_COND_ZS;
	graph_order(graph, last_op(pair), op, 1);
	const int masked = ops_and(graph, s[2], p, "s2&p");

	return ops_join(graph, graph_read(both), graph_read(masked), "Ch");
}

static int
rotate(struct pair *pair, int x, int i)
{
	return ops_add(pair->graph, QPU_ADD_ROR, graph_read(x),
		       graph_read(pair->sigma[i]), "S ror");
}

/* Sigma = ror(s0 ^ ror(s0 ^ ror(s0))) by the rotations of the lane. */
static int
sigma(struct pair *pair)
{
	int x = rotate(pair, pair->fresh, 0);

	x = ops_xor(pair->graph, pair->fresh, x, "S ^");
	x = rotate(pair, x, 1);
	x = ops_xor(pair->graph, pair->state[0], x, "S ^");
	return rotate(pair, x, 2);
}

/* Round t of n. */
static void
round_of(struct pair *pair, int t, int n)
{
	struct graph *graph = pair->graph;
	int *s = pair->state;
	const double done = (t + 1.0) / n;

	graph->round = t;
	const int h = ops_sum(graph, pair->sum[t & 1], s[3], "h+w+K");
	const int ch = ch_maj(pair);
	const int ch_h = heir(pair, ch);

	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(ch), graph_read(h),
		 ch_h, "Ch+");
	graph->ops[last_op(pair)].cond = QPU_COND_ZS;
	const int sum = ops_sum(graph, sigma(pair), ch_h, "T1|T2");
	const int crossed = cross(pair, s[3], sum, -1, "d|T1");
	int s0;

	/* It is made in an accumulator, as many operations read it at once. */
	if (t < n - 1) {
		pair->fresh = ops_sum(graph, sum, crossed, "new s0");
		wanted_by(pair, done);
		s0 = heir(pair, s[3]);
		move_to(pair, s0, pair->fresh, "s0");
		wanted_by(pair, done + 0.02);
	} else {
		s0 = heir(pair, s[3]);
		graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
			 graph_read(crossed), s0, "new s0");
		wanted_by(pair, done);
	}
	s[3] = s[2];
	s[2] = s[1];
	s[1] = s[0];
	s[0] = s0;
}

static void
start_rounds(struct pair *pair)
{
	pair->graph->round = 0;
	pair->fresh = ops_move(pair->graph, pair->state[0], "s0");
}

/* sigma1 = ror17 ^ ror19 ^ shr10, all from one upper half. */
static int
word_sigma1(struct pair *pair, int x)
{
	struct graph *graph = pair->graph;
	const int upper = ops_upper_half(graph, x, pair->ones, "s1 upper");
	const int r19 =
		ops_ror_on_mul(graph, x, 19, upper, pair->power[13], "s1");
	const int r17 =
		ops_ror_on_mul(graph, x, 17, upper, pair->power[15], "s1");
	const struct operand_source power6 = graph_read(pair->power[6]);

	/* shr10: upper * 2^6 has bits 6..21, the rest is byte 1 of
	 * x.8b * 2^6, bits 0..5. */
	const int above = ops_mul(graph, QPU_MUL_MUL24, graph_read(upper),
				  power6, "s1 upper*2^6");
	const int below = ops_mul(graph, QPU_MUL_MUL24,
				  graph_unpacked(x, QPU_UNPACK_8B), power6,
				  "s1 x.8b*2^6");
	const int r10 = ops_join(graph, graph_read(above),
				 graph_unpacked(below, QPU_UNPACK_8B),
				 "s1 shr10");

	return ops_xor(graph, ops_xor(graph, r17, r19, "s1 ^"), r10, "s1");
}

/* sigma0 = ror7 ^ ror18 ^ shr3; only ror18 goes to the mul ALU, since ports of
 * the register files are scarcer than the add ALU. */
static int
word_sigma0(struct pair *pair, int x)
{
	struct graph *graph = pair->graph;
	const int r7 = ops_ror(graph, x, 7, "s0 ror7");
	const int upper = ops_upper_half(graph, x, pair->ones, "s0 upper");
	const int r18 =
		ops_ror_on_mul(graph, x, 18, upper, pair->power[14], "s0");
	const int r3 = ops_add(graph, QPU_ADD_SHR, graph_read(x),
			       graph_immediate(3), "s0 shr3");

	return ops_xor(graph, ops_xor(graph, r18, r7, "s0 ^"), r3, "s0");
}

/* w_(k+8) from the window, into the register of w_k, and x_(k+7). */
static void
schedule_words(struct pair *pair, int k)
{
	struct graph *graph = pair->graph;
	int *w = pair->w, *x = pair->x;

	graph->round = 2 * k;
	const int sigma1 = word_sigma1(pair, w[k + 7]);
	int sum = ops_sum(graph, w[k], word_sigma0(pair, x[k]), "w +s0");

	sum = ops_sum(graph, sum, x[k + 4], "w +x");
	w[k + 8] = heir(pair, w[k]);
	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
		 graph_read(sigma1), w[k + 8], "w +s1");
	wanted_by(pair, (k + 1) / pair->pairs);
	x[k + 7] = cross(pair, w[k + 7], w[k + 8], k ? x[k - 1] : -1, "x");
	wanted_by(pair, (k + 1.2) / pair->pairs);
}

void
pair_heavy(struct graph *graph)
{
	struct pair pair;

	pair_open(&pair, graph);
	open_pass(&pair, 8, false);
	count_pass(&pair, false);
	start_rounds(&pair);
	for (int k = 0; k < 8; k++) {
		graph->round = 2 * k;
		constants(&pair, k);
		round_of(&pair, 2 * k, 16);
		schedule_words(&pair, k);
		round_of(&pair, 2 * k + 1, 16);
	}
}

/* Words of a light pass, as they come and go. */
struct words {
	int moved;	 /* operation after which the register is free */
	int complete[4]; /* operations that write the bytes of the last one */
};

/* The register file swaps the bytes: it unpacks each, and packs it into the
 * new word. */
static int
swap_bytes(struct pair *pair, int home, struct words *words)
{
	static const struct {
		int unpack, pack;
		const char *text;
	} rows[] = {
		{ QPU_UNPACK_NONE, QPU_PACK_8D, "byte 0" },
		{ QPU_UNPACK_8B, QPU_PACK_8C, "byte 1" },
		{ QPU_UNPACK_8C, QPU_PACK_8B, "byte 2" },
		{ QPU_UNPACK_8D, QPU_PACK_8A, "byte 3" },
	};
	struct graph *graph = pair->graph;
	const int x = ops_move(graph, pair->loaded, "swap");
	int word = home;

	for (int i = 0; i < 4; i++) {
		const struct operand_source byte =
			i ? graph_unpacked(x, rows[i].unpack) :
			    graph_read(pair->loaded);

		word = heir(pair, word);
		words->complete[i] = graph_op(graph, UNIT_EITHER, QPU_ADD_OR,
					      QPU_MUL_V8MIN, byte, byte, word,
					      rows[i].text);
		graph->ops[words->complete[i]].pack = rows[i].pack;
		graph_order(graph, words->complete[i], words->moved, 0);
	}
	return word;
}

/* An operation that reads a word is after all of its bytes. */
static void
after_bytes(struct pair *pair, int op, const int complete[4])
{
	for (int i = 0; i < 4; i++)
		graph_order(pair->graph, op, complete[i], 2);
}

/* w_k and x_(k-1) take what w_(k+4) and x_(k+3) were; those are new. */
static void
load_words(struct pair *pair, int k, struct words *words)
{
	struct graph *graph = pair->graph;
	int *w = pair->w, *x = pair->x;
	const int before = k ? w[k + 3] : w[7];
	const struct words last = *words;

	graph->round = 2 * k;
	w[k] = heir(pair, w[k]);
	move_to(pair, w[k], w[k + 4], "w=w4");
	wanted_by(pair, (k + 0.8) / pair->pairs);
	words->moved = last_op(pair);
	const int op = load(pair, MEMORY_DATA);

	wanted_by(pair, (k + 0.5) / pair->pairs);
	request(pair, MEMORY_DATA, k, op);
	wanted_by(pair, (k + 0.55) / pair->pairs);
	w[k + 4] = swap_bytes(pair, w[k + 4], words);
	if (k > 0) {
		x[k - 1] = heir(pair, x[k - 1]);
		move_to(pair, x[k - 1], x[k + 3], "x=x4");
		wanted_by(pair, (k + 0.6) / pair->pairs);
	}
	x[k + 3] = cross(pair, before, w[k + 4], x[k + 3], "x");
	wanted_by(pair, (k + 1) / pair->pairs);
	after_bytes(pair, last_op(pair), words->complete);
	if (k > 0)
		after_bytes(pair, last_op(pair) - 1, last.complete);
}

void
pair_light(struct graph *graph)
{
	struct words words = { .moved = -1 };
	struct pair pair;

	pair_open(&pair, graph);
	open_pass(&pair, 4, true);
	count_pass(&pair, true);
	start_rounds(&pair);
	for (int k = 0; k < 4; k++) {
		graph->round = 2 * k;
		constants(&pair, k);
		round_of(&pair, 2 * k, 8);
		load_words(&pair, k, &words);
		round_of(&pair, 2 * k + 1, 8);
	}
}
