/* SPDX-License-Identifier: MIT */
/*
 * How far a schedule is from being allowed: what comes too early, what does
 * not fit into a slot, and which temporaries are too many; all at once and
 * change by change.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/schedule.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

static struct graph graph;
static struct schedule schedule, again;

enum { SLOTS = 60 };

/* Values that every graph here begins with; the first ten are in file A. */
enum { A0, A1, A9 = 9, B0, B1, ACC, FIXED };

static void
begin(void)
{
	graph_clear(&graph);
	for (int i = 0; i < 10; i++)
		graph_fixed(&graph, "a", PLACE_A, i);
	graph_fixed(&graph, "b", PLACE_B, 0);
	graph_fixed(&graph, "b", PLACE_B, 1);
	graph_fixed(&graph, "ones", PLACE_R5, 5);
}

/* An operation on values; returns the value that it writes. */
static int
operation(int a, int b)
{
	const int value = graph_value(&graph);

	graph_op(&graph, UNIT_ADD, QPU_ADD_XOR, 0, graph_read(a), graph_read(b),
		 value, "");
	return value;
}

/* Without results. */
static void
use(int a, int b)
{
	graph_op(&graph, UNIT_ADD, QPU_ADD_XOR, 0, graph_read(a), graph_read(b),
		 -1, "");
}

static void
open_schedule(void)
{
	schedule_open(&schedule, &graph, SECTION_END, SLOTS);
	for (int i = 0; i < graph.nops; i++)
		schedule.on_mul[i] = graph.ops[i].unit == UNIT_MUL;
}

static void
test_open(void)
{
	int part, whole, copy;

	begin();
	whole = operation(A0, B0);
	part = operation(A0, B0);
	graph_rehouse(&graph, part, whole);
	copy = operation(A0, B0);
	graph_rehouse(&graph, copy, B1);
	graph_op(&graph, UNIT_ADD, QPU_ADD_XOR, 0,
		 graph_unpacked(operation(A0, B0), QPU_UNPACK_8A),
		 graph_read(whole), -1, "");
	open_schedule();
	ok(schedule.capacity[PLACE_A] == 22 &&
		   schedule.capacity[PLACE_B] == 30 &&
		   schedule.capacity[PLACE_ACC] == 4,
	   "fixed values leave the other registers to temporaries");
	ok(schedule.place[A9] == PLACE_A && schedule.place[B1] == PLACE_B &&
		   schedule.place[ACC] == PLACE_R5 && !schedule.temporary[A9] &&
		   !schedule.temporary[ACC],
	   "fixed values are where they were");
	ok(schedule.place[copy] == PLACE_B && !schedule.temporary[copy] &&
		   schedule.head[copy] == copy && schedule.tail[B1] == -1,
	   "what takes over a fixed register is there, and no temporary");
	ok(schedule.temporary[whole] && !schedule.temporary[part] &&
		   schedule.head[whole] == whole &&
		   schedule.head[part] == whole &&
		   schedule.tail[whole] == part && schedule.tail[part] == -1 &&
		   schedule.place[part] == PLACE_A,
	   "a part of a temporary is in file A with it");
	ok(schedule.place[copy + 1] == PLACE_A && schedule.temporary[copy + 1],
	   "what is unpacked begins in file A");
	ok(schedule.place[whole] == PLACE_ACC,
	   "another temporary in an accumulator");
}

static void
test_early(void)
{
	static const struct {
		enum place place;
		int from, to, early;
	} rows[] = {
		{ PLACE_A, 5, 7, 0 },	  { PLACE_A, 5, 6, 1 },
		{ PLACE_A, 5, 5, 2 },	  { PLACE_B, 5, 7, 0 },
		{ PLACE_B, 5, 6, 1 },	  { PLACE_ACC, 5, 6, 0 },
		{ PLACE_ACC, 5, 5, 1 },	  { PLACE_ACC, 5, 4, 2 },
		{ PLACE_R4, 5, 6, 0 },	  { PLACE_R4, 5, 5, 1 },
		{ PLACE_ACC, 25, 2, 24 }, { PLACE_ACC, 26, 2, 25 },
		{ PLACE_ACC, 27, 2, 25 }, { PLACE_ACC, 50, 2, 25 },
	};

	begin();
	const int value = operation(A0, B0);

	use(value, ACC);
	open_schedule();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		schedule.place[value] = rows[i].place;
		schedule.time[0] = rows[i].from;
		schedule.time[1] = rows[i].to;
		schedule_count(&schedule);
		ok(schedule.early == rows[i].early,
		   "place %d, written in slot %d, read in %d: %d slots early",
		   rows[i].place, rows[i].from, rows[i].to, rows[i].early);
	}
}

