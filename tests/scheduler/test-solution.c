/* SPDX-License-Identifier: MIT */
/*
 * Schedules as files, the registers of their temporaries, and their text.
 */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "qpu/isa/isa.h"
#include "qpu/scheduler/emit.h"
#include "qpu/scheduler/solution.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

static struct graph graph;
static struct schedule schedule, other_schedule;
static struct allocation allocation, other;

static FILE *
stream_of(const char *text)
{
	FILE *stream = tmpfile();

	if (!stream) {
		printf("Bail out! no temporary file\n");
		exit(99);
	}
	fputs(text, stream);
	rewind(stream);
	return stream;
}

static void
test_heads(void)
{
	static const struct {
		const char *text;
		int nslots; /* 0: refused */
		enum section section;
	} rows[] = {
		{ "heavy 250 9\n", 250, SECTION_HEAVY },
		{ "# made\n# by\nlight 5 9\nrest", 5, SECTION_LIGHT },
		{ "end 400 0", 400, SECTION_END },
		{ "end 4 9\n", 0, 0 },
		{ "end 401 9\n", 0, 0 },
		{ "end -5 9\n", 0, 0 },
		{ "end 20\n", 0, 0 },
		{ "other 20 9\n", 0, 0 },
		{ "# a comment\n", 0, 0 },
		{ "", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		FILE *stream = stream_of(rows[i].text);
		struct diag why = { .text = "" };
		enum section section = SECTIONS;
		int nslots = 0;
		const bool good =
			solution_head(stream, "F", &section, &nslots, &why);

		ok(good == (rows[i].nslots > 0) &&
			   (good ? section == rows[i].section &&
					    nslots == rows[i].nslots :
				   strcmp(why.text,
					  "F: no head of a solution") == 0),
		   "a head is %s (%zu)", good ? "read" : "refused", i);
		fclose(stream);
	}
}

enum { A0, A1, B0, X, Y, Z, LOADED };

/* x = a0 ^ b0, y = x + 1 unpacked later, z = a1 again; a load beside them. */
static void
begin(int nslots)
{
	graph_clear(&graph);
	graph_fixed(&graph, "first", PLACE_A, 30);
	graph_fixed(&graph, "second", PLACE_A, 31);
	graph_fixed(&graph, "third", PLACE_B, 31);
	for (int i = X; i <= LOADED; i++)
		graph_value(&graph);
	graph_rehouse(&graph, Z, A1);
	graph.values[LOADED].place = PLACE_R4;
	graph_op(&graph, UNIT_EITHER, QPU_ADD_OR, QPU_MUL_V8MIN, graph_read(A0),
		 graph_read(B0), X, "x");
	graph_op(&graph, UNIT_ADD, QPU_ADD_ADD, 0, graph_read(X),
		 graph_immediate(1), Y, "y");
	graph_op(&graph, UNIT_MUL, 0, QPU_MUL_MUL24, graph_read(A1),
		 graph_unpacked(Y, QPU_UNPACK_8B), Z, "z");
	graph_op(&graph, UNIT_SIGNAL, 0, 0, graph_immediate(0),
		 graph_immediate(0), LOADED, "load");
	schedule_open(&schedule, &graph, SECTION_END, nslots);
}

#define LINES "2 mul b 0 2\n3 add a 3 1\n10 mul - 1 4\n19 signal - 0 0\n"

/* Reads lines into the schedule; the reason is in `why`. */
static bool
read_lines(const char *text, int nslots, struct diag *why)
{
	FILE *stream = stream_of(text);
	const bool good = solution_read(stream, "F", nslots, &schedule, why);

	fclose(stream);
	return good;
}

static void
test_read(void)
{
	struct diag why = { .text = "" };

	begin(20);
	ok(read_lines("# slots\n" LINES, 20, &why) && schedule.time[0] == 2 &&
		   schedule.time[1] == 3 && schedule.time[2] == 10 &&
		   schedule.time[3] == 19,
	   "slots are read");
	ok(schedule.on_mul[0] && !schedule.on_mul[1] && schedule.on_mul[2],
	   "units are read");
	ok(schedule.place[X] == PLACE_B && schedule.place[Y] == PLACE_A &&
		   schedule.place[Z] == PLACE_A &&
		   schedule.place[LOADED] == PLACE_R4,
	   "places are read");
	ok(read_lines("2 add acc 0 2\n"
		      "3 add a 3 1\n10 mul - 1 4\n"
		      "19 signal - 0 0\n# end\n",
		      20, &why) &&
		   !schedule.on_mul[0] && schedule.place[X] == PLACE_ACC,
	   "and so are others");
	begin(30);
	ok(read_lines(LINES, 20, &why) && schedule.time[0] == 3 &&
		   schedule.time[1] == 4 && schedule.time[2] == 15 &&
		   schedule.time[3] == 28,
	   "a solution is stretched to more slots");
	begin(10);
	ok(read_lines(LINES, 20, &why) && schedule.time[0] == 1 &&
		   schedule.time[1] == 1 && schedule.time[2] == 5 &&
		   schedule.time[3] == 9,
	   "and squeezed to fewer");
	ok(read_lines("2 mul b 0 2\n3 add a 3 1\n10 mul - 1 4\n"
		      "99 signal - 0 0\n",
		      20, &why) &&
		   schedule.time[3] == 9,
	   "nothing comes behind its last slot");
}

static void
test_refused(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "F: operation 0 (x) does not fit" },
		{ "2 mul\n", "F: operation 0 (x) does not fit" },
		{ "-1 mul b 0 2\n", "F: operation 0 (x) does not fit" },
		{ "x mul b 0 2\n", "F: operation 0 (x) does not fit" },
		{ "2 mul r4 0 2\n", "F: operation 0 (x) does not fit" },
		{ "2 mul - 0 2\n", "F: operation 0 (x) does not fit" },
		{ "2 mul b 0 2\n3 mul a 3 1\n",
		  "F: operation 1 (y) does not fit" },
		{ "2 mul b 0 2\n3 add b 3 1\n",
		  "F: operation 1 (y) does not fit" },
		{ "2 mul b 0 2\n3 add a 3 1\n10 add - 1 4\n",
		  "F: operation 2 (z) does not fit" },
		{ "2 mul b 0 2\n3 add a 3 1\n10 mul a 1 4\n",
		  "F: operation 2 (z) does not fit" },
		{ "2 mul b 0 2\n3 add a 3 1\n10 mul - 1 4\n19 signal a 0 0\n",
		  "F: operation 3 (load) does not fit" },
		{ LINES "1 add a 0 0\n",
		  "F: more operations than the section has" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct diag why = { .text = "" };

		begin(20);
		ok(!read_lines(rows[i].text, 20, &why) &&
			   strcmp(why.text, rows[i].why) == 0,
		   "refused: %s (%zu)", why.text, i);
	}
}

