/* SPDX-License-Identifier: MIT */
/*
 * body: registers, rounds and words as operations; FIPS 180-4, 6.2.2.  Every
 * function appends to the graph.
 */
#include "config.h"

#include "qpu/scheduler/body.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"

enum { ROUNDS = 8, WORDS = 16 };

/* Numbers of values in the graph. */
struct body {
	struct graph *graph;
	struct graph_constants constants;
	int state[8];		  /* registers of a..h when a pass starts */
	int chain[8];		  /* H(i) of 6.2.2 */
	int window[WORDS];	  /* registers of w_0..w_15 */
	int word[WORDS + ROUNDS]; /* W as the pass sees it */
	int carried;		  /* b^c from pass to pass */
	int power13_r4; /* 2^13 in r4, from a light pass to the next */
	int constant;	/* address of a word that is 2^13 */
	int passes;	/* a nibble for each pass of a block */
	int data;	/* addresses of the lanes */
	int left;	/* blocks of the segment to come after this one */
	int job;

	/* The working variables of the round to come. */
	int a, b, c, d, e, f, g, h;
	int fresh_a, fresh_e; /* before they were copied to a register */
	int b_xor_c;
	int last_constant; /* operation that read a uniform, or -1 */
	int shift_op;	   /* operation of the last shift_word */

	/* The TMU pipeline. */
	int address; /* of the next four words */
	int request[ROUNDS];
	int last_request; /* operation, or -1 */
	struct graph_r4 r4;
};

static void
open_body(struct body *body, struct graph *graph)
{
	static const int powers[] = { 6, 9, 10, 11, 13, 14, 15 };
	/*
	 * a and e in A, as immediates rotate them and an immediate takes the
	 * B port; b, f and g in B, since a^b, e&f and e&g read both; the
	 * words in A, for the unpacks and rotations, but for w_0.
	 */
	enum { STATE_IN_A = 0x11, CHAIN_IN_A = 0x6c, WINDOW_IN_A = 0xfffe };

	memset(body, 0, sizeof(*body));
	graph_clear(graph);
	body->graph = graph;
	body->constants.ones = graph_fixed(graph, PLACE_R5, "ones");
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++)
		body->constants.power[powers[i]] =
			graph_fixed_at(graph, PLACE_B, "power", powers[i]);
	body->constant = graph_fixed(graph, PLACE_B, "constant");
	body->power13_r4 = graph_value(graph);
	graph->values[body->power13_r4].place = PLACE_R4;
	graph_fixed_row(graph, "state", STATE_IN_A, 8, body->state);
	graph_fixed_row(graph, "chain", CHAIN_IN_A, 8, body->chain);
	graph_fixed_row(graph, "w", WINDOW_IN_A, WORDS, body->window);
	memcpy(body->word, body->window, sizeof(body->window));
	body->carried = graph_fixed(graph, PLACE_B, "b_xor_c");
	body->passes = graph_fixed(graph, PLACE_A, "passes");
	body->data = graph_fixed(graph, PLACE_A, "data");
	body->left = graph_fixed(graph, PLACE_A, "left");
	body->job = graph_fixed(graph, PLACE_B, "job");

	body->a = body->fresh_a = body->state[0];
	body->b = body->state[1];
	body->c = body->state[2];
	body->d = body->state[3];
	body->e = body->fresh_e = body->state[4];
	body->f = body->state[5];
	body->g = body->state[6];
	body->h = body->state[7];
	body->b_xor_c = body->carried;
	body->address = body->data;
	body->last_constant = -1;
	body->last_request = -1;
	body->r4 = (struct graph_r4){ -1, -1 };
}

/* Slots from a request to its load: a cache hit takes 8, the other QPU of the
 * TMU and some luck with memory the others. */
enum { REQUEST_DISTANCE = 20 };

static int
halve_and_rotate(struct body *body, int x, int count, const char *what)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "%s upper", what);
	const int upper =
		graph_upper_half(body->graph, &body->constants, x, text);

	return graph_ror_on_mul(body->graph, &body->constants, x, count, upper,
				what);
}

/* h + K + w; the 2-word FIFO of uniforms wants its reads apart. */
static int
round_constant(struct body *body, int t)
{
	enum { UNIFORM_DISTANCE = 10 };
	struct graph *graph = body->graph;
	const int value = graph_value(graph);
	const int op = graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0,
				graph_uniform(), graph_read(body->word[t]),
				value, "T1 K+w");

	if (body->last_constant >= 0)
		graph_order(graph, op, body->last_constant, UNIFORM_DISTANCE);
	body->last_constant = op;
	return graph_sum(body->graph, body->h, value, "T1 +h");
}