static void
test_early_orders(void)
{
	begin();
	use(A0, B0);
	use(A1, B1);
	graph_order(&graph, 1, 0, 3);
	open_schedule();
	schedule.time[0] = 5;
	schedule.time[1] = 8;
	schedule_count(&schedule);
	ok(schedule.early == 0, "an order is kept at its distance");
	schedule.time[1] = 7;
	schedule_count(&schedule);
	ok(schedule.early == 1, "and broken a slot before");

	begin();
	use(A0, B0);
	graph_rehouse(&graph, operation(A0, B1), A0);
	open_schedule();
	ok(schedule.nedges == 1,
	   "an operation may overwrite what it reads itself");
	schedule.time[0] = schedule.time[1] = 5;
	schedule_count(&schedule);
	ok(schedule.early == 0,
	   "a register may be overwritten in the slot of its last reader");
	schedule.time[1] = 4;
	schedule_count(&schedule);
	ok(schedule.early == 1, "but not before");
}

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

static void
test_full(void)
{
	int values[6];

	begin();
	for (int i = 0; i < 6; i++)
		values[i] = operation(A0, B0);
	for (int i = 0; i < 6; i++)
		use(values[i], ACC);
	open_schedule();
	for (int i = 0; i < 6; i++) {
		schedule.time[i] = 2 * i;
		schedule.time[6 + i] = 20;
	}
	schedule_count(&schedule);
	ok(schedule.full == 12 + 10,
	   "a fifth and a sixth value in accumulators are too many");
	ok(schedule.born[values[1]] == 2 && schedule.dies[values[1]] == 20,
	   "a value lives from its writer to its reader");
	schedule.time[10] = 8;
	schedule.time[11] = 10;
	schedule_count(&schedule);
	ok(schedule.full == 0,
	   "a value that is read in its own slot takes no accumulator");
	ok(schedule.alive[PLACE_ACC][0] == 0 &&
		   schedule.alive[PLACE_ACC][1] == 1 &&
		   schedule.alive[PLACE_ACC][20] == 4 &&
		   schedule.alive[PLACE_ACC][21] == 0,
	   "it is alive behind the slot of its writer");
	for (int i = 0; i < 6; i++)
		schedule.place[values[i]] = PLACE_B;
	schedule.capacity[PLACE_B] = 4;
	schedule.time[10] = schedule.time[11] = 20;
	schedule_count(&schedule);
	ok(schedule.full == 22, "the same goes for a file");

	begin();
	values[0] = operation(A0, B0);
	values[1] = operation(A0, B0);
	graph_rehouse(&graph, values[1], values[0]);
	use(values[0], ACC);
	use(values[1], ACC);
	use(values[0], ACC);
	open_schedule();
	schedule.time[0] = 1;
	schedule.time[1] = 4;
	schedule.time[2] = 3;
	schedule.time[3] = 9;
	schedule.time[4] = 2;
	schedule_count(&schedule);
	ok(schedule.born[values[0]] == 1 && schedule.dies[values[0]] == 9,
	   "a value in two parts lives until the last is read");
	schedule.time[3] = 2;
	schedule_count(&schedule);
	ok(schedule.dies[values[0]] == 3, "whichever that is");
}

static void
test_spread(void)
{
	int first, second;

	begin();
	first = operation(A0, B0);
	second = operation(first, ACC);
	use(second, ACC);
	graph_op(&graph, UNIT_MUL, 0, QPU_MUL_V8MIN, graph_read(A0),
		 graph_read(A0), -1, "");
	graph_op(&graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN, graph_read(A0),
		 graph_read(A0), -1, "");
	graph_op(&graph, UNIT_ADD, QPU_ADD_OR, 0, graph_read(A0),
		 graph_read(A0), -1, "");
	graph.ops[3].wanted = 0.5;
	graph.ops[4].wanted = 0.99;
	graph.ops[5].sets_flags = true;
	schedule_open(&schedule, &graph, SECTION_END, 20);
	schedule_spread(&schedule);
	ok(schedule.time[3] == 10 && schedule.time[4] == 19,
	   "operations come where they are wanted");
	ok(schedule.time[2] == 19 && schedule.time[5] == 16,
	   "but none behind its last slot");
	ok(schedule.time[1] == 17 && schedule.time[0] == 15,
	   "what is needed comes before");
	ok(!schedule.on_mul[0] && schedule.on_mul[3] && schedule.on_mul[4],
	   "the mul ALU does what it can");
	graph.ops[2].wanted = 0.1;
	schedule_open(&schedule, &graph, SECTION_END, 20);
	schedule_spread(&schedule);
	ok(schedule.time[2] == 2 && schedule.time[1] == 0 &&
		   schedule.time[0] == 0,
	   "nothing comes before the first slot");
	schedule_open(&schedule, &graph, SECTION_END, 5);
	schedule_spread(&schedule);
	ok(schedule.time[5] == 1 && schedule.time[3] == 2,
	   "fewer slots are filled in proportion");
}

static uint64_t state;

