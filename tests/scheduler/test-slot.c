/* SPDX-License-Identifier: MIT */
/*
 * What fits into one slot of a schedule, and how much is too many.
 */
#include "config.h"

#include "qpu/isa/isa.h"
#include "tests/scheduler/small.h"
#include "tests/support/tap.h"

/* Operations of one slot. */
enum reads { NONE, RA0, RA1, RA0_8B, RB0, RB1, IMM, IMM2, UNIF };
enum writes { TO_NONE, TO_A, TO_B, TO_ACC };

struct crowd_op {
	enum writes to;
	enum op_port port;
	int pack;
	enum op_unit unit;
	int add_op;
	bool on_mul;
	enum reads a, b;
};

#define ADD .unit = UNIT_ADD, .add_op = QPU_ADD_XOR, .on_mul = false
#define MUL .unit = UNIT_MUL, .on_mul = true
#define SIGNAL .unit = UNIT_SIGNAL

static const struct crowd_row {
	const char *what;
	int crowd;
	struct crowd_op ops[5];
} crowd_rows[] = {
	{ "one operation", 0, { { ADD } } },
	{ "each unit once", 0, { { ADD }, { MUL }, { SIGNAL } } },
	{ "two on the add ALU", 1, { { ADD }, { ADD } } },
	{ "three on the add ALU", 2, { { ADD }, { ADD }, { ADD } } },
	{ "two on the mul ALU", 1, { { MUL }, { MUL } } },
	{ "two on each", 2, { { MUL }, { ADD }, { MUL }, { ADD } } },
	{ "two signals", 1, { { SIGNAL }, { SIGNAL } } },
	{ "a read of each file", 0, { { ADD, RA0, RB0 } } },
	{ "two registers of file A", 1, { { ADD, RA0, RA1 } } },
	{ "two registers of file B", 1, { { ADD, RB0, RB1 } } },
	{ "one register twice", 0, { { ADD, RA0, RA0 }, { MUL, RA0, RB0 } } },
	{ "two halves read two registers",
	  1,
	  { { ADD, RA0, RB0 }, { MUL, RA1, RB0 } } },
	{ "one register, unpacked or not", 1, { { ADD, RA0, RA0_8B } } },
	{ "one immediate twice", 0, { { ADD, RA0, IMM }, { MUL, RA0, IMM } } },
	{ "two immediates", 1, { { ADD, RA0, IMM }, { MUL, RA0, IMM2 } } },
	{ "an immediate and file B", 1, { { ADD, RB0, IMM } } },
	{ "an immediate and a signal", 1, { { ADD, RA0, IMM }, { SIGNAL } } },
	{ "a request and a signal",
	  1,
	  { { ADD, .port = PORT_TMU0 }, { SIGNAL } } },
	{ "an immediate, a request and a signal",
	  1,
	  { { ADD, RA0, IMM, .port = PORT_TMU0 }, { SIGNAL } } },
	{ "an immediate and a request",
	  0,
	  { { ADD, RA0, IMM, .port = PORT_TMU0 } } },
	{ "the port of a signal is none of the slot",
	  0,
	  { { SIGNAL, .port = PORT_TMU1 }, { ADD } } },
	{ "two requests",
	  1,
	  { { ADD, .port = PORT_TMU0 }, { MUL, .port = PORT_TMU1 } } },
	{ "a request and a result for nobody",
	  1,
	  { { ADD, .port = PORT_TMU0 }, { MUL, .port = PORT_DISCARD } } },
	{ "a uniform alone", 0, { { ADD, UNIF } } },
	{ "a uniform beside file A", 0, { { ADD, UNIF, RA0 } } },
	{ "a uniform beside file B", 0, { { ADD, UNIF, RB0 } } },
	{ "a uniform beside an immediate", 0, { { ADD, UNIF, IMM } } },
	{ "a uniform beside both files",
	  1,
	  { { ADD, UNIF, RA0 }, { MUL, RB0 } } },
	{ "a uniform beside two registers of A",
	  1,
	  { { ADD, UNIF, RA0 }, { MUL, RA1 } } },
	{ "a uniform beside two registers of B",
	  1,
	  { { ADD, UNIF, RB0 }, { MUL, RB1 } } },
	{ "a write of each file",
	  0,
	  { { ADD, .to = TO_A }, { MUL, .to = TO_B } } },
	{ "two writes of A", 1, { { ADD, .to = TO_A }, { MUL, .to = TO_A } } },
	{ "two writes of B", 1, { { ADD, .to = TO_B }, { MUL, .to = TO_B } } },
	{ "two accumulators",
	  0,
	  { { ADD, .to = TO_ACC }, { MUL, .to = TO_ACC } } },
	{ "uniforms are reset through file A",
	  1,
	  { { ADD, .port = PORT_UNIFORMS }, { MUL, .to = TO_A } } },
	{ "and not through file B",
	  0,
	  { { ADD, .port = PORT_UNIFORMS }, { MUL, .to = TO_B } } },
	{ "a sum beside a part",
	  1,
	  { { .unit = UNIT_ADD, .add_op = QPU_ADD_ADD },
	    { MUL, .pack = QPU_PACK_8A } } },
	{ "a difference beside a part",
	  1,
	  { { .unit = UNIT_ADD, .add_op = QPU_ADD_SUB },
	    { MUL, .pack = QPU_PACK_8A } } },
	{ "no sum beside a part", 0, { { ADD }, { MUL, .pack = QPU_PACK_8A } } },
	{ "a sum on the mul ALU beside a part",
	  0,
	  { { .unit = UNIT_EITHER, .add_op = QPU_ADD_ADD, .on_mul = true },
	    { ADD, .pack = QPU_PACK_8A } } },
	{ "more reads than are told apart",
	  4 + 7,
	  { { ADD, RA0, RA1 }, { ADD }, { ADD }, { ADD }, { ADD } } },
};

