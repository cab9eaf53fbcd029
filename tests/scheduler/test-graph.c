/* SPDX-License-Identifier: MIT */
/*
 * Operations and values: how a graph is built, and that the sections consist
 * of the operations for which there are solutions in the tree.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/body.h"
#include "qpu/scheduler/graph.h"
#include "qpu/scheduler/section.h"
#include "tests/scheduler/digest.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

static struct graph graph;

static void
test_values(void)
{
	int fixed, number, copy, last;

	graph_clear(&graph);
	fixed = graph_fixed(&graph, "state_0", PLACE_B, 17);
	number = graph_value(&graph);
	copy = graph_value(&graph);
	last = graph_value(&graph);
	ok(fixed == 0 && number == 1 && copy == 2 && graph.nvalues == 4 &&
		   graph.nops == 0 && graph.round == -1,
	   "values are numbered from 0");
	ok(graph.values[fixed].place == PLACE_B &&
		   graph.values[fixed].reg == 17 &&
		   strcmp(graph.values[fixed].name, "state_0") == 0 &&
		   graph.values[fixed].home == -1 &&
		   graph.values[fixed].writer == -1,
	   "a fixed value has a name and a register, and nobody writes it");
	ok(graph.values[number].place == PLACE_NONE &&
		   graph.values[number].reg == -1 &&
		   graph.values[number].home == -1 &&
		   graph.values[number].writer == -1 &&
		   !*graph.values[number].name,
	   "a new value has none of these");
	graph_rehouse(&graph, copy, fixed);
	graph_rehouse(&graph, last, copy);
	ok(graph_root(&graph, last) == fixed &&
		   graph_root(&graph, fixed) == fixed &&
		   graph_root(&graph, number) == number,
	   "the root is at the end of the homes");
	ok(graph_place(&graph, last) == PLACE_B &&
		   graph_place(&graph, number) == PLACE_NONE,
	   "a value is where its root is");
	ok(graph_is_temporary(&graph, number) &&
		   !graph_is_temporary(&graph, last) &&
		   !graph_is_temporary(&graph, fixed),
	   "what has no register in the end is temporary");
}

static void
test_operations(void)
{
	int a, b, sum, first, second, third;
	const struct op *op;

	graph_clear(&graph);
	a = graph_value(&graph);
	b = graph_value(&graph);
	sum = graph_value(&graph);
	graph.round = 5;
	first = graph_op(&graph, UNIT_ADD, QPU_ADD_ADD, QPU_MUL_V8MIN,
			 graph_read(a), graph_unpacked(b, QPU_UNPACK_8B), sum,
			 "a text that is much longer than there is room");
	second = graph_op(&graph, UNIT_MUL, 0, QPU_MUL_MUL24, graph_read(a),
			  graph_read(a), -1, "twice");
	third = graph_op(&graph, UNIT_SIGNAL, 0, 0, graph_read(a),
			 graph_unpacked(a, QPU_UNPACK_8C), -1, "signal");
	graph_op(&graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN,
		 graph_immediate(-16), graph_uniform(), -1, "none");
	ok(first == 0 && second == 1 && third == 2 && graph.nops == 4,
	   "operations are numbered from 0");
	op = &graph.ops[first];
	ok(op->unit == UNIT_ADD && op->add_op == QPU_ADD_ADD &&
		   op->mul_op == QPU_MUL_V8MIN && op->value == sum &&
		   op->cond == QPU_COND_ALWAYS && op->round == 5 &&
		   op->wanted == 1 && op->port == PORT_NONE &&
		   !op->sets_flags && !op->pack && !op->norders,
	   "an operation is what was said, and has no more");
	ok(strcmp(op->text, "a text that is much lon") == 0,
	   "a text that is too long is cut");
	ok(op->source[0].kind == SOURCE_VALUE && op->source[0].number == a &&
		   op->source[0].unpack == QPU_UNPACK_NONE &&
		   op->source[1].number == b &&
		   op->source[1].unpack == QPU_UNPACK_8B,
	   "it reads two sources");
	op = &graph.ops[3];
	ok(op->source[0].kind == SOURCE_IMMEDIATE &&
		   op->source[0].number == -16 &&
		   op->source[0].unpack == QPU_UNPACK_NONE &&
		   op->source[1].kind == SOURCE_UNIFORM &&
		   op->source[1].number == 0 &&
		   op->source[1].unpack == QPU_UNPACK_NONE,
	   "or an immediate or a uniform");
	ok(graph.values[sum].writer == first && graph.values[a].writer == -1,
	   "a value knows the operation that writes it");
	ok(graph.values[a].nreaders == 2 && graph.values[a].readers[0] == 0 &&
		   graph.values[a].readers[1] == 1 &&
		   graph.values[b].nreaders == 1 &&
		   graph.values[b].readers[0] == 0 &&
		   !graph.values[sum].nreaders,
	   "and each operation that reads it, once, but for signals");
	ok(graph.values[b].needs_a && !graph.values[a].needs_a,
	   "what is unpacked has to be in file A");
	graph.ops[1].source[1].number = sum;
	graph.ops[0].source[0].number = b;
	graph_count_readers(&graph);
	ok(graph.values[a].nreaders == 1 && graph.values[a].readers[0] == 1 &&
		   graph.values[b].nreaders == 1 &&
		   graph.values[b].readers[0] == 0 &&
		   graph.values[sum].nreaders == 1 &&
		   graph.values[sum].readers[0] == 1,
	   "readers are found anew after sources have changed");
	graph_order(&graph, second, first, 7);
	graph_order(&graph, second, third, 1);
	ok(graph.ops[second].norders == 2 &&
		   graph.ops[second].orders[0].after == first &&
		   graph.ops[second].orders[0].distance == 7 &&
		   graph.ops[second].orders[1].after == third &&
		   graph.ops[second].orders[1].distance == 1,
	   "orders are kept in order");
}

/* What is added so many times to a graph, one by one. */
enum kind { VALUES, OPERATIONS, READERS, ORDERS, WRITERS };

