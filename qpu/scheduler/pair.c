/* SPDX-License-Identifier: MIT */
/*
 * pair: what every pass of the pair kernel has (fixed registers, lanes that
 * cross, the stream of uniforms, lookups, counters), and rounds and words for
 * two lanes a message.  A lanes have e f g h as s0 to s3, B lanes a b c d; Z is
 * set in A lanes at all times.
 */
#include "config.h"

#include "qpu/scheduler/pair.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"

enum {
	STATES = 4,
	PAIRS = 8,    /* of words, in the window */
	CROSSED = 7,  /* x_0..x_6 have registers */
	AHEAD = 4,    /* pairs, from a request to its load */
	PAIR_SIZE = 8 /* bytes of memory */
};

enum pass_memory { MEMORY_DATA, MEMORY_K, MEMORIES };

/* Numbers of values in the graph, or of operations; -1: none. */
struct pair_pass {
	struct graph *graph;
	struct graph_constants constants;
	int sigma[3]; /* rotations of Sigma, nested */
	int k_index, data, passes, data_step;
	int state[STATES]; /* of the round to come */
	int fresh;	   /* s0 before it was copied to a register */
	int w[2 * PAIRS], x[2 * PAIRS];
	double pairs;	  /* of the pass */
	int slots, ahead; /* of the pass, about; from request to load */
	int sum[2];	  /* w + K of an even and an odd round */
	int last_uniform; /* operation, or -1 */
	struct graph_r4 r4;
	int clamped[MEMORIES];
	int request[MEMORIES][PAIRS];
};

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

/* Values that are turned, unpacked, or read beside an immediate are in A. */
static void
open_values(struct pair_pass *pass, struct graph *graph)
{
	enum { IN_B = 0, IN_A = 0xff };
	static const int powers[] = { 6, 13, 14, 15 };
	int chain[STATES];

	memset(pass, 0, sizeof(*pass));
	graph_clear(graph);
	pass->graph = graph;
	graph_fixed_row(graph, "state", IN_A, STATES, pass->state);
	graph_fixed_row(graph, "w", IN_A, PAIRS, pass->w);
	graph_fixed_row(graph, "x", IN_A, CROSSED, pass->x);
	pass->k_index = graph_fixed(graph, PLACE_A, "k_index");
	pass->data = graph_fixed(graph, PLACE_A, "data");
	graph_fixed(graph, PLACE_A, "left");
	graph_fixed_row(graph, "chain", IN_B, STATES, chain);
	graph_fixed_row(graph, "sigma", IN_B, 3, pass->sigma);
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++)
		pass->constants.power[powers[i]] =
			graph_fixed_at(graph, PLACE_B, "power", powers[i]);
	pass->data_step = graph_fixed(graph, PLACE_B, "data_step");
	pass->passes = graph_fixed(graph, PLACE_B, "passes");
	graph_fixed(graph, PLACE_B, "passes_begin");
	graph_fixed(graph, PLACE_B, "parity");
	pass->constants.ones = graph_fixed(graph, PLACE_R5, "ones");
	pass->last_uniform = -1;
	pass->r4 = (struct graph_r4){ -1, -1 };
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
static int
cross(struct pair_pass *pass, int a, int b, int home, const char *text)
{
	const int first = graph_value(pass->graph);

	if (home >= 0)
		graph_rehouse(pass->graph, first, home);
	turn_to(pass, first, a, 14, QPU_COND_ALWAYS, text);
	const int op = graph_last_op(pass->graph);
	const int both = graph_heir(pass->graph, first);

	turn_to(pass, both, b, 2, QPU_COND_ZC, text);
	graph_order(pass->graph, graph_last_op(pass->graph), op, 1);
	return both;
}

/* The last operation reads the next uniform. */
static void
reads_uniform(struct pair_pass *pass, int distance, const char *kind,
	      enum pass_memory memory, int word)
{
	struct op *op = &pass->graph->ops[graph_last_op(pass->graph)];

	op->no_immediate = true;
	if (memory == MEMORIES)
		snprintf(op->operand, sizeof(op->operand), "uniform(%s)", kind);
	else
		snprintf(op->operand, sizeof(op->operand),
			 "uniform(%s, %s, %d)", kind, memory_rows[memory].name,
			 word);
	if (pass->last_uniform >= 0)
		graph_order(pass->graph, graph_last_op(pass->graph),
			    pass->last_uniform, distance);
	pass->last_uniform = graph_last_op(pass->graph);
}