static unsigned
draw(unsigned below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

/* Is each slot with a crowd in the list, and no other? */
static bool
list_is_right(void)
{
	int crowded = 0;

	for (int i = 0; i < schedule.nslots; i++) {
		const struct slot *slot = &schedule.slots[i];

		if (!slot->crowd)
			continue;
		crowded++;
		if (slot->crowded_at >= schedule.ncrowded ||
		    schedule.crowded[slot->crowded_at] != i)
			return false;
	}
	return crowded == schedule.ncrowded;
}

static bool
counts_are_right(void)
{
	again = schedule;
	schedule_count(&again);
	for (int i = 0; i < schedule.nslots; i++)
		if (schedule.slots[i].nops != again.slots[i].nops ||
		    schedule.slots[i].crowd != again.slots[i].crowd)
			return false;
	for (int v = 0; v < graph.nvalues; v++)
		if (schedule.temporary[v] &&
		    (schedule.born[v] != again.born[v] ||
		     schedule.dies[v] != again.dies[v]))
			return false;
	return schedule.early == again.early && schedule.crowd == again.crowd &&
	       schedule.full == again.full &&
	       memcmp(schedule.alive, again.alive, sizeof(again.alive)) == 0;
}

/* Changes by chance: the counts are those of the whole schedule. */
static void
test_changes(enum section section)
{
	enum { CHANGES = 400 };
	bool good = true, listed = true;

	section_build(&graph, section);
	schedule_open(&schedule, &graph, section,
		      section == SECTION_END ? 30 : 200);
	schedule_spread(&schedule);
	schedule_count(&schedule);
	for (int i = 0; i < CHANGES && good && listed; i++) {
		const int op = draw(graph.nops), value = draw(graph.nvalues);

		schedule_set_time(&schedule, op,
				  draw(schedule_last_slot(&schedule, op) + 1));
		schedule_set_time(&schedule, op, schedule.time[op]);
		if (graph.ops[op].unit == UNIT_EITHER)
			schedule_set_unit(&schedule, op, draw(2));
		if (schedule.temporary[value])
			schedule_set_place(&schedule, value,
					   draw(PLACE_CHOICES));
		good = counts_are_right();
		listed = list_is_right();
	}
	ok(good, "%s: what is counted by changes is what there is",
	   section_rows[section].name);
	ok(listed, "%s: the crowded slots are in a list",
	   section_rows[section].name);
}

enum room { ROOM_SLOTS, ROOM_OF_SLOT, ROOM_FROM, ROOM_TO, ROOM_EDGES };

struct load {
	enum room room;
	int n;
};

static int
fill(void *data)
{
	const struct load *load = data;
	const struct rlimit none = { 0, 0 };
	const int nops = load->room == ROOM_EDGES ? 400 : load->n;
	int value;

	setrlimit(RLIMIT_CORE, &none);
	begin();
	value = operation(ACC, ACC);
	for (int i = 0; load->room != ROOM_SLOTS && i < nops; i++)
		graph_op(&graph, UNIT_ADD, QPU_ADD_XOR, 0,
			 load->room == ROOM_FROM ? graph_read(value) :
			 load->room == ROOM_TO	 ? graph_read(A0) :
						   graph_immediate(1),
			 graph_immediate(1), -1, "");
	if (load->room == ROOM_FROM && load->n > 128 - 12)
		for (int i = 0; i < 12; i++)
			graph_order(&graph, 0, 1, 1);
	if (load->room == ROOM_TO) {
		graph_rehouse(&graph, operation(ACC, ACC), A0);
		for (int i = 0; i < 12; i++)
			graph_order(&graph, graph.nops - 1, 0, 1);
	}
	for (int i = 0; load->room == ROOM_EDGES && i < load->n; i++)
		graph_order(&graph, i / 12, (i / 12 + i % 12 + 1) % 400, 1);
	schedule_open(&schedule, &graph, SECTION_END,
		      load->room == ROOM_SLOTS ? load->n : SLOTS);
	schedule_count(&schedule);
	return 0;
}

static bool
fits(enum room room, int n)
{
	struct load load = { room, n };
	struct capture capture;

	capture_run(&capture, fill, &load, false);
	const bool good = capture.status == 0;

	capture_free(&capture);
	return good;
}

/* A tool for developers: it ends where its tables do. */
static void
test_room(void)
{
	ok(fits(ROOM_SLOTS, 400) && !fits(ROOM_SLOTS, 401), "400 slots fit");
	ok(fits(ROOM_OF_SLOT, 511) && !fits(ROOM_OF_SLOT, 512),
	   "512 operations fit into a slot");
	ok(fits(ROOM_FROM, 116) && !fits(ROOM_FROM, 117),
	   "128 edges of an operation fit");
	ok(fits(ROOM_TO, 116) && !fits(ROOM_TO, 117),
	   "128 edges to an operation fit");
	ok(fits(ROOM_EDGES, 4096) && !fits(ROOM_EDGES, 4097), "4096 edges fit");
}

int
main(void)
{
	test_open();
	test_early();
	test_early_orders();
	for (size_t i = 0; i < sizeof(crowd_rows) / sizeof(*crowd_rows); i++)
		test_crowd(&crowd_rows[i]);
	test_full();
	test_spread();
	for (int i = 0; i < SECTIONS; i++)
		test_changes(i);
	test_room();
	return tap_done();
}
