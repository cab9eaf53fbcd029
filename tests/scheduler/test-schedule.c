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
#include "tests/scheduler/small.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

static struct schedule again;

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
		schedule.temporary[value] = rows[i].place != PLACE_R4;
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
	test_full();
	test_spread();
	for (int i = 0; i < SECTIONS; i++)
		test_changes(i);
	test_room();
	return tap_done();
}
