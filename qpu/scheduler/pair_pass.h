/* SPDX-License-Identifier: MIT */
/*
 * pair_pass: what every pass of the pair kernel has: fixed registers, lanes that
 * cross, the stream of uniforms, lookups, counters.
 */
#ifndef QPU_SCHEDULER_PAIR_PASS_H
#define QPU_SCHEDULER_PAIR_PASS_H

#include <stdbool.h>

#include "qpu/scheduler/graph.h"

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

/* A graph with the fixed values only. */
void
pass_map(struct pair_pass *pass, struct graph *graph);

/* Begins a pass of 4 or 8 pairs of words: uniforms are reset, indices clamped,
 * and the counters go on; one of 4 pairs loads data, too. */
void
pass_open(struct pair_pass *pass, struct graph *graph, int pairs);

/* The operation that was added last. */
int
pass_last_op(const struct pair_pass *pass);

/* It is to be done by this fraction of the pass. */
void
pass_wanted_by(struct pair_pass *pass, double fraction);

/* A value that takes over the register of another; and its copy from one. */
int
pass_heir(struct pair_pass *pass, int home);
void
pass_move_to(struct pair_pass *pass, int value, int from, const char *text);

/* A lanes get a of the B lane, B lanes b of the A lane; home may be -1. */
int
pass_cross(struct pair_pass *pass, int a, int b, int home, const char *text);

/* A load of r4, after the last one and everything that still reads that:
 * pass->loaded.  Returns the operation. */
int
pass_load(struct pair_pass *pass, enum pass_memory memory);

/* Asks for pair k of the pass to come, after a load has made room for it. */
void
pass_request(struct pair_pass *pass, enum pass_memory memory, int k, int room);

/* w + K of rounds 2k and 2k + 1: pass->sum. */
void
pass_constants(struct pair_pass *pass, int k);

#endif
