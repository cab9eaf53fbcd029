/* SPDX-License-Identifier: MIT */
/*
 * ops: operations that the bodies of all kernels are made of.
 *
 * Each function appends to the graph and returns the value that is new.  A
 * rotation of which the mul ALU does a part takes upper = x >> 16 as well.
 */
#ifndef QPU_SCHEDULER_OPS_H
#define QPU_SCHEDULER_OPS_H

#include "qpu/scheduler/graph.h"

/* An operation that only one ALU can do, or that either can do. */
int
ops_add(struct graph *graph, int add_op, struct operand_source a,
	struct operand_source b, const char *text);
int
ops_mul(struct graph *graph, int mul_op, struct operand_source a,
	struct operand_source b, const char *text);
int
ops_either(struct graph *graph, int add_op, int mul_op, struct operand_source a,
	   struct operand_source b, const char *text);

/* Words without common bits: or and byte-wise addition do the same. */
int
ops_join(struct graph *graph, struct operand_source a, struct operand_source b,
	 const char *text);

/* A copy: a new value, or one that is there. */
int
ops_move(struct graph *graph, int value, const char *text);
void
ops_move_to(struct graph *graph, int value, int from, const char *text);

int
ops_ror(struct graph *graph, int x, int count, const char *text);
int
ops_xor(struct graph *graph, int a, int b, const char *text);
int
ops_and(struct graph *graph, int a, int b, const char *text);
int
ops_sum(struct graph *graph, int a, int b, const char *text);

/* Values that are there from the start: 0xffff, and power[k] = 2^k where there
 * is one. */
struct ops_constants {
	int ones;
	int power[16];
};

int
ops_upper_half(struct graph *graph, const struct ops_constants *constants,
	       int x, const char *text);

/*
 * ror(x, count) for 17 <= count <= 24 on the mul ALU; `what` names x in the
 * comments.
 */
int
ops_ror_on_mul(struct graph *graph, const struct ops_constants *constants,
	       int x, int count, int upper, const char *what);

/* x >> 10, of sigma1. */
int
ops_shr10_on_mul(struct graph *graph, const struct ops_constants *constants,
		 int x, int upper);

/* sigma0 of FIPS 180-4, 4.1.2; its shift by 3 on the mul ALU or not. */
int
ops_sigma0(struct graph *graph, const struct ops_constants *constants, int x,
	   bool shr3_on_mul);

/* What r4 holds, and the operation that loaded it; -1: none. */
struct ops_r4 {
	int loaded, last_load;
};

/* A load of r4, after the last one and everything that still reads that.
 * Returns the operation. */
int
ops_load(struct graph *graph, struct ops_r4 *r4, enum op_port tmu,
	 const char *text);

/* The last operation is to be done by this fraction of the section. */
void
ops_wanted_by(struct graph *graph, double fraction);

#endif