/* Ch = (e & f) + (~e & g); ~e & g = g - (e & g), a subset of g's bits. */
static int
round_ch(struct body *body)
{
	const int ef = graph_and(body->graph, body->fresh_e, body->f, "Ch e&f");
	const int eg = graph_and(body->graph, body->fresh_e, body->g, "Ch e&g");
	const int rest = graph_either(body->graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				      graph_read(body->g), graph_read(eg),
				      "Ch g-(e&g)");

	return graph_join(body->graph, graph_read(ef), graph_read(rest), "Ch");
}

/* Sigma1 = ror6(e ^ ror19(e ^ ror18(e))): 6, 25 = 6+19, 11 = 6+19+18-32. */
static int
round_sigma1(struct body *body)
{
	int x = graph_ror(body->graph, body->fresh_e, 18, "S1 ror18");

	x = graph_xor(body->graph, body->fresh_e, x, "S1 e^");
	x = halve_and_rotate(body, x, 19, "S1");
	x = graph_xor(body->graph, body->e, x, "S1 e^");
	return graph_ror(body->graph, x, 6, "S1 ror6");
}

/* Sigma0 = ror22(a ^ ror23(a ^ ror21(a))): 22, 13 = 22+23-32, 2. */
static int
nested_sigma0(struct body *body)
{
	int x = graph_ror(body->graph, body->fresh_a, 21, "S0 ror21");

	x = graph_xor(body->graph, body->fresh_a, x, "S0 a^");
	x = halve_and_rotate(body, x, 23, "S0");
	x = graph_xor(body->graph, body->a, x, "S0 a^");
	return graph_ror(body->graph, x, 22, "S0 ror22");
}

/* Sigma0 = ror22(a) ^ ror13(a ^ ror21(a)): 2 = 13+21-32. */
static int
shared_sigma0(struct body *body)
{
	const struct graph_constants *constants = &body->constants;
	const int upper =
		graph_upper_half(body->graph, constants, body->a, "S0 upper");
	const int r21 = graph_ror_on_mul(body->graph, constants, body->a, 21,
					 upper, "S0");
	const int r22 = graph_ror_on_mul(body->graph, constants, body->a, 22,
					 upper, "S0");
	const int x = graph_xor(body->graph, body->a, r21, "S0 a^");

	return graph_xor(body->graph, r22,
			 graph_ror(body->graph, x, 13, "S0 ror13"), "S0");
}

/* Maj = ((a ^ b) & (b ^ c)) ^ b; this a ^ b is the next round's b ^ c. */
static int
round_maj(struct body *body, bool last)
{
	const int a_xor_b =
		graph_xor(body->graph, body->fresh_a, body->b, "Maj a^b");

	if (last)
		graph_rehouse(body->graph, a_xor_b, body->carried);
	const int both =
		graph_and(body->graph, a_xor_b, body->b_xor_c, "Maj &(b^c)");

	body->b_xor_c = a_xor_b;
	return graph_xor(body->graph, body->b, both, "Maj");
}

/* How many rotations of Sigma0 the mul ALU does: more of them cost more
 * operations, and fewer on the add ALU. */
enum sigma0 {
	SIGMA0_NESTED, /* one: 4 add + 4 mul */
	SIGMA0_SHARED  /* two, of the same upper half: 3 add + 7 mul */
};

/* Round t = 0..7 of a pass. */
static void
add_round(struct body *body, int t, enum sigma0 how)
{
	struct graph *graph = body->graph;
	const bool last = t == ROUNDS - 1;
	const double done = (t + 1) / (double)ROUNDS;

	graph->round = t;
	int t1 = round_constant(body, t);
	const int ch = round_ch(body);

	t1 = graph_sum(body->graph, t1, ch, "T1 +Ch");
	t1 = graph_sum(body->graph, t1, round_sigma1(body), "T1");
	const int new_e = graph_sum(body->graph, body->d, t1, "e=d+T1");

	graph_wanted_by(body->graph, done);
	const int sigma0 = how == SIGMA0_SHARED ? shared_sigma0(body) :
						  nested_sigma0(body);
	const int t2 =
		graph_sum(body->graph, sigma0, round_maj(body, last), "T2");
	const int new_a = graph_sum(body->graph, t1, t2, "a=T1+T2");

	graph_wanted_by(body->graph, done + 0.017);
	/* The dying d and h give their registers to the new e and a.  These
	 * are made in accumulators, as many operations read them at once. */
	int e = new_e, a = new_a;

	if (!last) {
		e = graph_move(body->graph, new_e, "e");
		graph_wanted_by(body->graph, done + 0.017);
	}
	graph_rehouse(graph, e, body->d);
	if (!last) {
		a = graph_move(body->graph, new_a, "a");
		graph_wanted_by(body->graph, done + 0.033);
	}
	graph_rehouse(graph, a, body->h);

	body->h = body->g;
	body->g = body->f;
	body->f = body->e;
	body->e = e;
	body->fresh_e = new_e;
	body->d = body->c;
	body->c = body->b;
	body->b = body->a;
	body->a = a;
	body->fresh_a = new_a;
}

