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

void
ops_move_to(struct graph *graph, int value, int from, const char *text)
{
	graph_op(graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
		 graph_read(from), graph_read(from), value, text);
}

int
ops_move(struct graph *graph, int value, const char *text)
{
	const int copy = graph_value(graph);

	ops_move_to(graph, copy, value, text);
	return copy;
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
ops_upper_half(struct graph *graph, const struct ops_constants *constants,
	       int x, const char *text)
{
	return ops_either(graph, QPU_ADD_AND, QPU_MUL_V8MIN,
			  graph_unpacked(x, QPU_UNPACK_16B),
			  graph_read(constants->ones), text);
}

/*
 * With n = 32 - count in 8..15, x * 2^n is ror's upper part (mul24 takes 24
 * bits: the others are shifted out since n >= 8), and the bits of upper * 2^n
 * above 16 are the part that comes in below 2^n; the two are disjoint.
 */
int
ops_ror_on_mul(struct graph *graph, const struct ops_constants *constants,
	       int x, int count, int upper, const char *what)
{
	const struct operand_source power =
		graph_read(constants->power[32 - count]);
	char text[GRAPH_TEXT];

	snprintf(text, sizeof(text), "%s upper*2^%d", what, 32 - count);
	const int high =
		ops_mul(graph, QPU_MUL_MUL24, graph_read(upper), power, text);
	snprintf(text, sizeof(text), "%s lower*2^%d", what, 32 - count);
	const int low =
		ops_mul(graph, QPU_MUL_MUL24, graph_read(x), power, text);
	snprintf(text, sizeof(text), "%s ror%d", what, count);
	return ops_join(graph, graph_read(low),
			graph_unpacked(high, QPU_UNPACK_16B), text);
}

/* upper * 2^6 has bits 6..21, the rest is byte 1 of x.8b * 2^6, bits 0..5. */
int
ops_shr10_on_mul(struct graph *graph, const struct ops_constants *constants,
		 int x, int upper)
{
	const struct operand_source power6 = graph_read(constants->power[6]);
	const int above = ops_mul(graph, QPU_MUL_MUL24, graph_read(upper),
				  power6, "s1 upper*2^6");
	const int below = ops_mul(graph, QPU_MUL_MUL24,
				  graph_unpacked(x, QPU_UNPACK_8B), power6,
				  "s1 x.8b*2^6");

	return ops_join(graph, graph_read(above),
			graph_unpacked(below, QPU_UNPACK_8B), "s1 shr10");
}

/*
 * x >> 3 without the add ALU, given upper = x >> 16: upper * 2^13 has its
 * upper half, and the upper half of x * 2^13 is its lower one, which replaces
 * that of the product.
 */
static int
shr3_on_mul(struct graph *graph, const struct ops_constants *constants, int x,
	    int upper)
{
	const struct operand_source power = graph_read(constants->power[13]);
	const int high = ops_mul(graph, QPU_MUL_MUL24, graph_read(upper), power,
				 "s0 upper*2^13");
	const int low = ops_mul(graph, QPU_MUL_MUL24, graph_read(x), power,
				"s0 lower*2^13");
	const struct operand_source half = graph_unpacked(low, QPU_UNPACK_16B);
	const int both = ops_either(graph, QPU_ADD_OR, QPU_MUL_V8MIN, half,
				    half, "s0 shr3");
	const int op = graph->values[both].writer;

	graph->ops[op].pack = QPU_PACK_16A;
	graph_rehouse(graph, both, high);
	graph->values[high].needs_a = true;
	graph_order(graph, op, graph->values[high].writer, 1);
	return both;
}

/* sigma0 = ror7 ^ ror18 ^ shr3 */
int
ops_sigma0(struct graph *graph, const struct ops_constants *constants, int x,
	   bool on_mul)
{
	const int upper = ops_upper_half(graph, constants, x, "s0 upper");
	const int r18 = ops_ror_on_mul(graph, constants, x, 18, upper, "s0");
	const int r3 = on_mul ? shr3_on_mul(graph, constants, x, upper) :
				ops_add(graph, QPU_ADD_SHR, graph_read(x),
					graph_immediate(3), "s0 shr3");
	const int r7 = ops_ror(graph, x, 7, "s0 ror7");

	return ops_xor(graph, ops_xor(graph, r18, r7, "s0 ^"), r3, "s0");
}

int
ops_load(struct graph *graph, struct ops_r4 *r4, enum op_port tmu,
	 const char *text)
{
	const struct operand_source none = graph_immediate(0);
	const int loaded = graph_value(graph);

	graph->values[loaded].place = PLACE_R4;
	const int load =
		graph_op(graph, UNIT_SIGNAL, 0, 0, none, none, loaded, text);

	graph->ops[load].port = tmu;
	if (r4->last_load >= 0) {
		const struct value *before = &graph->values[r4->loaded];

		graph_order(graph, load, r4->last_load, 1);
		for (unsigned i = 0; i < before->nreaders; i++)
			graph_order(graph, load, before->readers[i], 0);
	}
	*r4 = (struct ops_r4){ loaded, load };
	return load;
}

void
ops_wanted_by(struct graph *graph, double fraction)
{
	graph->ops[graph->nops - 1].wanted = fraction < 1 ? fraction : 1;
}