static void
test_rewire(void)
{
	static const struct {
		const char *text;
		int op; /* that does not fit; -1: all do */
	} rows[] = {
		{ LINES, -1 },
		{ "2 mul b 6 0\n3 add a 3 1\n10 mul - 1 4\n19 signal - 0 0\n",
		  -1 },
		{ "2 mul b 7 0\n3 add a 3 1\n", 0 },
		{ "2 mul b -1 0\n3 add a 3 1\n", 0 },
		{ "2 mul b 0\n3 add a 3 1\n", 0 },
		{ "2 mul b 0 2\n3 add a 3 99\n10 mul - 1 4\n"
		  "19 signal - -1 -1\n",
		  -1 },
		{ LINES, -1 },
		{ "2 mul b 0 2\n3 add a 3 1\n10 mul - 1 4\n", 3 },
		{ "", 0 },
	};
	static const char *const names[] = { "x", "y", "z", "load" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		FILE *stream = stream_of(rows[i].text);
		struct diag why = { .text = "" };
		char expected[64] = "";

		begin(20);
		if (rows[i].op >= 0)
			snprintf(expected, sizeof(expected),
				 "F: operation %d (%s) does not fit",
				 rows[i].op, names[rows[i].op]);
		ok(solution_rewire(stream, "F", &graph, &why) ==
				   (rows[i].op < 0) &&
			   strcmp(why.text, expected) == 0 &&
			   (rows[i].op >= 0 || ftell(stream) == 0),
		   "sources are %s (%zu)", rows[i].op < 0 ? "read" : "refused",
		   i);
		fclose(stream);
	}
	FILE *stream = stream_of("2 mul b 2 0\n3 add a 5 7\n10 mul - 3 4\n"
				 "19 signal - 5 5\n");
	begin(20);
	ok(solution_rewire(stream, "F", &graph, NULL) &&
		   graph.ops[0].source[0].number == B0 &&
		   graph.ops[0].source[1].number == A0 &&
		   graph.ops[1].source[0].number == Z &&
		   graph.ops[1].source[1].number == 1 &&
		   graph.ops[3].source[0].number == 0,
	   "values are exchanged, immediates stay");
	ok(graph.values[Z].nreaders == 1 && graph.values[X].nreaders == 1 &&
		   graph.values[X].readers[0] == 2,
	   "and readers are found anew");
	fclose(stream);
}

