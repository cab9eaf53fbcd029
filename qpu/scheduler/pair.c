/* SPDX-License-Identifier: MIT */
/*
 * pair: rounds and words for two lanes a message.  A lanes have e f g h as s0
 * to s3, B lanes a b c d; Z is set in A lanes at all times.
 */
#include "config.h"

#include "qpu/scheduler/pair.h"

#include "qpu/isa/isa.h"
#include "qpu/scheduler/ops.h"
#include "qpu/scheduler/pair_pass.h"

void
pair_map(struct graph *graph)
{
	struct pair_pass pass;

	pass_map(&pass, graph);
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
	const int both = ops_and(graph, pass->fresh, s[1], "s0&s1");
	const int rest0 = ops_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				     graph_read(pass->fresh), graph_read(both),
				     "s0-");
	const int rest1 = ops_either(graph, QPU_ADD_SUB, QPU_MUL_V8SUBS,
				     graph_read(s[1]), graph_read(both), "s1-");
	const int p_b =
		ops_join(graph, graph_read(rest0), graph_read(rest1), "p of B");
	const int op = pass_last_op(pass);
	const int p = pass_heir(pass, p_b);

	graph_op(graph, UNIT_EITHER, QPU_ADD_SUB, QPU_MUL_V8SUBS,
		 graph_immediate(-1), graph_read(pass->fresh), p, "p of A");
	graph->ops[pass_last_op(pass)].cond = QPU_COND_ZS;
	graph_order(graph, pass_last_op(pass), op, 1);
	const int masked = ops_and(graph, s[2], p, "s2&p");

	return ops_join(graph, graph_read(both), graph_read(masked), "Ch");
}

static int
rotate(struct pair_pass *pass, int x, int i)
{
	return ops_add(pass->graph, QPU_ADD_ROR, graph_read(x),
		       graph_read(pass->sigma[i]), "S ror");
}

/* Sigma = ror(s0 ^ ror(s0 ^ ror(s0))) by the rotations of the lane. */
static int
sigma(struct pair_pass *pass)
{
	int x = rotate(pass, pass->fresh, 0);

	x = ops_xor(pass->graph, pass->fresh, x, "S ^");
	x = rotate(pass, x, 1);
	x = ops_xor(pass->graph, pass->state[0], x, "S ^");
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
	const int h = ops_sum(graph, pass->sum[t & 1], s[3], "h+w+K");
	const int ch = ch_maj(pass);
	const int ch_h = pass_heir(pass, ch);

	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(ch), graph_read(h),
		 ch_h, "Ch+");
	graph->ops[pass_last_op(pass)].cond = QPU_COND_ZS;
	const int sum = ops_sum(graph, sigma(pass), ch_h, "T1|T2");
	const int crossed = pass_cross(pass, s[3], sum, -1, "d|T1");
	int s0;

	/* It is made in an accumulator, as many operations read it at once. */
	if (t < n - 1) {
		pass->fresh = ops_sum(graph, sum, crossed, "new s0");
		pass_wanted_by(pass, done);
		s0 = pass_heir(pass, s[3]);
		pass_move_to(pass, s0, pass->fresh, "s0");
		pass_wanted_by(pass, done + 0.02);
	} else {
		s0 = pass_heir(pass, s[3]);
		graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
			 graph_read(crossed), s0, "new s0");
		pass_wanted_by(pass, done);
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
	pass->fresh = ops_move(pass->graph, pass->state[0], "s0");
}

