/* SPDX-License-Identifier: MIT */
/* solution: follows the registers through the instructions of a section. */
#include "config.h"

#include "qpu/scheduler/solution.h"

#include <string.h>

#include "qpu/scheduler/emit.h"

enum { LINE_SIZE = 256, HALVES = 3, OPERANDS = 3, REGISTERS = 128 };

/* A register by its name, and the value in it. */
struct held {
	char name[GRAPH_TEXT];
	int value;
};

struct reading {
	struct solution *solution;
	struct graph *graph;
	struct held registers[REGISTERS];
	int nregisters;
};

/* An operation as it stands in an instruction. */
struct half {
	int op;
	bool on_mul;
	const char *operands[OPERANDS]; /* result and sources, or null */
};

static bool
next_line(struct solution_source *source, char line[LINE_SIZE])
{
	if (!fgets(line, LINE_SIZE, source->stream))
		return false;
	source->line++;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

enum section
solution_next(struct solution_source *source)
{
	enum section section = SECTIONS;
	char line[LINE_SIZE];

	while (section == SECTIONS && next_line(source, line))
		if (*line == ':')
			section = section_find(line + 1);
	return section;
}

/* What this operand's register holds; null if there are too many registers. */
static int *
find_register(struct reading *reading, const char *operand)
{
	const size_t len = strcspn(operand, "., ");
	struct held *held = reading->registers;

	for (int i = 0; i < reading->nregisters; i++, held++)
		if (strlen(held->name) == len &&
		    strncmp(held->name, operand, len) == 0)
			return &held->value;
	if (reading->nregisters == REGISTERS || len >= sizeof(held->name))
		return NULL;
	memcpy(held->name, operand, len);
	held->value = -1;
	reading->nregisters++;
	return &held->value;
}

/* What there is when a section starts; registers of files have names. */
static void
begin(struct reading *reading)
{
	struct graph *graph = reading->graph;

	for (int v = 0; v < graph->nvalues; v++) {
		const struct value *value = &graph->values[v];

		if (value->place != PLACE_NONE && value->writer < 0)
			*find_register(reading,
				       *value->name ? value->name : "r4") = v;
	}
	for (int i = 0; i < graph->nops; i++)
		reading->solution->time[i] = -1;
}

static int
find_op(const struct graph *graph, const char *name)
{
	char other[EMIT_NAME_SIZE];

	for (int i = 0; i < graph->nops; i++) {
		emit_name(&graph->ops[i], other);
		if (strcmp(name, other) == 0)
			return i;
	}
	return -1;
}

/* Find the operation of this name in the text of half an instruction. */
static bool
read_half(const struct reading *reading, char *text, const char *name,
	  bool on_mul, struct half *half)
{
	*half = (struct half){ .op = find_op(reading->graph, name) };
	if (half->op < 0 || reading->solution->time[half->op] >= 0)
		return false;
	const struct op *op = &reading->graph->ops[half->op];

	if (op->unit == UNIT_SIGNAL) {
		half->operands[0] = "r4";
		return true;
	}
	if (!(op->unit & (on_mul ? UNIT_MUL : UNIT_ADD)))
		return false;
	half->on_mul = on_mul;
	text = strchr(text, ' ');
	if (text && op->rotate)
		text = strstr(text, ", ");
	for (int i = 0; text && i < OPERANDS; i++) {
		half->operands[i] = text + strspn(text, ", ");
		text = strstr(half->operands[i], ", ");
	}
	return half->operands[0] && (op->whole || half->operands[2]);
}

/* Which values does it read? */
static bool
read_sources(struct reading *reading, const struct half *half)
{
	struct op *op = &reading->graph->ops[half->op];

	if (op->unit == UNIT_SIGNAL || op->whole)
		return true;
	for (int i = 0; i < 2; i++) {
		struct operand_source *source = &op->source[i];

		if (source->kind != SOURCE_VALUE)
			continue;
		const int *held = find_register(reading, half->operands[1 + i]);

		if (!held || *held < 0)
			return false;
		/* Of parts of one value the graph has the last. */
		if (graph_root(reading->graph, *held) !=
		    graph_root(reading->graph, source->number))
			source->number = *held;
	}
	return true;
}

/* Where does it leave its result? */
static bool
read_result(struct reading *reading, const struct half *half)
{
	struct solution *solution = reading->solution;
	const int value = reading->graph->ops[half->op].value;
	const char *name = half->operands[0];
	const enum place place = strncmp(name, "ra", 2) == 0 ? PLACE_A :
				 strncmp(name, "rb", 2) == 0 ? PLACE_B :
							       PLACE_ACC;

	solution->time[half->op] = solution->nslots;
	solution->on_mul[half->op] = half->on_mul;
	if (value < 0)
		return true;
	int *held = find_register(reading, name);

	if (!held)
		return false;
	*held = value;
	solution->place[value] = place;
	return place == PLACE_A || !reading->graph->values[value].needs_a ||
	       !graph_is_temporary(reading->graph, value);
}

/* One instruction: all halves read before one of them writes. */
static bool
read_slot(struct reading *reading, char *line)
{
	struct half halves[HALVES];
	char *names = strstr(line, " # ");
	int n = 0;

	if (!names || reading->solution->nslots == SCHEDULE_SLOTS)
		return false;
	*names = '\0';
	names += 3;
	for (int i = 0; line && names; i++) {
		char *text = line, *name = names;

		line = strstr(text, "; ");
		names = strstr(name, " | ");
		if (!line != !names || i == HALVES)
			return false;
		if (line) {
			*line = *names = '\0';
			line += 2;
			names += 3;
		}
		if (strcmp(name, "-") != 0 &&
		    !read_half(reading, text, name, i > 0, &halves[n++]))
			return false;
	}
	for (int i = 0; i < n; i++)
		if (!read_sources(reading, &halves[i]))
			return false;
	for (int i = 0; i < n; i++)
		if (!read_result(reading, &halves[i]))
			return false;
	reading->solution->nslots++;
	return true;
}

/* Is there each operation, and are there enough slots? */
static bool
check_complete(const struct reading *reading, const char *path,
	       enum section section, struct diag *why)
{
	const struct graph *graph = reading->graph;
	char name[EMIT_NAME_SIZE];

	for (int i = 0; i < graph->nops; i++) {
		if (reading->solution->time[i] >= 0)
			continue;
		emit_name(&graph->ops[i], name);
		diag_set(why, "%s: %s is without '%s'", path,
			 section_rows[section].name, name);
		return false;
	}
	if (reading->solution->nslots >= SOLUTION_SLOTS_MIN)
		return true;
	diag_set(why, "%s: %s is too short", path, section_rows[section].name);
	return false;
}

bool
solution_read(struct solution_source *source, enum section section,
	      struct solution *solution, struct graph *graph, struct diag *why)
{
	const char *branch = section_rows[section].branch;
	struct reading reading = { .solution = solution, .graph = graph };
	char line[LINE_SIZE];

	section_build(graph, section);
	solution->nslots = 0;
	begin(&reading);
	while (next_line(source, line) && *line == '\t') {
		if (strncmp(line + 1, branch, strlen(branch)) == 0 ||
		    read_slot(&reading, line))
			continue;
		diag_set(why, "%s:%u: no instruction of %s", source->path,
			 source->line, section_rows[section].name);
		return false;
	}
	graph_count_readers(graph);
	return check_complete(&reading, source->path, section, why);
}

void
solution_apply(const struct solution *solution, struct schedule *schedule)
{
	const struct graph *graph = schedule->graph;
	const double stretch = (double)schedule->nslots / solution->nslots;

	for (int i = 0; i < graph->nops; i++) {
		const int last = schedule_last_slot(schedule, i);
		const int slot = (int)(solution->time[i] * stretch);
		const int value = graph->ops[i].value;

		schedule->time[i] = slot < last ? slot : last;
		schedule->on_mul[i] = solution->on_mul[i];
		if (value < 0 || !schedule->temporary[value])
			continue;
		schedule->place[value] = solution->place[value];
		if (schedule->tail[value] >= 0)
			schedule->place[schedule->tail[value]] =
				schedule->place[value];
	}
}
