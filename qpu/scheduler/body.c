/* SPDX-License-Identifier: MIT */
/* body: registers, rounds and words as operations; FIPS 180-4, 6.2.2. */
#include "config.h"

#include "qpu/scheduler/body.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/ops.h"

/* Registers are given out from the top: temporaries take the low ones. */
struct files {
	struct graph *graph;
	int next[2];
};

static int
fixed(struct files *files, enum place place, const char *name, int number)
{
	char text[GRAPH_TEXT];

	if (number < 0)
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "%s_%d", name, number);
	return graph_fixed(files->graph, text, place, files->next[place]--);
}

/* Fix n registers: those with a bit in the mask are in A, the others in B. */
static void
fixed_row(struct files *files, const char *name, unsigned in_a, int n,
	  int *values)
{
	for (int i = 0; i < n; i++)
		values[i] = fixed(files, in_a >> i & 1 ? PLACE_A : PLACE_B,
				  name, i);
}

void
body_open(struct body *body, struct graph *graph)
{
	static const int powers[] = { 6, 9, 10, 11, 13, 14, 15 };
	/*
	 * a and e in A, as immediates rotate them and an immediate takes the
	 * B port; b, f and g in B, since a^b, e&f and e&g read both; the
	 * words in A, for the unpacks and rotations, but for w_0.
	 */
	enum { STATE_IN_A = 0x11, CHAIN_IN_A = 0x6c, WINDOW_IN_A = 0xfffe };
	struct files files = { graph, { 31, 31 } };

	memset(body, 0, sizeof(*body));
	graph_clear(graph);
	body->graph = graph;
	body->ones = graph_fixed(graph, "ones", PLACE_R5, 5);
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++)
		body->power[powers[i]] =
			fixed(&files, PLACE_B, "power", powers[i]);
	body->constant = fixed(&files, PLACE_B, "constant", -1);
	body->power13_r4 = graph_value(graph);
	graph->values[body->power13_r4].place = PLACE_R4;
	fixed_row(&files, "state", STATE_IN_A, 8, body->state);
	fixed_row(&files, "chain", CHAIN_IN_A, 8, body->chain);
	fixed_row(&files, "w", WINDOW_IN_A, BODY_WORDS, body->window);
	memcpy(body->word, body->window, sizeof(body->window));
	body->carried = fixed(&files, PLACE_B, "b_xor_c", -1);
	body->passes = fixed(&files, PLACE_A, "passes", -1);
	body->data = fixed(&files, PLACE_A, "data", -1);
	body->left = fixed(&files, PLACE_A, "left", -1);
	body->job = fixed(&files, PLACE_B, "job", -1);

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
	body->last_load = -1;
	body->loaded = -1;
}

/* Slots from a request to its load: a cache hit takes 8, the other QPU of the
 * TMU and some luck with memory the others. */
enum { REQUEST_DISTANCE = 20 };

static int
halve_and_rotate(struct body *body, int x, int count, const char *what)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "%s upper", what);
	const int upper = ops_upper_half(body->graph, x, body->ones, text);

	return ops_ror_on_mul(body->graph, x, count, upper,
			      body->power[32 - count], what);
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
	return ops_sum(body->graph, body->h, value, "T1 +h");
}

/* Ch = (e & f) + (~e & g); ~e & g = g - (e & g), a subset of g's bits. */
static int
round_ch(struct body *body)
{
	const int ef = ops_and(body->graph, body->fresh_e, body->f, "Ch e&f");
	const int eg = ops_and(body->graph, body->fresh_e, body->g, "Ch e&g");
	const int rest = ops_either(body->graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				    graph_read(body->g), graph_read(eg),
				    "Ch g-(e&g)");

	return ops_join(body->graph, graph_read(ef), graph_read(rest), "Ch");
}

/* Sigma1 = ror6(e ^ ror19(e ^ ror18(e))): 6, 25 = 6+19, 11 = 6+19+18-32. */
static int
round_sigma1(struct body *body)
{
	int x = ops_ror(body->graph, body->fresh_e, 18, "S1 ror18");

	x = ops_xor(body->graph, body->fresh_e, x, "S1 e^");
	x = halve_and_rotate(body, x, 19, "S1");
	x = ops_xor(body->graph, body->e, x, "S1 e^");
	return ops_ror(body->graph, x, 6, "S1 ror6");
}