/* sigma1 = ror17 ^ ror19 ^ shr10, all from one upper half. */
static int
word_sigma1(struct pair_pass *pass, int x)
{
	struct graph *graph = pass->graph;
	const int upper = ops_upper_half(graph, x, pass->ones, "s1 upper");
	const int r19 =
		ops_ror_on_mul(graph, x, 19, upper, pass->power[13], "s1");
	const int r17 =
		ops_ror_on_mul(graph, x, 17, upper, pass->power[15], "s1");
	const struct operand_source power6 = graph_read(pass->power[6]);

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
word_sigma0(struct pair_pass *pass, int x)
{
	struct graph *graph = pass->graph;
	const int r7 = ops_ror(graph, x, 7, "s0 ror7");
	const int upper = ops_upper_half(graph, x, pass->ones, "s0 upper");
	const int r18 =
		ops_ror_on_mul(graph, x, 18, upper, pass->power[14], "s0");
	const int r3 = ops_add(graph, QPU_ADD_SHR, graph_read(x),
			       graph_immediate(3), "s0 shr3");

	return ops_xor(graph, ops_xor(graph, r18, r7, "s0 ^"), r3, "s0");
}

/* w_(k+8) from the window, into the register of w_k, and x_(k+7). */
static void
schedule_words(struct pair_pass *pass, int k)
{
	struct graph *graph = pass->graph;
	int *w = pass->w, *x = pass->x;

	graph->round = 2 * k;
	const int sigma1 = word_sigma1(pass, w[k + 7]);
	int sum = ops_sum(graph, w[k], word_sigma0(pass, x[k]), "w +s0");

	sum = ops_sum(graph, sum, x[k + 4], "w +x");
	w[k + 8] = pass_heir(pass, w[k]);
	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(sum),
		 graph_read(sigma1), w[k + 8], "w +s1");
	pass_wanted_by(pass, (k + 1) / pass->pairs);
	x[k + 7] = pass_cross(pass, w[k + 7], w[k + 8], k ? x[k - 1] : -1, "x");
	pass_wanted_by(pass, (k + 1.2) / pass->pairs);
}

void
pair_heavy(struct graph *graph)
{
	struct pair_pass pass;

	pass_open(&pass, graph, 8);
	start_rounds(&pass);
	for (int k = 0; k < 8; k++) {
		graph->round = 2 * k;
		pass_constants(&pass, k);
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
	const int x = ops_move(graph, pass->loaded, "swap");
	int word = home;

	for (int i = 0; i < 4; i++) {
		const struct operand_source byte =
			i ? graph_unpacked(x, rows[i].unpack) :
			    graph_read(pass->loaded);

		word = pass_heir(pass, word);
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
	w[k] = pass_heir(pass, w[k]);
	pass_move_to(pass, w[k], w[k + 4], "w=w4");
	pass_wanted_by(pass, (k + 0.8) / pass->pairs);
	words->moved = pass_last_op(pass);
	const int op = pass_load(pass, MEMORY_DATA);

	pass_wanted_by(pass, (k + 0.5) / pass->pairs);
	pass_request(pass, MEMORY_DATA, k, op);
	pass_wanted_by(pass, (k + 0.55) / pass->pairs);
	w[k + 4] = swap_bytes(pass, w[k + 4], words);
	if (k > 0) {
		x[k - 1] = pass_heir(pass, x[k - 1]);
		pass_move_to(pass, x[k - 1], x[k + 3], "x=x4");
		pass_wanted_by(pass, (k + 0.6) / pass->pairs);
	}
	x[k + 3] = pass_cross(pass, before, w[k + 4], x[k + 3], "x");
	pass_wanted_by(pass, (k + 1) / pass->pairs);
	after_bytes(pass, pass_last_op(pass), words->complete);
	if (k > 0)
		after_bytes(pass, pass_last_op(pass) - 1, last.complete);
}

void
pair_light(struct graph *graph)
{
	struct words words = { .moved = -1 };
	struct pair_pass pass;

	pass_open(&pass, graph, 4);
	start_rounds(&pass);
	for (int k = 0; k < 4; k++) {
		graph->round = 2 * k;
		pass_constants(&pass, k);
		round_of(&pass, 2 * k, 8);
		load_words(&pass, k, &words);
		round_of(&pass, 2 * k + 1, 8);
	}
}
