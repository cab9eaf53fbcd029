/* SPDX-License-Identifier: MIT */
/* emit: registers by order of birth, instructions with their comments. */
#include "config.h"

#include "qpu/scheduler/emit.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "qpu/isa/isa.h"

/* Registers ----------------------------------------------------------------- */

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

static bool
is_register(const struct allocation *allocation, int value)
{
	return allocation->schedule->place[value] <= PLACE_B;
}

static bool
reads(const struct allocation *allocation, int place, int reg)
{
	const struct schedule *schedule = allocation->schedule;
	const struct slot *slot = &schedule->slots[0];

	for (int i = 0; i < 2 * slot->nops; i++) {
		const struct op *op = &schedule->graph->ops[slot->ops[i / 2]];
		const struct operand_source *source = &op->source[i % 2];

		if (source->kind == SOURCE_VALUE &&
		    is_register(allocation, source->number) &&
		    schedule->place[source->number] == place &&
		    allocation->reg[source->number] == reg)
			return true;
	}
	return false;
}

int
allocation_crossing(const struct allocation *before,
		    const struct allocation *after)
{
	const struct schedule *schedule = before->schedule;
	const struct slot *slot = &schedule->slots[schedule->nslots - 1];

	for (int i = 0; i < slot->nops; i++) {
		const int value = schedule->graph->ops[slot->ops[i]].value;

		if (value >= 0 && is_register(before, value) &&
		    reads(after, schedule->place[value], before->reg[value]))
			return value;
	}
	return -1;
}

/* Text ----------------------------------------------------------------------- */

enum { TEXT_SIZE = 256, COMMENT_COLUMN = 46, BRANCH_DELAY = 3 };

/* A line that is being made. */
struct listing {
	char at[TEXT_SIZE];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void
put(struct listing *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->len += vsnprintf(text->at + text->len, TEXT_SIZE - text->len,
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
			value->place == PLACE_A ? "ra" :
			value->place == PLACE_B ? "rb" :
						  "r",
			value->reg);
	}
}

static void
put_value(struct listing *text, const struct allocation *allocation, int value)
{
	static const char *const files[] = {
		[PLACE_A] = "ra",
		[PLACE_B] = "rb",
		[PLACE_ACC] = "r",
	};
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

void
emit_name(const struct op *op, char name[EMIT_NAME_SIZE])
{
	int len = 0;

	if (op->round >= 0)
		len = snprintf(name, EMIT_NAME_SIZE, "%d ", op->round);
	snprintf(name + len, EMIT_NAME_SIZE - len, "%s", op->text);
}

static void
put_comment(struct listing *text, const struct graph *graph, int number)
{
	char name[EMIT_NAME_SIZE];

	emit_name(&graph->ops[number], name);
	put(text, "%s", name);
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
		put_comment(&comment, schedule->graph, op);
	}
	const int signal = slot_op(schedule, slot, UNIT_SIGNAL);

	if (signal >= 0) {
		put(&code, "; ldtmu%d",
		    schedule->graph->ops[signal].port == PORT_TMU1);
		put(&comment, " | ");
		put_comment(&comment, schedule->graph, signal);
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
