/* SPDX-License-Identifier: MIT */
/* allocation: registers by order of birth. */
#include "config.h"
#include "qpu/tools/allocation.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa.h"

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

/* The free register that was in use last: the others stay untouched. */
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
	/* Even a value nobody reads is written. */
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
			if (schedule->temporary[v] &&
			    schedule->born[v] == slot)
				allocation->reg[v] = take(&registers,
							  schedule, v);
	for (int v = 0; v < graph->nvalues; v++)
		if (!schedule->temporary[v])
			allocation->reg[v] =
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
		const struct source *source = &op->source[i % 2];

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