/* w_t takes what w_{t+8} was: its register is free for a new word. */
static void
shift_word(struct body *body, int t)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "w%d=w%d", t, t + 8);
	const int moved = graph_move(body->graph, body->window[t + 8], text);

	graph_rehouse(body->graph, moved, body->window[t]);
	body->shift_op = body->graph->values[moved].writer;
	graph_wanted_by(body->graph, (t + 1) / (double)ROUNDS);
}

/* sigma1 = ror17 ^ ror19 ^ shr10, all from one upper half. */
static int
word_sigma1(struct body *body, int x)
{
	struct graph *graph = body->graph;
	const struct graph_constants *constants = &body->constants;
	const int upper = graph_upper_half(graph, constants, x, "s1 upper");
	const int r19 = graph_ror_on_mul(graph, constants, x, 19, upper, "s1");
	const int r17 = graph_ror_on_mul(graph, constants, x, 17, upper, "s1");
	const int both = graph_xor(graph, r17, r19, "s1 ^");
	const int r10 = graph_shr10_on_mul(graph, constants, x, upper);

	return graph_xor(graph, both, r10, "s1");
}

/* W[16 + t] from the window, into the register of w_{t+8}. */
static void
schedule_word(struct body *body, int t, bool shr3_on_mul)
{
	struct graph *graph = body->graph;
	const int sigma1 = word_sigma1(body, body->word[t + 14]);
	const int sigma0 = graph_sigma0(graph, &body->constants,
					body->word[t + 1], shr3_on_mul);
	int sum = graph_sum(body->graph, body->word[t], sigma0, "W w0+s0");

	sum = graph_sum(body->graph, sum, body->word[t + 9], "W +w9");
	const int word = graph_sum(graph, sum, sigma1, "W +s1");

	graph_rehouse(graph, word, body->window[t + 8]);
	graph_wanted_by(body->graph, (t + 1) / (double)ROUNDS);
	body->word[WORDS + t] = word;
}

/* Step on by a subtraction, since -16 is an immediate and 16 is none. */
static void
step_address(struct body *body)
{
	const int next = graph_heir(body->graph, body->address);
	graph_op(body->graph, UNIT_ADD, QPU_ADD_SUB, 0,
		 graph_read(body->address), graph_immediate(-16), next,
		 "address+16");
	body->address = next;
}

/* Lanes are 64-byte aligned: adding 4, 8 or 12 never carries from a byte. */
static int
request(struct body *body, int t)
{
	const struct operand_source address = graph_read(body->address);
	const int offset = 4 * (t % 4);
	const int op = graph_op(
		body->graph, UNIT_EITHER, offset ? QPU_ADD_ADD : QPU_ADD_OR,
		offset ? QPU_MUL_V8ADDS : QPU_MUL_V8MIN, address,
		offset ? graph_immediate(offset) : address, -1, "request");

	body->graph->ops[op].port = PORT_TMU0;
	return op;
}

/* Put one byte into a word; the byte with a home completes it. */
static void
put_byte(struct body *body, struct operand_source from, int pack, int home,
	 const char *text)
{
	struct graph *graph = body->graph;
	const int part = graph_heir(graph, home);
	const int op = graph_op(graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
				from, from, part, text);
	graph->ops[op].pack = pack;
	graph_order(graph, op, body->shift_op, 0);
}

/* Swapped by the register file: each byte is unpacked from one register and
 * packed into another. */
static void
swap_bytes(struct body *body, int t)
{
	const int word = graph_value(body->graph);
	const int x = graph_move(body->graph, body->r4.loaded, "swap x");

	put_byte(body, graph_read(body->r4.loaded), QPU_PACK_8D, word,
		 "swap byte 0");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8B), QPU_PACK_8C, word,
		 "swap byte 1");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8C), QPU_PACK_8B, word,
		 "swap byte 2");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8D), QPU_PACK_8A, word,
		 "swap byte 3");
	graph_rehouse(body->graph, word, body->window[t + 8]);
}

