/* SPDX-License-Identifier: MIT */
/*
 * stop: runs a machine until something stops it (debugger.h).
 */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <assert.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

enum { BRANCH_SLOTS = 3 };

/* Return true if the instruction is of this line. */
static bool
is_of_line(const struct qpu_linemap *lines, uint32_t pc,
	   const struct place *place)
{
	const struct qpu_linemap_row *row = qpu_linemap_find(lines, pc);

	while (row && (row->line != place->line ||
		       strcmp(row->file, place->file) != 0))
		row = qpu_linemap_next(lines, row);
	return row;
}

/*
 * Return true if a breakpoint at the place stops here.  At a line it stops at
 * each instruction of that line which follows one of another line.
 */
static bool
is_at(const struct place *place, const struct qpu_linemap *lines, uint32_t pc)
{
	if (!place->file)
		return ((place->pc ^ pc) & MACHINE_BUS_MASK) == 0;
	return is_of_line(lines, pc, place) &&
	       !is_of_line(lines, pc - QPU_INST_BYTES, place);
}

/* Return true if a watched value has changed; the new one is watched then. */
static bool
has_changed(const struct debugger *debugger, struct breakpoint *point)
{
	uint32_t value;

	if (!operand_read(&point->watched, debugger->machine, point->qpu,
			  &value) ||
	    value == point->value)
		return false;
	point->before = point->value;
	point->value = value;
	return true;
}

/* The first point that stops a QPU here, and before these a value that has
 * changed; null if there is none. */
static const struct breakpoint *
find_hit(struct debugger *debugger, unsigned qpu,
	 const struct machine_view *view)
{
	const struct breakpoint *changed = NULL, *at = NULL;

	for (size_t i = debugger->npoints; i-- > 0;) {
		struct breakpoint *point = &debugger->points[i];

		if (point->watches && has_changed(debugger, point))
			changed = point;
		else if (!point->watches && view->running &&
			 is_at(&point->place, debugger->lines, view->pc) &&
			 (!point->conditional ||
			  condition_holds(&point->condition, debugger->machine,
					  qpu)))
			at = point;
	}
	return changed ? changed : at;
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
debugger_resume(struct debugger *debugger)
{
	struct interrupt_key before;

	assert(!debugger->over);
	interrupt_key_catch(&before);
	debugger->status = run_limited(debugger->machine, &debugger->limits,
				       &debugger->why);
	interrupt_key_give_back(&before);
	const bool ended = debugger->status != MACHINE_LIMIT;
	const bool at_limit = !ended && debugger->stop == STOP_NOT;

	debugger->paused = at_limit && debugger->limits.slice;
	debugger->over = ended || (at_limit && !debugger->paused);
}

void
debugger_go(struct debugger *debugger, enum goal goal)
{
	struct machine_view view;

	assert(!debugger->over && !debugger->paused);
	assert(goal != GOAL_STEPS || debugger->steps > 0);
	machine_look(debugger->machine, debugger->qpu, &view);
	debugger->line = qpu_linemap_find(debugger->lines, view.pc);
	debugger->calls = 0;
	debugger->returns = false;
	debugger->goal = goal;
	debugger->stop = STOP_NOT;
	debugger_resume(debugger);
}

static void
stop(struct debugger *debugger, enum stop why)
{
	assert(why != STOP_NOT);
	if (debugger->stop != STOP_NOT)
		return;
	debugger->stop = why;
	machine_stop(debugger->machine);
}

/*
 * Return true if a step has ended the subroutine that the QPU was in: a branch to
 * where a register says was taken, and its delay slots are done.  A branch that
 * leaves a link is a call, whose return does not count.
 */
static bool
has_returned(struct debugger *debugger, const struct machine_step *step,
	     const struct machine_view *view)
{
	struct qpu_inst inst;
	bool links;

	if (debugger->returns)
		return !view->branch_slots;
	if (view->branch_slots != BRANCH_SLOTS ||
	    !qpu_unpack(step->word, &inst) || inst.kind != QPU_KIND_BRANCH)
		return false;
	links = inst.waddr_add != QPU_W_NOP || inst.waddr_mul != QPU_W_NOP;
	if (links)
		debugger->calls++;
	else if (inst.reg && !debugger->calls)
		debugger->returns = true;
	else if (inst.reg)
		debugger->calls--;
	return false;
}

static bool
reached_goal(struct debugger *debugger, const struct machine_step *step,
	     const struct machine_view *view)
{
	if (debugger->goal == GOAL_CONDITION)
		return condition_holds(&debugger->condition, debugger->machine,
				       debugger->qpu);
	if (step->qpu != debugger->qpu)
		return false;
	switch (debugger->goal) {
	case GOAL_STEPS: return !--debugger->steps;
	case GOAL_LINE:
		/* Without a line map every instruction is a line of its own. */
		return !qpu_linemap_same_line(qpu_linemap_find(debugger->lines,
							       view->pc),
					      debugger->line);
	case GOAL_RETURN: return has_returned(debugger, step, view);
	default: return false;
	}
}

void
debugger_observe(struct debugger *debugger, const struct machine_step *step)
{
	const struct breakpoint *hit;
	struct machine_view view;

	machine_look(debugger->machine, step->qpu, &view);
	hit = find_hit(debugger, step->qpu, &view);
	if (interrupt_key_pressed())
		stop(debugger, STOP_KEY);
	if (hit && debugger->stop == STOP_NOT) {
		debugger->hit = hit;
		debugger->qpu = step->qpu;
		stop(debugger, STOP_BREAKPOINT);
	}
	if (!view.running && step->qpu == debugger->qpu &&
	    debugger->goal != GOAL_NONE && debugger->goal != GOAL_CONDITION) {
		stop(debugger, STOP_QPU_ENDED);
	} else if (reached_goal(debugger, step, &view)) {
		debugger->by = step->qpu;
		stop(debugger, STOP_GOAL);
	}
}

void
debugger_find(struct debugger *debugger, const struct qpu_message *message)
{
	if (message->severity != QPU_SEVERITY_ERROR)
		return;
	if (debugger->stop == STOP_NOT)
		debugger->qpu = (unsigned)message->qpu;
	stop(debugger, STOP_HAZARD);
}