/* The index of a memory, between 0 and its size less `bytes`. */
static void
clamp(struct pair_pass *pass, enum pass_memory memory, int index, int bytes)
{
	struct graph *graph = pass->graph;
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "clamp %s", memory_rows[memory].name);
	const int positive = graph_add(graph, QPU_ADD_MAX, graph_read(index),
				       graph_immediate(0), text);

	pass->clamped[memory] = graph_add(graph, QPU_ADD_MIN,
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
	graph_wanted_by(graph, 0);
	op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(offset),
		      graph_uniform(), -1, "uniforms");
	graph->ops[op].port = PORT_UNIFORMS;
	reads_uniform(pass, 0, "ADDRESS", MEMORIES, 0);
	graph_wanted_by(graph, 0.01);
	clamp(pass, MEMORY_K, pass->k_index,
	      (pairs + AHEAD) * PAIR_SIZE - PAIR_SIZE + 4);
	graph_wanted_by(graph, 0.06);
	if (data) {
		clamp(pass, MEMORY_DATA, pass->data,
		      pairs * PAIR_SIZE - PAIR_SIZE + 4);
		graph_wanted_by(graph, 0.1);
	}
}

static int
step(struct pair_pass *pass, int index, int by, bool bytes, const char *text)
{
	const int next = graph_heir(pass->graph, index);

	graph_op(pass->graph, bytes ? UNIT_EITHER : UNIT_ADD, QPU_ADD_ADD,
		 QPU_MUL_V8ADDS, graph_read(index), graph_read(by), next, text);
	graph_wanted_by(pass->graph, 0.8);
	return next;
}

/* The loop counter goes up a bit, and the indices on to the next pass.  That
 * of K has no carry from its lowest byte but in the last pass, whose result
 * nobody reads. */
static void
count(struct pair_pass *pass, bool data)
{
	const int next = graph_heir(pass->graph, pass->passes);

	pass->graph->round = -1;
	const int op = graph_op(pass->graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_read(pass->passes),
				graph_read(pass->passes), next, "pass");

	pass->graph->ops[op].sets_flags = true;
	graph_wanted_by(pass->graph, 0.9);
	step(pass, pass->k_index,
	     data ? pass->data_step : pass->constants.power[6], true, "step K");
	if (data)
		step(pass, pass->data, pass->data_step, false, "step data");
}

static int
load(struct pair_pass *pass, enum pass_memory memory)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "load %s", memory_rows[memory].name);
	return graph_load(pass->graph, &pass->r4, memory_rows[memory].tmu,
			  text);
}

/* Asks for pair k of the pass to come, after a load has made room for its
 * request. */
static void
request(struct pair_pass *pass, enum pass_memory memory, int k, int room)
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

/* w + K of rounds 2k and 2k + 1: pass->sum. */
static void
round_constants(struct pair_pass *pass, int k)
{
	const double at = k / pass->pairs;
	const int op = load(pass, MEMORY_K);

	graph_wanted_by(pass->graph, at);
	if (k >= AHEAD)
		graph_order(pass->graph, op, pass->request[MEMORY_K][k - AHEAD],
			    pass->ahead);
	else
		graph_order(pass->graph, op, RESET, first_loads[k]);
	pass->sum[0] =
		graph_sum(pass->graph, pass->w[k], pass->r4.loaded, "w+K");
	graph_wanted_by(pass->graph, at + 0.01);
	pass->sum[1] = graph_value(pass->graph);
	turn_to(pass, pass->sum[1], pass->sum[0], 14, QPU_COND_ALWAYS,
		"w+K odd");
	request(pass, MEMORY_K, k, op);
	graph_wanted_by(pass->graph, at + 0.02);
	if (k >= pass->pairs - AHEAD)
		graph_order(pass->graph, RESET, pass->request[MEMORY_K][k],
			    pass->ahead - pass->slots - first_loads[k % AHEAD]);
}

/* Begins a pass of 4 or 8 pairs of words: uniforms are reset, indices clamped,
 * and the counters go on; one of 4 pairs loads data, too. */