/* Word t of the pass from the TMU, and the request of word t + 4. */
static void
load_word(struct body *body, int t)
{
	struct graph *graph = body->graph;
	const int load = graph_load(graph, &body->r4, PORT_TMU0, "load");

	graph_wanted_by(body->graph, (t + 0.5) / ROUNDS);
	if (t == 4)
		step_address(body);
	const int ask = request(body, t);

	graph_wanted_by(body->graph, (t + 0.5) / ROUNDS + 0.03);
	if (body->last_request >= 0)
		graph_order(graph, ask, body->last_request, 1);
	graph_order(graph, ask, load, 1);
	if (t >= 4)
		graph_order(graph, load, body->request[t - 4],
			    REQUEST_DISTANCE);
	body->last_request = ask;
	body->request[t] = ask;
	swap_bytes(body, t);
	if (t == ROUNDS - 1)
		step_address(body);
}

/* 2^13 from memory to r4, after the words of a light pass: the heavy pass
 * reads it as an operand that takes no port of a register file. */
static void
load_power13(struct body *body)
{
	struct graph *graph = body->graph;
	const struct operand_source address = graph_read(body->constant);

	graph->round = -1;
	const int ask = graph_op(graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
				 address, address, -1, "request 2^13");

	graph->ops[ask].port = PORT_TMU1;
	graph_wanted_by(body->graph, 0.7);
	graph_order(graph, graph_load(graph, &body->r4, PORT_TMU1, "load 2^13"),
		    ask, REQUEST_DISTANCE);
}

/* The loop counter: N set means that the pass is to be repeated. */
static void
count_pass(struct body *body)
{
	const int rest = graph_heir(body->graph, body->passes);
	const int op = graph_op(body->graph, UNIT_ADD, QPU_ADD_ROR, 0,
				graph_read(body->passes), graph_immediate(4),
				rest, "pass");

	body->graph->ops[op].sets_flags = true;
	graph_wanted_by(body->graph, 0.97);
}

/* Overwrite a fixed value by a copy. */
static void
copy_home(struct body *body, int from, int home, const char *text)
{
	graph_rehouse(body->graph, graph_move(body->graph, from, text), home);
}

/* One row: the chaining value grows by the state, and the state starts from
 * it.  Returns the value that is the new state. */
static int
feed_forward(struct body *body, int row, bool in_place)
{
	struct graph *graph = body->graph;
	int state = body->state[row];

	if (graph_place(graph, state) == graph_place(graph, body->chain[row]))
		state = graph_move(graph, state, "port");
	const int sum = graph_sum(graph, body->chain[row], state, "H+");

	if (in_place)
		graph_rehouse(graph, sum, body->chain[row]);
	copy_home(body, sum, body->state[row], "state=H");
	if (!in_place)
		copy_home(body, sum, body->chain[row], "H=");
	return sum;
}

/*
 * Bits of rounds, found by trying: where a light round has Sigma0 with two
 * rotations on the mul ALU, where a heavy one has sigma0's shift there; of
 * rows, which are added in place.
 */
enum { LIGHT_SHARED = 0x11, HEAVY_SHR3_ON_MUL = 0x24, END_IN_PLACE = 0x69 };

void
body_map(struct graph *graph)
{
	struct body body;

	open_body(&body, graph);
}

void
body_heavy(struct graph *graph)
{
	struct body body;

	open_body(&body, graph);
	count_pass(&body);
	body.constants.power[13] = body.power13_r4;
	for (int t = 0; t < ROUNDS; t++) {
		add_round(&body, t, SIGMA0_NESTED);
		shift_word(&body, t);
		schedule_word(&body, t, HEAVY_SHR3_ON_MUL >> t & 1);
	}
}

void
body_light(struct graph *graph)
{
	struct body body;

	open_body(&body, graph);
	count_pass(&body);
	for (int t = 0; t < ROUNDS; t++) {
		add_round(&body, t,
			  LIGHT_SHARED >> t & 1 ? SIGMA0_SHARED :
						  SIGMA0_NESTED);
		shift_word(&body, t);
		load_word(&body, t);
	}
	load_power13(&body);
}

void
body_end(struct graph *graph)
{
	struct body body;
	int sum[8];

	open_body(&body, graph);
	for (int row = 0; row < 8; row++)
		sum[row] = feed_forward(&body, row, END_IN_PLACE >> row & 1);
	graph_rehouse(graph, graph_xor(graph, sum[1], sum[2], "b^c"),
		      body.carried);
	const int fewer = graph_add(graph, QPU_ADD_SUB, graph_read(body.left),
				    graph_immediate(1), "blocks left");

	graph_rehouse(graph, fewer, body.left);
	graph->ops[graph->values[fewer].writer].sets_flags = true;
	graph_wanted_by(graph, 0.7);
	/* Word 64 of the constants is their address. */
	const int again = graph_op(graph, UNIT_EITHER, QPU_ADD_OR,
				   QPU_MUL_V8MIN, graph_uniform(),
				   graph_uniform(), -1, "K again");

	graph->ops[again].port = PORT_UNIFORMS;
}
