/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/debugging.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "qpu/debugger/debugger.h"
#include "qpu/virtual/board/observe.h"

static struct {
	struct debugger debugger;
	bool open, first;
	bool begins; /* the launch has not run yet */
	bool active; /* it is debugged */
	pid_t owner; /* children are not debugged */
} debugging;

/* From and to the terminal, since streams belong to the program; what a script
 * asks for goes to where all messages go. */
static bool
open_streams(const char *script, struct debugger_settings *settings)
{
	const char *path = *script ? script : "/dev/tty";

	settings->commands = fopen(path, "re");
	settings->out = *script ? stderr : fopen(path, "we");
	if (settings->commands && settings->out)
		return true;
	board_say("no debugger: %s: %s%s", path, strerror(errno),
		  *script ? "" : "; --debug-script needs no terminal");
	if (settings->commands)
		fclose(settings->commands);
	return false;
}

static void
open_debugger(const struct board *board, struct machine *machine)
{
	struct debugger_settings settings = {
		.machine = machine,
		.lines = observe_lines(),
		.launches = true,
	};

	board->shared->debugged = (uint64_t)getpid();
	if (!open_streams(board->shared->options.debug_script, &settings))
		return;
	debugger_open(&debugging.debugger, &settings);
	debugging.open = debugging.first = true;
	debugging.owner = getpid();
}

/* Is this the launch at which the debugger starts? */
static bool
starts_here(const struct board *board)
{
	const struct board_options *options = &board->shared->options;

	return options->debug && !board->shared->debugged &&
	       board->shared->totals.launches >= options->debug_launch;
}

void
debugging_launch(const struct board *board, struct machine *machine)
{
	if (starts_here(board))
		open_debugger(board, machine);
	debugging.active = debugging.open && !debugging.debugger.quit &&
			   debugging.owner == getpid();
	debugging.begins = debugging.active;
	observe_steps(machine, debugging.active);
}

enum debugging
debugging_run(const struct debugging_limits *limits,
	      enum machine_status *status, struct diag *why)
{
	struct debugger *debugger = &debugging.debugger;
	struct control *control = &debugger->control;

	*status = MACHINE_LIMIT;
	if (!debugging.active)
		return DEBUGGING_OFF;
	control->most = limits->instructions;
	control->most_clocks = limits->clocks;
	control->sliced = limits->slice;
	if (debugging.begins)
		debugger_launch(debugger, debugging.first);
	debugging.begins = debugging.first = false;
	debugger_run(debugger);
	if (control->paused)
		return DEBUGGING_PAUSED;
	debugging.active = false;
	observe_steps(control->machine, false);
	if (!control->over)
		return DEBUGGING_OFF;
	*status = control->status;
	*why = control->why;
	return DEBUGGING_OVER;
}

void
debugging_observe(const struct machine_step *step)
{
	if (debugging.active)
		control_observe(&debugging.debugger.control, step);
}

void
debugging_hazard(const struct machine_finding *finding)
{
	if (debugging.active)
		control_finding(&debugging.debugger.control, finding);
}