/* Sigma0 = ror22(a ^ ror23(a ^ ror21(a))): 22, 13 = 22+23-32, 2. */
static int
nested_sigma0(struct body *body)
{
	int x = ops_ror(body->graph, body->fresh_a, 21, "S0 ror21");

	x = ops_xor(body->graph, body->fresh_a, x, "S0 a^");
	x = halve_and_rotate(body, x, 23, "S0");
	x = ops_xor(body->graph, body->a, x, "S0 a^");
	return ops_ror(body->graph, x, 22, "S0 ror22");
}

/* Sigma0 = ror22(a) ^ ror13(a ^ ror21(a)): 2 = 13+21-32. */
static int
shared_sigma0(struct body *body)
{
	const int upper =
		ops_upper_half(body->graph, body->a, body->ones, "S0 upper");
	const int r21 = ops_ror_on_mul(body->graph, body->a, 21, upper,
				       body->power[11], "S0");
	const int r22 = ops_ror_on_mul(body->graph, body->a, 22, upper,
				       body->power[10], "S0");
	const int x = ops_xor(body->graph, body->a, r21, "S0 a^");

	return ops_xor(body->graph, r22,
		       ops_ror(body->graph, x, 13, "S0 ror13"), "S0");
}

/* Maj = ((a ^ b) & (b ^ c)) ^ b; this a ^ b is the next round's b ^ c. */
static int
round_maj(struct body *body, bool last)
{
	const int a_xor_b =
		ops_xor(body->graph, body->fresh_a, body->b, "Maj a^b");

	if (last)
		graph_rehouse(body->graph, a_xor_b, body->carried);
	const int both =
		ops_and(body->graph, a_xor_b, body->b_xor_c, "Maj &(b^c)");

	body->b_xor_c = a_xor_b;
	return ops_xor(body->graph, body->b, both, "Maj");
}

void
body_round(struct body *body, int t, enum body_sigma0 how)
{
	struct graph *graph = body->graph;
	const bool last = t == BODY_ROUNDS - 1;
	const double done = (t + 1) / (double)BODY_ROUNDS;

	graph->round = t;
	int t1 = round_constant(body, t);
	const int ch = round_ch(body);

	t1 = ops_sum(body->graph, t1, ch, "T1 +Ch");
	t1 = ops_sum(body->graph, t1, round_sigma1(body), "T1");
	const int new_e = ops_sum(body->graph, body->d, t1, "e=d+T1");

	ops_wanted_by(body->graph, done);
	const int sigma0 = how == SIGMA0_SHARED ? shared_sigma0(body) :
						  nested_sigma0(body);
	const int t2 =
		ops_sum(body->graph, sigma0, round_maj(body, last), "T2");
	const int new_a = ops_sum(body->graph, t1, t2, "a=T1+T2");

	ops_wanted_by(body->graph, done + 0.017);
	/* The dying d and h give their registers to the new e and a.  These
	 * are made in accumulators, as many operations read them at once. */
	int e = new_e, a = new_a;

	if (!last) {
		e = ops_move(body->graph, new_e, "e");
		ops_wanted_by(body->graph, done + 0.017);
	}
	graph_rehouse(graph, e, body->d);
	if (!last) {
		a = ops_move(body->graph, new_a, "a");
		ops_wanted_by(body->graph, done + 0.033);
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

void
body_shift(struct body *body, int t)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "w%d=w%d", t, t + 8);
	const int moved = ops_move(body->graph, body->window[t + 8], text);

	graph_rehouse(body->graph, moved, body->window[t]);
	body->shift_op = body->graph->values[moved].writer;
	ops_wanted_by(body->graph, (t + 1) / (double)BODY_ROUNDS);
}

