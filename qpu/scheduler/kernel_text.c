/* SPDX-License-Identifier: MIT */
/*
 * kernel_text: registers by order of birth, instructions with their comments;
 * and back, following the registers through the instructions.
 */
#include "config.h"

#include "qpu/scheduler/kernel_text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "qpu/isa/isa.h"

/* Registers ---------------------------------------------------------------- */

/* The last slot that a register is taken in; -1: free from the start. */
struct registers {
	int taken[PLACE_CHOICES][QPU_FILE_REGS];
};

enum { TAKEN_ALWAYS = 1 << 20 };

static void
take_fixed(struct registers *registers, const struct graph *graph)
{
	for (int i = 0; i < PLACE_CHOICES; i++)
		for (int k = 0; k < QPU_FILE_REGS; k++)
			registers->taken[i][k] =
				i == PLACE_ACC && k >= 4 ? TAKEN_ALWAYS : -1;
	for (int v = 0; v < graph->nvalues; v++) {
		const struct value *value = &graph->values[v];

		if (value->place == PLACE_A || value->place == PLACE_B)
			registers->taken[value->place][value->reg] =
				TAKEN_ALWAYS;
	}
}

/* Take the free register that was used last, so that others stay untouched. */
static int
take(struct registers *registers, const struct schedule *schedule, int v)
{
	int *taken = registers->taken[schedule->place[v]];
	const int born = schedule->born[v];
	int best = -1;

	for (int i = 0; i < QPU_FILE_REGS; i++)
		if (taken[i] <= born && (best < 0 || taken[i] > taken[best]))
			best = i;
	assert(best >= 0);
	/* A value that nothing reads is written all the same. */
	taken[best] = schedule->dies[v] > born ? schedule->dies[v] : born + 1;
	return best;
}

void
allocation_make(struct allocation *allocation, const struct schedule *schedule)
{
	const struct graph *graph = schedule->graph;
	struct registers registers;

	assert(schedule_is_valid(schedule));
	allocation->schedule = schedule;
	take_fixed(&registers, graph);
	for (int slot = 0; slot < schedule->nslots; slot++)
		for (int v = 0; v < graph->nvalues; v++)
			if (schedule->temporary[v] && schedule->born[v] == slot)
				allocation->reg[v] =
					take(&registers, schedule, v);
	for (int v = 0; v < graph->nvalues; v++)
		if (!schedule->temporary[v])
			allocation->reg[v] =
				schedule->head[v] != v ?
					allocation->reg[schedule->head[v]] :
					graph->values[graph_root(graph, v)].reg;
}

/* Writing ------------------------------------------------------------------ */

enum {
	LINE_SIZE = 256,
	COMMENT_COLUMN = 46,
	BRANCH_DELAY = 3,
};

static const char *const files[] = {
	[PLACE_A] = "ra",
	[PLACE_B] = "rb",
	[PLACE_ACC] = "r",
	[PLACE_R5] = "r",
};