static void
test_write(void)
{
	FILE *stream = stream_of("");
	struct diag why = { .text = "" };
	char text[512];
	size_t n;

	begin(20);
	read_lines(LINES, 20, &why);
	ok(solution_write(stream, &schedule), "a solution is written");
	rewind(stream);
	n = fread(text, 1, sizeof(text) - 1, stream);
	text[n] = '\0';
	is(text,
	   "# slot, unit, place and sources of each operation; made by "
	   "qpusched\nend 20 4\n" LINES,
	   "as it was read");
	fclose(stream);
	stream = fopen("/dev/null", "r");
	if (stream) {
		ok(!solution_write(stream, &schedule),
		   "an error while writing is told");
		fclose(stream);
	}
}

enum { FIRST = 3 };

/* Temporaries that begin one after another; each lives so many slots. */
static void
make_lives(int n, const int lives[])
{
	graph_clear(&graph);
	graph_fixed(&graph, "r31", PLACE_B, 31);
	graph_fixed(&graph, "r0", PLACE_B, 0);
	graph_fixed(&graph, "source", PLACE_A, 5);
	for (int i = 0; i < n; i++)
		graph_op(&graph, UNIT_ADD, QPU_ADD_OR, 0, graph_read(2),
			 graph_read(2), graph_value(&graph), "");
	for (int i = 0; i < n; i++)
		if (lives[i])
			graph_op(&graph, UNIT_MUL, 0, QPU_MUL_V8MIN,
				 graph_read(FIRST + i), graph_read(FIRST + i),
				 -1, "");
	schedule_open(&schedule, &graph, SECTION_END, 40);
	for (int i = 0, reader = n; i < n; i++) {
		schedule.time[i] = 2 * i;
		schedule.place[FIRST + i] = PLACE_B;
		if (lives[i]) {
			schedule.on_mul[reader] = true;
			schedule.time[reader++] = 2 * i + lives[i];
		}
	}
	schedule_count(&schedule);
}

static void
test_registers(void)
{
	static const int lives[] = { 9, 2, 0, 5, 5, 7 };

	make_lives(6, lives);
	if (!schedule_is_valid(&schedule)) {
		printf("Bail out! %d early, %d crowd, %d full\n",
		       schedule.early, schedule.crowd, schedule.full);
		exit(99);
	}
	allocation_make(&allocation, &schedule);
	ok(allocation.reg[0] == 31 && allocation.reg[1] == 0,
	   "fixed values keep their registers");
	ok(allocation.reg[FIRST] == 1 && allocation.reg[FIRST + 1] == 2,
	   "the first temporaries take the lowest free ones");
	ok(allocation.reg[FIRST + 2] == 2,
	   "a register is free in the slot of its last reader");
	ok(allocation.reg[FIRST + 3] == 2,
	   "one that nobody reads is taken for a slot");
	ok(allocation.reg[FIRST + 4] == 3, "one that is in use is not taken");
	ok(allocation.reg[FIRST + 5] == 1,
	   "of those that are free the one used last is taken");
}

