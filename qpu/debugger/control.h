/* SPDX-License-Identifier: MIT */
/*
 * control: runs a machine until what the user of the debugger waits for has
 * happened.
 *
 * A run is over when the programs have ended, or at its limits.  A run in
 * slices is paused at its limits instead, and goes on later with the same goal.
 *
 * A breakpoint is at one code address or, where there is a line map, at a
 * source line: each address at which a run of the line's instructions begins.
 */
#ifndef QPU_DEBUGGER_CONTROL_H
#define QPU_DEBUGGER_CONTROL_H

#include "qpu/debugger/operand.h"
#include "qpu/trace/trace.h"

/*
 * Totals of a machine at which its run ends, or 0 for no limit.  In slices the
 * run is paused there, and can continue.
 */
struct run_limits {
	uint64_t instructions, clocks;
	bool slice;
};

/* Run a machine up to its limits; if it has reached one, it stays as it is. */
enum machine_status
run_limited(struct machine *machine, const struct run_limits *limits,
	    struct diag *why);

/* A place in the code: a source line, or an address. */
struct place {
	uint32_t pc;	  /* of an address alone */
	const char *file; /* null for an address; owned by the line map */
	unsigned line;
};

struct breakpoint {
	unsigned number;
	struct place place;
	bool conditional; /* it stops a QPU only if the condition holds */
	struct condition condition;
	bool watches; /* no place: it stops where a value changes, which */
	struct operand watched;
	char name[16];
	unsigned qpu;	/* this QPU has if it is of a register, */
	uint32_t value; /* from this one */
	uint32_t before;
};

struct breakpoints {
	struct breakpoint *all;
	size_t n;
	unsigned last; /* the number that was given last */
};

/*
 * Add a breakpoint with the next number, whatever number it has.  Returns it,
 * or null when memory is short.
 */
const struct breakpoint *
breakpoints_add(struct breakpoints *points, const struct breakpoint *point);

/* Delete one breakpoint, or all for 0; false if there is none. */
bool
breakpoints_delete(struct breakpoints *points, unsigned number);

/* The event that a run waits for. A breakpoint, a hazard or a signal ends it
 * earlier. */
enum control_goal {
	CONTROL_FREELY,
	CONTROL_STEPS,	   /* instructions of the chosen QPU */
	CONTROL_LINE,	   /* the chosen QPU reaches another line */
	CONTROL_CONDITION, /* for the chosen QPU */
};

enum control_stop {
	CONTROL_NOT_STOPPED,
	CONTROL_GOAL,
	CONTROL_BREAKPOINT,
	CONTROL_HAZARD,
	CONTROL_SIGNAL, /* SIGINT */
	CONTROL_QPU_ENDED,
};

struct control {
	struct machine *machine;
	const struct trace_lines *lines;
	struct breakpoints *points;
	struct run_limits limits;
	unsigned qpu; /* that the user has chosen */

	enum control_goal goal;
	uint64_t steps;
	const struct qpu_linemap_row *line;
	struct condition condition;

	enum control_stop stopped;
	unsigned number; /* of the breakpoint */
	unsigned by;	 /* the QPU that made the condition hold */
	bool over;	 /* the run cannot go on */
	bool paused;	 /* control_resume() goes on */
	enum machine_status status;
	struct diag why;
};

/* Give the launched programs to their QPUs, and execute nothing. */
void
control_begin(struct control *control);

/* Run; `stopped`, or `over`, `status` and `why`, say what came of it. */
void
control_run(struct control *control);

/* Go on after a pause, with limits that were raised; with the interrupt key
 * unblocked: the virtual board blocks all signals. */
void
control_resume(struct control *control);

/* Call these for each step and for each finding of the machine. */
void
control_observe(struct control *control, const struct machine_step *step);
void
control_finding(struct control *control, const struct machine_finding *finding);

#endif
