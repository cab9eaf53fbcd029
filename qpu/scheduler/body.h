/* SPDX-License-Identifier: MIT */
/*
 * body: the fixed registers of the optimised kernel, and the building blocks
 * of its sections as operations: a round, a schedule word, a loaded word.
 *
 * Every function appends to the graph.  What it may assume of FIPS 180-4 is
 * said at each; the sections put them together.
 */
#ifndef QPU_SCHEDULER_BODY_H
#define QPU_SCHEDULER_BODY_H

#include "qpu/scheduler/graph.h"

enum { BODY_ROUNDS = 8, BODY_WORDS = 16 };

/* Numbers of values in the graph. */
struct body {
	struct graph *graph;
	int ones;		/* r5: 0xffff */
	int power[16];		/* power[k] = 2^k, where there is one */
	int state[8];		/* registers of a..h when a pass starts */
	int chain[8];		/* H(i) of 6.2.2 */
	int window[BODY_WORDS]; /* registers of w_0..w_15 */
	int word[BODY_WORDS + BODY_ROUNDS]; /* W as the pass sees it */
	int carried;			    /* b^c from pass to pass */
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
	int shift_op;	   /* operation of the last body_shift */

	/* The TMU pipeline. */
	int address; /* of the next four words */
	int request[BODY_ROUNDS];
	int last_request; /* operations, or -1 */
	int last_load;
	int loaded; /* the value in r4, or -1 */
};

/* A graph with the fixed values only. */
void
body_open(struct body *body, struct graph *graph);

/* How many rotations of Sigma0 the mul ALU does: more of them cost more
 * operations, and fewer on the add ALU. */
enum body_sigma0 {
	SIGMA0_NESTED, /* one: 4 add + 4 mul */
	SIGMA0_SHARED  /* two, of the same upper half: 3 add + 7 mul */
};

/* Round t = 0..7 of a pass. */
void
body_round(struct body *body, int t, enum body_sigma0 how);

/* w_t takes what w_{t+8} was: its register is free for a new word. */
void
body_shift(struct body *body, int t);

/* W[16 + t] from the window, into the register of w_{t+8}; the shift by 3 of
 * sigma0 on the mul ALU or not. */
void
body_schedule(struct body *body, int t, bool shr3_on_mul);

/* Word t of the pass from the TMU, and the request of word t + 4. */
void
body_load(struct body *body, int t);

/* 2^13 from memory to r4, after the words of a light pass: the heavy pass
 * reads it as an operand that takes no port of a register file. */
void
body_constant(struct body *body);

/* The loop counter: N set means that the pass is to be repeated. */
void
body_count(struct body *body);

/* Feed-forward, the counter of blocks, uniforms of the next block.  A bit of
 * in_place: that row is added in place, not by way of a temporary. */
void
body_end(struct body *body, unsigned in_place);

#endif