static void
open_pass(struct pair_pass *pass, struct graph *graph, int pairs)
{
	const bool data = pairs == AHEAD; /* a light pass */

	open_values(pass, graph);
	begin(pass, pairs, data);
	count(pass, data);
}

void
pair_map(struct graph *graph)
{
	struct pair_pass pass;

	open_values(&pass, graph);
}

/*
 * Ch | Maj = (s0 & s1) + (s2 & p), without common bits; A: p = ~s0, B: p = s0 ^
 * s1, which is (s0 - (s0 & s1)) + (s1 - (s0 & s1)) without borrow or carry.
 */
static int
ch_maj(struct pair_pass *pass)
{
	struct graph *graph = pass->graph;
	const int *s = pass->state;
	const int both = graph_and(graph, pass->fresh, s[1], "s0&s1");
	const int rest0 = graph_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				       graph_read(pass->fresh),
				       graph_read(both), "s0-");
	const int rest1 = graph_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				       graph_read(s[1]), graph_read(both),
				       "s1-");
	const int p_b = graph_join(graph, graph_read(rest0), graph_read(rest1),
				   "p of B");
	const int op = graph_last_op(graph);
	const int p = graph_heir(graph, p_b);

	graph_op(graph, UNIT_EITHER, QPU_ADD_SUB, QPU_MUL_V8SUBS,
		 graph_immediate(-1), graph_read(pass->fresh), p, "p of A");
	graph->ops[graph_last_op(graph)].cond = QPU_COND_ZS;
	graph_order(graph, graph_last_op(graph), op, 1);
	const int masked = graph_and(graph, s[2], p, "s2&p");

	return graph_join(graph, graph_read(both), graph_read(masked), "Ch");
}

static int
rotate(struct pair_pass *pass, int x, int i)
{
	return graph_add(pass->graph, QPU_ADD_ROR, graph_read(x),
			 graph_read(pass->sigma[i]), "S ror");
}

/* Sigma = ror(s0 ^ ror(s0 ^ ror(s0))) by the rotations of the lane. */
static int
sigma(struct pair_pass *pass)
{
	int x = rotate(pass, pass->fresh, 0);

	x = graph_xor(pass->graph, pass->fresh, x, "S ^");
	x = rotate(pass, x, 1);
	x = graph_xor(pass->graph, pass->state[0], x, "S ^");
	return rotate(pass, x, 2);
}

/* Round t of n. */
static void
round_of(struct pair_pass *pass, int t, int n)
{
	struct graph *graph = pass->graph;
	int *s = pass->state;
	const double done = (t + 1.0) / n;

	graph->round = t;
	const int h = graph_sum(graph, pass->sum[t & 1], s[3], "h+w+K");
	const int ch = ch_maj(pass);
	const int ch_h = graph_heir(graph, ch);

	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(ch), graph_read(h),
		 ch_h, "Ch+");
	graph->ops[graph_last_op(graph)].cond = QPU_COND_ZS;
	const int sum = graph_sum(graph, sigma(pass), ch_h, "T1|T2");
	const int crossed = cross(pass, s[3], sum, -1, "d|T1");
	int s0;

	/* It is made in an accumulator, as many operations read it at once. */
	if (t < n - 1) {
		pass->fresh = graph_sum(graph, sum, crossed, "new s0");
		graph_wanted_by(graph, done);
		s0 = graph_heir(graph, s[3]);
		graph_move_to(graph, s0, pass->fresh, "s0");
		graph_wanted_by(graph, done + 0.02);
	} else {
		s0 = graph_heir(graph, s[3]);
		graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
			 graph_read(crossed), s0, "new s0");
		graph_wanted_by(graph, done);
	}
	s[3] = s[2];
	s[2] = s[1];
	s[1] = s[0];
	s[0] = s0;
}

static void
start_rounds(struct pair_pass *pass)
{
	pass->graph->round = 0;
	pass->fresh = graph_move(pass->graph, pass->state[0], "s0");
}

/* sigma1 = ror17 ^ ror19 ^ shr10, all from one upper half. */
static int
word_sigma1(struct pair_pass *pass, int x)
{
	struct graph *graph = pass->graph;
	const struct graph_constants *constants = &pass->constants;
	const int upper = graph_upper_half(graph, constants, x, "s1 upper");
	const int r19 = graph_ror_on_mul(graph, constants, x, 19, upper, "s1");
	const int r17 = graph_ror_on_mul(graph, constants, x, 17, upper, "s1");
	const int r10 = graph_shr10_on_mul(graph, constants, x, upper);

	return graph_xor(graph, graph_xor(graph, r17, r19, "s1 ^"), r10, "s1");
}

