/* SPDX-License-Identifier: MIT */
/* body_end: what happens once a block, and the registers of the kernel. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/body.h"

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

/* Overwrite a fixed value by a copy. */
static void
copy_home(struct body *body, int from, int home, const char *text)
{
	const int value = graph_value(body->graph);

	graph_rehouse(body->graph, value, home);
	graph_op(body->graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
		 graph_read(from), graph_read(from), value, text);
}

/* One row: the chaining value grows by the state, and the state starts from
 * it.  Returns the value that is the new state. */
static int
feed_forward(struct body *body, int row, bool in_place)
{
	struct graph *graph = body->graph;
	int state = body->state[row];

	if (graph_place(graph, state) == graph_place(graph, body->chain[row])) {
		const int copy = graph_value(graph);

		graph_op(graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
			 graph_read(state), graph_read(state), copy, "port");
		state = copy;
	}
	const int sum = graph_value(graph);

	if (in_place)
		graph_rehouse(graph, sum, body->chain[row]);
	graph_op(graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(body->chain[row]),
		 graph_read(state), sum, "H+");
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
	const int b_xor_c = graph_value(graph);

	graph_rehouse(graph, b_xor_c, body->carried);
	graph_op(graph, UNIT_ADD, QPU_ADD_XOR, 0, graph_read(sum[1]),
		 graph_read(sum[2]), b_xor_c, "b^c");
	const int fewer = graph_value(graph);

	graph_rehouse(graph, fewer, body->left);
	const int count = graph_op(graph, UNIT_ADD, QPU_ADD_SUB, 0,
				   graph_read(body->left), graph_immediate(1),
				   fewer, "blocks left");

	graph->ops[count].sets_flags = true;
	graph->ops[count].wanted = 0.7;
	/* Word 64 of the constants is their address. */
	const int again = graph_op(graph, UNIT_EITHER, QPU_ADD_OR,
				   QPU_MUL_V8MIN, graph_uniform(),
				   graph_uniform(), -1, "K again");

	graph->ops[again].port = PORT_UNIFORMS;
}