/* sigma1 = ror17 ^ ror19 ^ shr10, all from one upper half. */
static int
word_sigma1(struct body *body, int x)
{
	const struct operand_source power6 = graph_read(body->power[6]);
	const int upper =
		ops_upper_half(body->graph, x, body->ones, "s1 upper");
	const int r19 = ops_ror_on_mul(body->graph, x, 19, upper,
				       body->power[13], "s1");
	const int r17 = ops_ror_on_mul(body->graph, x, 17, upper,
				       body->power[15], "s1");
	const int both = ops_xor(body->graph, r17, r19, "s1 ^");

	/* shr10: upper * 2^6 has bits 6..21, the rest is byte 1 of
	 * x.8b * 2^6, bits 0..5. */
	const int above = ops_mul(body->graph, QPU_MUL_MUL24, graph_read(upper),
				  power6, "s1 upper*2^6");
	const int below = ops_mul(body->graph, QPU_MUL_MUL24,
				  graph_unpacked(x, QPU_UNPACK_8B), power6,
				  "s1 x.8b*2^6");
	const int r10 = ops_join(body->graph, graph_read(above),
				 graph_unpacked(below, QPU_UNPACK_8B),
				 "s1 shr10");

	return ops_xor(body->graph, both, r10, "s1");
}

/*
 * x >> 3 without the add ALU, given upper = x >> 16: upper * 2^13 has its
 * upper half, and the upper half of x * 2^13 is its lower one, which replaces
 * that of the product.
 */
static int
shr3_on_mul(struct body *body, int x, int upper)
{
	struct graph *graph = body->graph;
	const struct operand_source power = graph_read(body->power[13]);
	const int high = ops_mul(body->graph, QPU_MUL_MUL24, graph_read(upper),
				 power, "s0 upper*2^13");
	const int low = ops_mul(body->graph, QPU_MUL_MUL24, graph_read(x),
				power, "s0 lower*2^13");
	const struct operand_source half = graph_unpacked(low, QPU_UNPACK_16B);
	const int both = ops_either(body->graph, QPU_ADD_OR, QPU_MUL_V8MIN,
				    half, half, "s0 shr3");
	const int op = graph->values[both].writer;

	graph->ops[op].pack = QPU_PACK_16A;
	graph_rehouse(graph, both, high);
	graph->values[high].needs_a = true;
	graph_order(graph, op, graph->values[high].writer, 1);
	return both;
}

/* sigma0 = ror7 ^ ror18 ^ shr3 */
static int
word_sigma0(struct body *body, int x, bool on_mul)
{
	const int upper =
		ops_upper_half(body->graph, x, body->ones, "s0 upper");
	const int r18 = ops_ror_on_mul(body->graph, x, 18, upper,
				       body->power[14], "s0");
	const int r3 = on_mul ? shr3_on_mul(body, x, upper) :
				ops_add(body->graph, QPU_ADD_SHR, graph_read(x),
					graph_immediate(3), "s0 shr3");
	const int r7 = ops_ror(body->graph, x, 7, "s0 ror7");

	return ops_xor(body->graph, ops_xor(body->graph, r18, r7, "s0 ^"), r3,
		       "s0");
}

void
body_schedule(struct body *body, int t, bool shr3_on_mul)
{
	struct graph *graph = body->graph;
	const int sigma1 = word_sigma1(body, body->word[t + 14]);
	const int sigma0 = word_sigma0(body, body->word[t + 1], shr3_on_mul);
	int sum = ops_sum(body->graph, body->word[t], sigma0, "W w0+s0");

	sum = ops_sum(body->graph, sum, body->word[t + 9], "W +w9");
	const int word = ops_sum(graph, sum, sigma1, "W +s1");

	graph_rehouse(graph, word, body->window[t + 8]);
	ops_wanted_by(body->graph, (t + 1) / (double)BODY_ROUNDS);
	body->word[BODY_WORDS + t] = word;
}

/* Step on by a subtraction, since -16 is an immediate and 16 is none. */
static void
step_address(struct body *body)
{
	const int next = graph_value(body->graph);

	graph_rehouse(body->graph, next, body->address);
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
	const int part = graph_value(graph);

	graph_rehouse(graph, part, home);
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
	const int x = ops_move(body->graph, body->loaded, "swap x");

	put_byte(body, graph_read(body->loaded), QPU_PACK_8D, word,
		 "swap byte 0");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8B), QPU_PACK_8C, word,
		 "swap byte 1");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8C), QPU_PACK_8B, word,
		 "swap byte 2");
	put_byte(body, graph_unpacked(x, QPU_UNPACK_8D), QPU_PACK_8A, word,
		 "swap byte 3");
	graph_rehouse(body->graph, word, body->window[t + 8]);
}