static struct operand_source
source_of(enum reads reads)
{
	switch (reads) {
	case RA0: return graph_read(A0);
	case RA1: return graph_read(A1);
	case RA0_8B: return graph_unpacked(A0, QPU_UNPACK_8B);
	case RB0: return graph_read(B0);
	case RB1: return graph_read(B1);
	case IMM: return graph_immediate(3);
	case IMM2: return graph_immediate(4);
	case UNIF: return graph_uniform();
	case NONE: break;
	}
	return graph_read(ACC);
}

static void
test_crowd(const struct crowd_row *row)
{
	static const enum place places[] = {
		[TO_A] = PLACE_A,
		[TO_B] = PLACE_B,
		[TO_ACC] = PLACE_ACC,
	};
	const bool many = row->crowd > 10;

	begin();
	for (int i = 0; i < 5 && row->ops[i].unit; i++) {
		const struct crowd_op *op = &row->ops[i];
		const int value = op->to ? graph_value(&graph) : -1;
		const int number = graph_op(
			&graph, op->unit, op->add_op, QPU_MUL_V8MIN,
			many ? graph_read(2 * i) : source_of(op->a),
			many ? graph_read(2 * i + 1) : source_of(op->b), value,
			"");

		graph.ops[number].port = op->port;
		graph.ops[number].pack = op->pack;
	}
	open_schedule();
	for (int i = 0; i < graph.nops; i++) {
		schedule.time[i] = 5;
		schedule.on_mul[i] = row->ops[i].on_mul;
		if (row->ops[i].to)
			schedule.place[graph.ops[i].value] =
				places[row->ops[i].to];
	}
	schedule_count(&schedule);
	if (!ok(schedule.crowd == row->crowd &&
			schedule.slots[5].crowd == row->crowd &&
			schedule.ncrowded == !!row->crowd &&
			(!row->crowd || schedule.crowded[0] == 5) &&
			schedule_is_valid(&schedule) == !row->crowd,
		"%s: %d too many", row->what, row->crowd))
		tap_note("%d", schedule.crowd);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(crowd_rows) / sizeof(*crowd_rows); i++)
		test_crowd(&crowd_rows[i]);
	return tap_done();
}