struct load {
	enum kind kind;
	unsigned n;
};

static int
add_many(void *data)
{
	const struct load *load = data;
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	graph_clear(&graph);
	for (int i = 0; i < 2; i++)
		graph_value(&graph);
	graph_op(&graph, UNIT_ADD, 0, 0, graph_immediate(0), graph_immediate(0),
		 -1, "");
	for (unsigned i = 0; i < load->n; i++)
		switch (load->kind) {
		case VALUES: graph_value(&graph); break;
		case OPERATIONS:
			graph_op(&graph, UNIT_ADD, 0, 0, graph_immediate(0),
				 graph_immediate(0), -1, "");
			break;
		case READERS:
			graph_op(&graph, UNIT_ADD, 0, 0, graph_read(0),
				 graph_read(0), -1, "");
			break;
		case ORDERS: graph_order(&graph, 0, 0, 1); break;
		case WRITERS:
			graph_op(&graph, UNIT_ADD, 0, 0, graph_immediate(0),
				 graph_immediate(0), 0, "");
			break;
		}
	return 0;
}

static bool
fits(enum kind kind, unsigned n)
{
	struct load load = { kind, n };
	struct capture capture;

	capture_run(&capture, add_many, &load, false);
	const bool good = capture.status == 0;

	capture_free(&capture);
	return good;
}

/* A tool for developers: it ends where its tables do. */
static void
test_room(void)
{
	ok(fits(VALUES, 766) && !fits(VALUES, 767), "768 values fit");
	ok(fits(OPERATIONS, 767) && !fits(OPERATIONS, 768),
	   "768 operations fit");
	ok(fits(READERS, 128) && !fits(READERS, 129),
	   "128 readers of a value fit");
	ok(fits(ORDERS, 12) && !fits(ORDERS, 13),
	   "12 orders of an operation fit");
	ok(fits(WRITERS, 1) && !fits(WRITERS, 2),
	   "a value has one writer at most");
}