/* A load of r4, after the last one and everything that still reads that. */
static int
load_r4(struct body *body, enum op_port tmu, const char *text)
{
	struct graph *graph = body->graph;
	const int was_loaded = body->loaded;
	const int loaded = graph_value(graph);

	graph->values[loaded].place = PLACE_R4;
	const int load = graph_op(graph, UNIT_SIGNAL, 0, 0, graph_immediate(0),
				  graph_immediate(0), loaded, text);

	graph->ops[load].port = tmu;
	if (body->last_load >= 0)
		graph_order(graph, load, body->last_load, 1);
	for (unsigned i = 0;
	     was_loaded >= 0 && i < graph->values[was_loaded].nreaders; i++)
		graph_order(graph, load, graph->values[was_loaded].readers[i],
			    0);
	body->last_load = load;
	body->loaded = loaded;
	return load;
}

void
body_load(struct body *body, int t)
{
	struct graph *graph = body->graph;
	const int load = load_r4(body, PORT_TMU0, "load");

	ops_wanted_by(body->graph, (t + 0.5) / BODY_ROUNDS);
	if (t == 4)
		step_address(body);
	const int ask = request(body, t);

	ops_wanted_by(body->graph, (t + 0.5) / BODY_ROUNDS + 0.03);
	if (body->last_request >= 0)
		graph_order(graph, ask, body->last_request, 1);
	graph_order(graph, ask, load, 1);
	if (t >= 4)
		graph_order(graph, load, body->request[t - 4],
			    REQUEST_DISTANCE);
	body->last_request = ask;
	body->request[t] = ask;
	swap_bytes(body, t);
	if (t == BODY_ROUNDS - 1)
		step_address(body);
}

void
body_constant(struct body *body)
{
	struct graph *graph = body->graph;
	const struct operand_source address = graph_read(body->constant);

	graph->round = -1;
	const int ask = graph_op(graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
				 address, address, -1, "request 2^13");

	graph->ops[ask].port = PORT_TMU1;
	ops_wanted_by(body->graph, 0.7);
	graph_order(graph, load_r4(body, PORT_TMU1, "load 2^13"), ask,
		    REQUEST_DISTANCE);
}

void
body_count(struct body *body)
{
	const int rest = graph_value(body->graph);

	graph_rehouse(body->graph, rest, body->passes);
	const int op = graph_op(body->graph, UNIT_ADD, QPU_ADD_ROR, 0,
				graph_read(body->passes), graph_immediate(4),
				rest, "pass");

	body->graph->ops[op].sets_flags = true;
	ops_wanted_by(body->graph, 0.97);
}

/* Overwrite a fixed value by a copy. */
static void
copy_home(struct body *body, int from, int home, const char *text)
{
	graph_rehouse(body->graph, ops_move(body->graph, from, text), home);
}

/* One row: the chaining value grows by the state, and the state starts from
 * it.  Returns the value that is the new state. */
static int
feed_forward(struct body *body, int row, bool in_place)
{
	struct graph *graph = body->graph;
	int state = body->state[row];

	if (graph_place(graph, state) == graph_place(graph, body->chain[row]))
		state = ops_move(graph, state, "port");
	const int sum = ops_sum(graph, body->chain[row], state, "H+");

	if (in_place)
		graph_rehouse(graph, sum, body->chain[row]);
	copy_home(body, sum, body->state[row], "state=H");
	if (!in_place)
		copy_home(body, sum, body->chain[row], "H=");
	return sum;
}

void
body_end(struct body *body, unsigned in_place)
{
	struct graph *graph = body->graph;
	int sum[8];

	for (int row = 0; row < 8; row++)
		sum[row] = feed_forward(body, row, in_place >> row & 1);
	graph_rehouse(graph, ops_xor(graph, sum[1], sum[2], "b^c"),
		      body->carried);
	const int fewer = ops_add(graph, QPU_ADD_SUB, graph_read(body->left),
				  graph_immediate(1), "blocks left");

	graph_rehouse(graph, fewer, body->left);
	graph->ops[graph->values[fewer].writer].sets_flags = true;
	ops_wanted_by(graph, 0.7);
	/* Word 64 of the constants is their address. */
	const int again = graph_op(graph, UNIT_EITHER, QPU_ADD_OR,
				   QPU_MUL_V8MIN, graph_uniform(),
				   graph_uniform(), -1, "K again");

	graph->ops[again].port = PORT_UNIFORMS;
}
