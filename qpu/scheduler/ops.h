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

int
ops_move(struct graph *graph, int value, const char *text);

int
ops_ror(struct graph *graph, int x, int count, const char *text);
int
ops_xor(struct graph *graph, int a, int b, const char *text);
int
ops_and(struct graph *graph, int a, int b, const char *text);
int
ops_sum(struct graph *graph, int a, int b, const char *text);

/* The upper half of x; ones is 0xffff. */
int
ops_upper_half(struct graph *graph, int x, int ones, const char *text);

/*
 * ror(x, count) for 17 <= count <= 24 on the mul ALU; power is 2^(32 - count),
 * and `what` names x in the comments.
 */
int
ops_ror_on_mul(struct graph *graph, int x, int count, int upper, int power,
	       const char *what);

/* The last operation is to be done by this fraction of the section. */
void
ops_wanted_by(struct graph *graph, double fraction);

#endif
