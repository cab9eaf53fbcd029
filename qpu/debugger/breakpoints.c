/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/breakpoints.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/isa/isa.h"

const struct breakpoint *
breakpoints_add(struct breakpoints *points, const struct breakpoint *point)
{
	struct breakpoint *all =
		realloc(points->all, (points->n + 1) * sizeof(*all));

	if (!all)
		return NULL;
	points->all = all;
	all[points->n] = *point;
	all[points->n].number = ++points->last;
	return &all[points->n++];
}

bool
breakpoints_delete(struct breakpoints *points, unsigned number)
{
	for (size_t i = 0; i < points->n; i++) {
		struct breakpoint *point = &points->all[i];

		if (point->number != number)
			continue;
		points->n--;
		memmove(point, point + 1, (points->n - i) * sizeof(*point));
		return true;
	}
	return false;
}

static bool
is_of_line(const struct qpu_linemap_row *row, const struct place *place)
{
	return row && row->line == place->line &&
	       strcmp(row->file, place->file) == 0;
}

/*
 * Does the program stop at this address for the place?  At a line it stops at
 * each instruction of that line which follows one of another line.
 */
static bool
is_at(const struct place *place, const struct trace_lines *lines, uint32_t pc)
{
	if (!place->file)
		return ((place->pc ^ pc) & MACHINE_BUS_MASK) == 0;
	return is_of_line(trace_find_line(lines, pc), place) &&
	       !is_of_line(trace_find_line(lines, pc - QPU_INST_BYTES), place);
}

const struct breakpoint *
breakpoints_find(const struct breakpoints *points,
		 const struct trace_lines *lines, struct machine *machine,
		 unsigned qpu, uint32_t pc)
{
	for (size_t i = 0; i < points->n; i++) {
		const struct breakpoint *point = &points->all[i];

		if (is_at(&point->place, lines, pc) &&
		    (!point->conditional ||
		     condition_holds(&point->condition, machine, qpu)))
			return point;
	}
	return NULL;
}

void
breakpoints_free(struct breakpoints *points)
{
	free(points->all);
	memset(points, 0, sizeof(*points));
}
