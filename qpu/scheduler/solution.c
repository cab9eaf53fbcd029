/* SPDX-License-Identifier: MIT */
/* solution: reading and writing schedules. */
#include "config.h"

#include "qpu/scheduler/solution.h"

#include <string.h>

enum { LINE_SIZE = 128 };

static const char *const place_names[] = {
	[PLACE_A] = "a",
	[PLACE_B] = "b",
	[PLACE_ACC] = "acc",
};

static bool
next_line(FILE *stream, char line[LINE_SIZE])
{
	do
		if (!fgets(line, LINE_SIZE, stream))
			return false;
	while (*line == '#');
	return true;
}

bool
solution_head(FILE *stream, const char *path, enum section *section,
	      int *nslots, struct diag *why)
{
	char line[LINE_SIZE], name[16];
	int nops;

	if (next_line(stream, line) &&
	    sscanf(line, "%15s %d %d", name, nslots, &nops) == 3 &&
	    (*section = section_find(name)) < SECTIONS &&
	    *nslots >= SOLUTION_SLOTS_MIN && *nslots <= SCHEDULE_SLOTS)
		return true;
	diag_set(why, "%s: no head of a solution", path);
	return false;
}

static bool
find_place(const char *name, uint8_t *place)
{
	for (int i = 0; i < PLACE_CHOICES; i++)
		if (strcmp(name, place_names[i]) == 0) {
			*place = i;
			return true;
		}
	return false;
}

/* One operation; false if the line does not fit it. */
static bool
read_op(struct schedule *schedule, int number, const char *line, double stretch)
{
	const struct op *op = &schedule->graph->ops[number];
	const int last = schedule_last_slot(schedule, number);
	char unit[8], place[8];
	int slot;

	if (sscanf(line, "%d %7s %7s", &slot, unit, place) != 3 || slot < 0)
		return false;
	slot = (int)(slot * stretch);
	schedule->time[number] = slot < last ? slot : last;
	schedule->on_mul[number] = strcmp(unit, "mul") == 0;
	if (op->unit != UNIT_SIGNAL &&
	    !(op->unit & (schedule->on_mul[number] ? UNIT_MUL : UNIT_ADD)))
		return false;
	if (op->value < 0 || !schedule->temporary[op->value])
		return strcmp(place, "-") == 0;
	if (!find_place(place, &schedule->place[op->value]))
		return false;
	if (schedule->tail[op->value] >= 0)
		schedule->place[schedule->tail[op->value]] =
			schedule->place[op->value];
	return (!schedule->graph->values[op->value].needs_a ||
		schedule->place[op->value] == PLACE_A);
}

/* The sources of one operation; false if the line has none that fit. */
static bool
rewire_op(const struct graph *graph, struct op *op, const char *line)
{
	int numbers[2];

	if (sscanf(line, "%*d %*s %*s %d %d", &numbers[0], &numbers[1]) != 2)
		return false;
	for (int i = 0; i < 2; i++) {
		if (op->source[i].kind != SOURCE_VALUE)
			continue;
		if (numbers[i] < 0 || numbers[i] >= graph->nvalues)
			return false;
		op->source[i].number = numbers[i];
	}
	return true;
}

bool
solution_rewire(FILE *stream, const char *path, struct graph *graph,
		struct diag *why)
{
	const long at = ftell(stream);
	char line[LINE_SIZE];

	for (int i = 0; i < graph->nops; i++)
		if (!next_line(stream, line) ||
		    !rewire_op(graph, &graph->ops[i], line)) {
			diag_set(why, "%s: operation %d (%s) does not fit",
				 path, i, graph->ops[i].text);
			return false;
		}
	graph_count_readers(graph);
	return fseek(stream, at, SEEK_SET) == 0;
}

bool
solution_read(FILE *stream, const char *path, int nslots,
	      struct schedule *schedule, struct diag *why)
{
	const double stretch = (double)schedule->nslots / nslots;
	char line[LINE_SIZE];

	for (int i = 0; i < schedule->graph->nops; i++)
		if (!next_line(stream, line) ||
		    !read_op(schedule, i, line, stretch)) {
			diag_set(why, "%s: operation %d (%s) does not fit",
				 path, i, schedule->graph->ops[i].text);
			return false;
		}
	if (!next_line(stream, line))
		return true;
	diag_set(why, "%s: more operations than the section has", path);
	return false;
}

static const char *
unit_name(const struct schedule *schedule, int op)
{
	if (schedule->graph->ops[op].unit == UNIT_SIGNAL)
		return "signal";
	return schedule->on_mul[op] ? "mul" : "add";
}

bool
solution_write(FILE *stream, const struct schedule *schedule)
{
	const struct graph *graph = schedule->graph;

	fprintf(stream,
		"# slot, unit, place and sources of each operation; made by "
		"qpusched\n%s %d %d\n",
		section_rows[schedule->section].name, schedule->nslots,
		graph->nops);
	for (int i = 0; i < graph->nops; i++) {
		const int value = graph->ops[i].value;
		const bool chosen = value >= 0 && schedule->temporary[value];

		fprintf(stream, "%d %s %s %d %d\n", schedule->time[i],
			unit_name(schedule, i),
			chosen ? place_names[schedule->place[value]] : "-",
			graph->ops[i].source[0].number,
			graph->ops[i].source[1].number);
	}
	return !ferror(stream);
}