/* A line that is being made. */
struct listing {
	char at[LINE_SIZE];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void
put(struct listing *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->len += vsnprintf(text->at + text->len, LINE_SIZE - text->len,
			       format, args);
	va_end(args);
}

void
emit_map(FILE *stream, const struct graph *graph)
{
	for (int v = 0; v < graph->nvalues; v++) {
		const struct value *value = &graph->values[v];

		if (!*value->name)
			continue;
		fprintf(stream, "define(`%s', `%s%d')dnl\n", value->name,
			files[value->place], value->reg);
	}
}

/* What the comments call an operation: its round, if it has one, and text. */
static void
put_name(struct listing *text, const struct op *op)
{
	if (op->round >= 0)
		put(text, "%d ", op->round);
	put(text, "%s", op->text);
}

static void
put_value(struct listing *text, const struct allocation *allocation, int value)
{
	const struct schedule *schedule = allocation->schedule;
	const struct graph *graph = schedule->graph;

	if (schedule->place[value] == PLACE_R4)
		put(text, "r4");
	else if (schedule->temporary[schedule->head[value]])
		put(text, "%s%d", files[schedule->place[value]],
		    allocation->reg[value]);
	else
		put(text, "%s", graph->values[graph_root(graph, value)].name);
}

static void
put_source(struct listing *text, const struct allocation *allocation,
	   const struct op *op, const struct operand_source *source)
{
	put(text, ", ");
	switch (source->kind) {
	case SOURCE_IMMEDIATE: put(text, "%d", source->number); return;
	case SOURCE_UNIFORM:
		put(text, "%s", *op->operand ? op->operand : "unif");
		return;
	case SOURCE_VALUE:
		put_value(text, allocation, source->number);
		if (source->unpack != QPU_UNPACK_NONE)
			put(text, ".%s", qpu_unpack_names[source->unpack]);
		return;
	}
}

static void
put_op(struct listing *text, const struct allocation *allocation, int number)
{
	static const char *const ports[] = {
		[PORT_TMU0] = "t0s",
		[PORT_TMU1] = "t1s",
		[PORT_UNIFORMS] = "unif_addr",
		[PORT_DISCARD] = "-",
	};
	const struct schedule *schedule = allocation->schedule;
	const struct op *op = &schedule->graph->ops[number];

	if (op->whole) {
		put(text, "ldi ");
		put_value(text, allocation, op->value);
		put(text, ", %s", op->operand);
		return;
	}
	put(text, "%s%s",
	    schedule->on_mul[number] ? qpu_mul_ops[op->mul_op].mnemonic :
				       qpu_add_ops[op->add_op].mnemonic,
	    op->sets_flags ? ".setf" : "");
	if (op->cond != QPU_COND_ALWAYS)
		put(text, ".%s", qpu_cond_names[op->cond]);
	if (op->rotate)
		put(text, ".rot %d,", op->rotate);
	put(text, " ");
	if (op->port != PORT_NONE)
		put(text, "%s", ports[op->port]);
	else
		put_value(text, allocation, op->value);
	if (op->pack != QPU_PACK_NONE)
		put(text, ".%s", qpu_pack_a_names[op->pack]);
	put_source(text, allocation, op, &op->source[0]);
	put_source(text, allocation, op, &op->source[1]);
}

/* The operation of a slot on a unit, or -1. */
static int
slot_op(const struct schedule *schedule, int number, enum op_unit unit)
{
	const struct slot *slot = &schedule->slots[number];

	for (int i = 0; i < slot->nops; i++) {
		const int op = slot->ops[i];
		const enum op_unit on = schedule->graph->ops[op].unit ==
							UNIT_SIGNAL ?
						UNIT_SIGNAL :
					schedule->on_mul[op] ? UNIT_MUL :
							       UNIT_ADD;

		if (on == unit)
			return op;
	}
	return -1;
}

static void
emit_slot(FILE *stream, const struct allocation *allocation, int slot)
{
	static const enum op_unit units[] = { UNIT_ADD, UNIT_MUL };
	const struct schedule *schedule = allocation->schedule;
	struct listing code = { .len = 0 }, comment = { .len = 0 };

	for (int i = 0; i < 2; i++) {
		const int op = slot_op(schedule, slot, units[i]);

		if (op < 0 && i == 0) {
			put(&code, "nop");
			put(&comment, "-");
		}
		if (op < 0)
			continue;
		put(&code, i ? "; " : "");
		put(&comment, i ? " | " : "");
		put_op(&code, allocation, op);
		put_name(&comment, &schedule->graph->ops[op]);
	}
	const int signal = slot_op(schedule, slot, UNIT_SIGNAL);

	if (signal >= 0) {
		put(&code, "; ldtmu%d",
		    schedule->graph->ops[signal].port == PORT_TMU1);
		put(&comment, " | ");
		put_name(&comment, &schedule->graph->ops[signal]);
	}
	fprintf(stream, "\t%-*s # %s\n", COMMENT_COLUMN, code.at, comment.at);
}

void
emit_section(FILE *stream, const struct allocation *allocation)
{
	const struct schedule *schedule = allocation->schedule;
	const struct section_row *row = &section_rows[schedule->section];

	fprintf(stream, "# %s: %d instructions, %u times a block\n:%s\n",
		row->name, schedule->nslots + 1, row->times, row->name);
	for (int i = 0; i < schedule->nslots; i++) {
		if (i == schedule->nslots - BRANCH_DELAY)
			fprintf(stream, "\t%-*s # %d delay slots follow\n",
				COMMENT_COLUMN, row->branch, BRANCH_DELAY);
		emit_slot(stream, allocation, i);
	}
}

/* Reading ------------------------------------------------------------------ */

enum { HALVES = 3, OPERANDS = 3, REGISTERS = 128 };

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
	for (int i = 0; i < graph->nops; i++) {
		struct listing other = { .len = 0 };

		put_name(&other, &graph->ops[i]);
		if (strcmp(name, other.at) == 0)
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
		/* The graph has the last of the parts of a value. */
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

	for (int i = 0; i < graph->nops; i++) {
		struct listing name = { .len = 0 };

		if (reading->solution->time[i] >= 0)
			continue;
		put_name(&name, &graph->ops[i]);
		diag_set(why, "%s: %s is without '%s'", path,
			 section_rows[section].name, name.at);
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

	section_rows[section].build(graph);
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
