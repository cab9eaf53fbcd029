/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/control.h"

#include <signal.h>
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
	const size_t n = points->n;

	if (!number)
		points->n = 0;
	for (size_t i = 0; i < points->n; i++) {
		struct breakpoint *point = &points->all[i];

		if (point->number != number)
			continue;
		points->n--;
		memmove(point, point + 1, (points->n - i) * sizeof(*point));
		break;
	}
	return points->n < n;
}

/* Return true if the instruction is of this line. */
static bool
is_of_line(const struct trace_lines *lines, uint32_t pc,
	   const struct place *place)
{
	const struct qpu_linemap_row *row = trace_find_line(lines, pc);

	while (row && (row->line != place->line ||
		       strcmp(row->file, place->file) != 0))
		row = qpu_linemap_next(&lines->map, row);
	return row;
}

/*
 * Return true if a breakpoint at the place stops here.  At a line it stops at
 * each instruction of that line which follows one of another line.
 */
static bool
is_at(const struct place *place, const struct trace_lines *lines, uint32_t pc)
{
	if (!place->file)
		return ((place->pc ^ pc) & MACHINE_BUS_MASK) == 0;
	return is_of_line(lines, pc, place) &&
	       !is_of_line(lines, pc - QPU_INST_BYTES, place);
}

/* The first breakpoint at the code address where a QPU is, if its condition
 * holds for this QPU; null if there is none. */
static const struct breakpoint *
find_breakpoint(const struct control *control, unsigned qpu, uint32_t pc)
{
	for (size_t i = 0; i < control->points->n; i++) {
		const struct breakpoint *point = &control->points->all[i];

		if (!point->watches &&
		    is_at(&point->place, control->lines, pc) &&
		    (!point->conditional ||
		     condition_holds(&point->condition, control->machine, qpu)))
			return point;
	}
	return NULL;
}

/* The first watchpoint whose value has changed, null if there is none. */
static const struct breakpoint *
find_change(struct control *control)
{
	const struct breakpoint *found = NULL;

	for (size_t i = 0; i < control->points->n; i++) {
		struct breakpoint *point = &control->points->all[i];
		uint32_t value = point->value;

		if (!point->watches ||
		    !operand_read(&point->watched, control->machine, point->qpu,
				  &value) ||
		    value == point->value)
			continue;
		point->before = point->value;
		point->value = value;
		found = found ? found : point;
	}
	return found;
}

/* Set by the signal handler. */
static volatile sig_atomic_t interrupted;

static void
on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* Subtract from a limit, 0 for no limit; return false if it is reached. */
static bool
is_left(uint64_t limit, uint64_t done, uint64_t *left)
{
	*left = limit > done ? limit - done : 0;
	return *left || !limit;
}

enum machine_status
run_limited(struct machine *machine, const struct run_limits *limits,
	    struct diag *why)
{
	uint64_t instructions, clocks;

	if (is_left(limits->instructions, machine_instructions(machine),
		    &instructions) &&
	    is_left(limits->clocks, machine_clocks(machine), &clocks))
		return machine_run(machine, instructions, clocks, why);
	diag_set(why, "the limit of instructions is reached");
	return MACHINE_LIMIT;
}

void
control_resume(struct control *control)
{
	struct sigaction action = { .sa_handler = on_interrupt }, before;
	sigset_t interrupt, mask;
	bool ended;

	interrupted = 0;
	sigemptyset(&action.sa_mask);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigaction(SIGINT, &action, &before);
	pthread_sigmask(SIG_UNBLOCK, &interrupt, &mask);
	control->status =
		run_limited(control->machine, &control->limits, &control->why);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGINT, &before, NULL);
	ended = control->status != MACHINE_LIMIT;
	control->paused = !ended && control->limits.slice &&
			  control->stopped == CONTROL_NOT_STOPPED;
	control->over = ended || (control->stopped == CONTROL_NOT_STOPPED &&
				  !control->paused);
}

void
control_begin(struct control *control)
{
	machine_stop(control->machine);
	control->stopped = CONTROL_GOAL;
	control_resume(control);
}

void
control_run(struct control *control)
{
	struct machine_view view;

	machine_look(control->machine, control->qpu, &view);
	control->line = trace_find_line(control->lines, view.pc);
	control->stopped = CONTROL_NOT_STOPPED;
	control_resume(control);
}

static void
stop(struct control *control, enum control_stop why)
{
	if (control->stopped != CONTROL_NOT_STOPPED)
		return;
	control->stopped = why;
	machine_stop(control->machine);
}

static bool
reached_goal(struct control *control, unsigned qpu, uint32_t pc)
{
	const bool chosen = qpu == control->qpu;

	switch (control->goal) {
	case CONTROL_STEPS: return chosen && !--control->steps;
	case CONTROL_LINE:
		/* Without a line map every instruction is a line of its own. */
		return chosen && !qpu_linemap_same_line(
					 trace_find_line(control->lines, pc),
					 control->line);
	case CONTROL_CONDITION:
		return condition_holds(&control->condition, control->machine,
				       control->qpu);
	case CONTROL_FREELY: break;
	}
	return false;
}

void
control_observe(struct control *control, const struct machine_step *step)
{
	const struct breakpoint *point, *changed;
	struct machine_view view;

	machine_look(control->machine, step->qpu, &view);
	point = view.running ? find_breakpoint(control, step->qpu, view.pc) :
			       NULL;
	if (interrupted)
		stop(control, CONTROL_SIGNAL);
	changed = find_change(control);
	if (changed)
		point = changed;
	if (point && control->stopped == CONTROL_NOT_STOPPED) {
		control->number = point->number;
		control->qpu = step->qpu;
		stop(control, CONTROL_BREAKPOINT);
	}
	if (!view.running && step->qpu == control->qpu &&
	    (control->goal == CONTROL_STEPS || control->goal == CONTROL_LINE)) {
		stop(control, CONTROL_QPU_ENDED);
	} else if (reached_goal(control, step->qpu, view.pc)) {
		control->by = step->qpu;
		stop(control, CONTROL_GOAL);
	}
}

void
control_finding(struct control *control, const struct machine_finding *finding)
{
	if (finding->warning)
		return;
	if (control->stopped == CONTROL_NOT_STOPPED)
		control->qpu = finding->qpu;
	stop(control, CONTROL_HAZARD);
}
