/* SPDX-License-Identifier: MIT */
/* ops: operations by what they compute. */
#include "config.h"

#include "qpu/scheduler/ops.h"

#include <stdio.h>

#include "qpu/isa/isa.h"

int
ops_add(struct graph *graph, int add_op, struct operand_source a,
	struct operand_source b, const char *text)
{
	const int value = graph_value(graph);

	graph_op(graph, UNIT_ADD, add_op, 0, a, b, value, text);
	return value;
}

int
ops_mul(struct graph *graph, int mul_op, struct operand_source a,
	struct operand_source b, const char *text)
{
	const int value = graph_value(graph);

	graph_op(graph, UNIT_MUL, 0, mul_op, a, b, value, text);
	return value;
}

int
ops_either(struct graph *graph, int add_op, int mul_op, struct operand_source a,
	   struct operand_source b, const char *text)
{
	const int value = graph_value(graph);

	graph_op(graph, UNIT_EITHER, add_op, mul_op, a, b, value, text);
	return value;
}

int
ops_join(struct graph *graph, struct operand_source a, struct operand_source b,
	 const char *text)
{
	return ops_either(graph, QPU_ADD_OR, QPU_MUL_V8ADDS, a, b, text);
}

int
ops_move(struct graph *graph, int value, const char *text)
{
	return ops_either(graph, QPU_ADD_OR, QPU_MUL_V8MIN, graph_read(value),
			  graph_read(value), text);
}

int
ops_ror(struct graph *graph, int x, int count, const char *text)
{
	return ops_add(graph, QPU_ADD_ROR, graph_read(x),
		       graph_immediate(count), text);
}

int
ops_xor(struct graph *graph, int a, int b, const char *text)
{
	return ops_add(graph, QPU_ADD_XOR, graph_read(a), graph_read(b), text);
}

int
ops_and(struct graph *graph, int a, int b, const char *text)
{
	return ops_add(graph, QPU_ADD_AND, graph_read(a), graph_read(b), text);
}

int
ops_sum(struct graph *graph, int a, int b, const char *text)
{
	return ops_add(graph, QPU_ADD_ADD, graph_read(a), graph_read(b), text);
}

/* The unpack extends the sign, ones cuts it off. */
int
ops_upper_half(struct graph *graph, int x, int ones, const char *text)
{
	return ops_either(graph, QPU_ADD_AND, QPU_MUL_V8MIN,
			  graph_unpacked(x, QPU_UNPACK_16B), graph_read(ones),
			  text);
}

/*
 * With n = 32 - count in 8..15, x * 2^n is ror's upper part (mul24 takes 24
 * bits: the others are shifted out since n >= 8), and the bits of upper * 2^n
 * above 16 are the part that comes in below 2^n; the two are disjoint.
 */
int
ops_ror_on_mul(struct graph *graph, int x, int count, int upper, int power,
	       const char *what)
{
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "%s upper*2^%d", what, 32 - count);
	const int high = ops_mul(graph, QPU_MUL_MUL24, graph_read(upper),
				 graph_read(power), text);
	snprintf(text, sizeof(text), "%s lower*2^%d", what, 32 - count);
	const int low = ops_mul(graph, QPU_MUL_MUL24, graph_read(x),
				graph_read(power), text);
	snprintf(text, sizeof(text), "%s ror%d", what, count);
	return ops_join(graph, graph_read(low),
			graph_unpacked(high, QPU_UNPACK_16B), text);
}

void
ops_wanted_by(struct graph *graph, double fraction)
{
	graph->ops[graph->nops - 1].wanted = fraction < 1 ? fraction : 1;
}
