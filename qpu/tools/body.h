/* SPDX-License-Identifier: MIT */
/*
 * body: the fixed registers of the optimised kernel, and the building blocks
 * of its sections as operations: a round, a schedule word, a loaded word.
 *
 * Every function appends to the graph.  What it may assume of FIPS 180-4 is
 * said at each; the sections put them together.
 */
#ifndef QPU_TOOLS_BODY_H
#define QPU_TOOLS_BODY_H

#include "qpu/tools/graph.h"

enum { BODY_ROUNDS = 8, BODY_WORDS = 16 };

/* Numbers of values in the graph. */
struct body {
	struct graph *graph;
	int ones;		/* r5: 0xffff */
	int power[16];		/* power[k] = 2^k, where there is one */
	int even;		/* 0x00ff00ff: bytes 0 and 2 */
	int state[8];		/* registers of a..h when a pass starts */
	int chain[8];		/* H(i) of 6.2.2 */
	int window[BODY_WORDS];	/* registers of w_0..w_15 */
	int word[BODY_WORDS + BODY_ROUNDS];	/* W as the pass sees it */
	int carried;		/* b^c from pass to pass */
	int passes;		/* a nibble for each pass of a block */
	int data;		/* addresses of the lanes */
	int left;		/* blocks of the lanes, less one */
	int job;

	/* The working variables of the round to come. */
	int a, b, c, d, e, f, g, h;
	int fresh_a, fresh_e;	/* before they were copied to a register */
	int b_xor_c;
	int last_constant;	/* operation that read a uniform, or -1 */

	/* The TMU pipeline. */
	int address;		/* of the next four words */
	int request[BODY_ROUNDS];
	int last_request;	/* operations, or -1 */
	int last_load;
	int loaded;		/* the value in r4, or -1 */
};

/* A graph with the fixed values only. */
void body_open(struct body *body, struct graph *graph);

/* Round t = 0..7 of a pass; ror 22 of Sigma0 on the mul ALU or not. */
void body_round(struct body *body, int t, bool ror22_on_mul);

/* w_t takes what w_{t+8} was: its register is free for a new word. */
void body_shift(struct body *body, int t);

/* W[16 + t] from the window, into the register of w_{t+8}. */
void body_schedule(struct body *body, int t);

/* Word t of the pass from the TMU, and the request of word t + 4. */
void body_load(struct body *body, int t);

/* The loop counter: N set means that the pass is to be repeated. */
void body_count(struct body *body);

/* Feed-forward of lane-masked state, counters, uniforms of the next block.
 * A bit of in_place: that row is added in place, under the mask. */
void body_end(struct body *body, unsigned in_place);

#endif