/* w_(k+8) from the window, into the register of w_k, and x_(k+7). */
static void
schedule_words(struct pair_pass *pass, int k)
{
	struct graph *graph = pass->graph;
	int *w = pass->w, *x = pass->x;

	graph->round = 2 * k;
	const int sigma1 = word_sigma1(pass, w[k + 7]);
	/* Only ror18 goes to the mul ALU, since ports of the register files are
	 * scarcer than the add ALU. */
	const int sigma0 = graph_sigma0(graph, &pass->constants, x[k], false);
	int sum = graph_sum(graph, w[k], sigma0, "w +s0");

	sum = graph_sum(graph, sum, x[k + 4], "w +x");
	w[k + 8] = graph_heir(graph, w[k]);
	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
		 graph_read(sigma1), w[k + 8], "w +s1");
	graph_wanted_by(graph, (k + 1) / pass->pairs);
	x[k + 7] = cross(pass, w[k + 7], w[k + 8], k ? x[k - 1] : -1, "x");
	graph_wanted_by(graph, (k + 1.2) / pass->pairs);
}

void
pair_heavy(struct graph *graph)
{
	struct pair_pass pass;

	open_pass(&pass, graph, 8);
	start_rounds(&pass);
	for (int k = 0; k < 8; k++) {
		graph->round = 2 * k;
		round_constants(&pass, k);
		round_of(&pass, 2 * k, 16);
		schedule_words(&pass, k);
		round_of(&pass, 2 * k + 1, 16);
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
swap_bytes(struct pair_pass *pass, int home, struct words *words)
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
	struct graph *graph = pass->graph;
	const int x = graph_move(graph, pass->r4.loaded, "swap");
	int word = home;

	for (int i = 0; i < 4; i++) {
		const struct operand_source byte =
			i ? graph_unpacked(x, rows[i].unpack) :
			    graph_read(pass->r4.loaded);

		word = graph_heir(graph, word);
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
after_bytes(struct pair_pass *pass, int op, const int complete[4])
{
	for (int i = 0; i < 4; i++)
		graph_order(pass->graph, op, complete[i], 2);
}

/* w_k and x_(k-1) take what w_(k+4) and x_(k+3) were; those are new. */
static void
load_words(struct pair_pass *pass, int k, struct words *words)
{
	struct graph *graph = pass->graph;
	int *w = pass->w, *x = pass->x;
	const int before = k ? w[k + 3] : w[7];
	const struct words last = *words;

	graph->round = 2 * k;
	w[k] = graph_heir(graph, w[k]);
	graph_move_to(graph, w[k], w[k + 4], "w=w4");
	graph_wanted_by(graph, (k + 0.8) / pass->pairs);
	words->moved = graph_last_op(graph);
	const int op = load(pass, MEMORY_DATA);

	graph_wanted_by(graph, (k + 0.5) / pass->pairs);
	request(pass, MEMORY_DATA, k, op);
	graph_wanted_by(graph, (k + 0.55) / pass->pairs);
	w[k + 4] = swap_bytes(pass, w[k + 4], words);
	if (k > 0) {
		x[k - 1] = graph_heir(graph, x[k - 1]);
		graph_move_to(graph, x[k - 1], x[k + 3], "x=x4");
		graph_wanted_by(graph, (k + 0.6) / pass->pairs);
	}
	x[k + 3] = cross(pass, before, w[k + 4], x[k + 3], "x");
	graph_wanted_by(graph, (k + 1) / pass->pairs);
	after_bytes(pass, graph_last_op(graph), words->complete);
	if (k > 0)
		after_bytes(pass, graph_last_op(graph) - 1, last.complete);
}

void
pair_light(struct graph *graph)
{
	struct words words = { .moved = -1 };
	struct pair_pass pass;

	open_pass(&pass, graph, 4);
	start_rounds(&pass);
	for (int k = 0; k < 4; k++) {
		graph->round = 2 * k;
		round_constants(&pass, k);
		round_of(&pass, 2 * k, 8);
		load_words(&pass, k, &words);
		round_of(&pass, 2 * k + 1, 8);
	}
}
