/* SPDX-License-Identifier: MIT */
/*
 * debugger: commands, from a terminal or a script, that run a machine step by
 * step and show its state.  The manual, qpurun(1), describes them.
 *
 *	debugger_open
 *	for each launch: machine_launch, debugger_launch, debugger_run
 *	debugger_close
 *
 * The session (session.h) has the machine: it calls control_observe for each
 * step and control_finding for each finding, and sets the limits of the
 * control.
 */
#ifndef QPU_DEBUGGER_DEBUGGER_H
#define QPU_DEBUGGER_DEBUGGER_H

#include "qpu/debugger/control.h"
#include "qpu/debugger/line_input.h"
#include "qpu/debugger/source_text.h"

struct debugger {
	struct control control;
	struct breakpoints points;
	struct source_text source;
	struct line_input input;
	FILE *out;
	bool launches; /* there may be more: going on at the end leaves one */
	bool attended; /* the user gave a command during this launch */
	bool left;     /* the user is done with this launch */
	bool quit;     /* the user is done with all launches */
};

/* The input is closed at the end unless it is stdin; out is for what the
 * debugger says. */
void
debugger_open(struct debugger *debugger, struct machine *machine,
	      const struct trace_lines *lines, FILE *input, FILE *out);

/*
 * A launch begins: stop it before the first instruction, or let it run to a
 * breakpoint, a hazard, a fault or a deadlock.
 */
void
debugger_launch(struct debugger *debugger, bool stop);

/*
 * Read and obey commands until the end of the input or `quit`; where there are
 * several launches, until the user leaves this one; in slices also until the
 * control is paused: the next call then continues.  False if the programs ended
 * by a deadlock, a fault or the limit.
 */
bool
debugger_run(struct debugger *debugger);

void
debugger_close(struct debugger *debugger);

#endif