static uint64_t
digest_of(const struct graph *made)
{
	uint64_t digest = DIGEST_START;

	for (int i = 0; i < made->nops; i++) {
		const struct op *op = &made->ops[i];

		digest_add(&digest, op->unit);
		digest_add(&digest, op->add_op);
		digest_add(&digest, op->mul_op);
		for (int k = 0; k < 2; k++) {
			digest_add(&digest, op->source[k].kind);
			digest_add(&digest, op->source[k].number);
			digest_add(&digest, op->source[k].unpack);
		}
		digest_add(&digest, op->value);
		digest_add(&digest, op->port);
		digest_add(&digest, op->sets_flags);
		digest_add(&digest, op->cond);
		digest_add(&digest, op->pack);
		for (unsigned k = 0; k < op->norders; k++) {
			digest_add(&digest, op->orders[k].after);
			digest_add(&digest, op->orders[k].distance);
		}
		digest_add(&digest, op->round);
		digest_add(&digest, (int)(op->wanted * 1e6 + 0.5));
		digest_text(&digest, op->text);
	}
	for (int v = 0; v < made->nvalues; v++) {
		const struct value *value = &made->values[v];

		digest_add(&digest, value->place);
		digest_add(&digest, value->reg);
		digest_add(&digest, value->home);
		digest_add(&digest, value->writer);
		digest_add(&digest, value->needs_a);
		for (unsigned k = 0; k < value->nreaders; k++)
			digest_add(&digest, value->readers[k]);
		digest_text(&digest, value->name);
	}
	return digest;
}

/*
 * Solutions name operations by number: another operation makes those of the
 * tree useless.  Whoever changes a section makes new ones, and takes the
 * numbers that are then noted here.
 */
static void
test_sections(void)
{
	static const struct {
		const char *name;
		int nops, nvalues;
		uint64_t digest;
	} wanted[SECTIONS] = {
		{ "heavy", 451, 498, UINT64_C(0x928f20aa48556de3) },
		{ "light", 327, 373, UINT64_C(0x08604e7067424641) },
		{ "end", 25, 71, UINT64_C(0xbd818349f5bc8f16) },
	};

	for (int i = 0; i < SECTIONS; i++) {
		section_build(&graph, i);
		if (!ok(graph.nops == wanted[i].nops &&
				graph.nvalues == wanted[i].nvalues &&
				digest_of(&graph) == wanted[i].digest,
			"the operations of section %s", wanted[i].name))
			tap_note("%d, %d, UINT64_C(0x%016" PRIx64 ")",
				 graph.nops, graph.nvalues, digest_of(&graph));
		ok(section_find(wanted[i].name) == (enum section)i,
		   "section %s has its name", wanted[i].name);
	}
	ok(section_find("hea") == SECTIONS && section_find("") == SECTIONS,
	   "other names are of no section");
}

static void
test_last_slots(void)
{
	graph_clear(&graph);
	for (int i = 0; i < 4; i++)
		graph_op(&graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_immediate(1),
			 graph_immediate(1), -1, "");
	graph.ops[1].sets_flags = true;
	graph.ops[2].port = PORT_UNIFORMS;
	graph.ops[3].port = PORT_TMU0;
	ok(section_last_slot(&graph, 0, 20) == 19 &&
		   section_last_slot(&graph, 3, 20) == 19,
	   "an operation may be in the last slot");
	ok(section_last_slot(&graph, 1, 20) == 16,
	   "flags are set before the branch");
	ok(section_last_slot(&graph, 2, 20) == 17,
	   "uniforms are reset early enough to be read again");
}

int
main(void)
{
	test_values();
	test_operations();
	test_room();
	test_sections();
	test_last_slots();
	return tap_done();
}