static int
allocate_invalid(void *data)
{
	static const int lives[] = { 9 };
	const struct rlimit none = { 0, 0 };

	(void)data;
	setrlimit(RLIMIT_CORE, &none);
	make_lives(1, lives);
	schedule.full = 1;
	allocation_make(&allocation, &schedule);
	return 0;
}

static void
test_invalid(void)
{
	struct capture capture;

	capture_run(&capture, allocate_invalid, NULL, false);
	ok(capture.status == 128 + SIGABRT,
	   "registers are given to valid schedules only");
	capture_free(&capture);
}

/* A value in the last slot of one section, and a read in the first slot. */
static void
test_crossing(void)
{
	static const struct {
		enum place place; /* of the value that is written */
		int reg, slot;
		enum place read_place;
		int read_reg, second, read_slot;
		bool crosses;
	} rows[] = {
		{ PLACE_A, 7, 9, PLACE_A, 7, 0, 0, true },
		{ PLACE_A, 7, 9, PLACE_A, 7, 1, 0, true },
		{ PLACE_B, 7, 9, PLACE_B, 7, 0, 0, true },
		{ PLACE_A, 7, 9, PLACE_B, 7, 0, 0, false },
		{ PLACE_A, 7, 9, PLACE_A, 8, 0, 0, false },
		{ PLACE_A, 7, 8, PLACE_A, 7, 0, 0, false },
		{ PLACE_A, 7, 9, PLACE_A, 7, 0, 1, false },
		{ PLACE_R5, 5, 9, PLACE_R5, 5, 0, 0, false },
		{ PLACE_ACC, 2, 9, PLACE_ACC, 2, 0, 0, false },
	};
	static struct graph after;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int value;

		graph_clear(&graph);
		graph_fixed(&graph, "home", rows[i].place, rows[i].reg);
		graph_op(&graph, UNIT_MUL, 0, QPU_MUL_V8MIN, graph_uniform(),
			 graph_uniform(), -1, "");
		value = graph_value(&graph);
		graph_rehouse(&graph, value, 0);
		graph_op(&graph, UNIT_ADD, QPU_ADD_OR, 0, graph_uniform(),
			 graph_uniform(), value, "");
		schedule_open(&schedule, &graph, SECTION_END, 10);
		schedule.time[0] = 9;
		schedule.on_mul[0] = true;
		schedule.time[1] = rows[i].slot;
		schedule_count(&schedule);
		allocation_make(&allocation, &schedule);

		graph_clear(&after);
		graph_fixed(&after, "read", rows[i].read_place,
			    rows[i].read_reg);
		graph_op(&after, UNIT_MUL, 0, QPU_MUL_V8MIN, graph_uniform(),
			 graph_uniform(), -1, "");
		graph_op(&after, UNIT_ADD, QPU_ADD_OR, 0,
			 rows[i].second ? graph_uniform() : graph_read(0),
			 rows[i].second ? graph_read(0) : graph_uniform(), -1,
			 "");
		schedule_open(&other_schedule, &after, SECTION_HEAVY, 10);
		other_schedule.on_mul[0] = true;
		other_schedule.time[1] = rows[i].read_slot;
		schedule_count(&other_schedule);
		other.schedule = &other_schedule;
		allocation_make(&other, &other_schedule);
		ok(allocation_crossing(&allocation, &other) ==
			   (rows[i].crosses ? value : -1),
		   "a result of the last slot is %s in the first (%zu)",
		   rows[i].crosses ? "not to be read" : "not read", i);
	}
}

int
main(void)
{
	test_heads();
	test_read();
	test_refused();
	test_rewire();
	test_write();
	test_registers();
	test_invalid();
	test_crossing();
	return tap_done();
}
