/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/isa/pack.h"

static void
say(void *context, const char *text)
{
	(void)context;
	board_say("%s", text);
}

/* A device's user is given the reason of a launch that failed. */
static void
say_nothing(void *context, const char *text)
{
	(void)context;
	(void)text;
}

/* A line map was read by qpuemu before, which refuses one that is wrong. */
static void
open_files(struct observer *observer, const struct board *board)
{
	const struct board_options *options = &board->shared->options;
	struct session *session = &observer->session;
	struct diag why;

	session_init(session, board_is_private(board) ? say_nothing : say,
		     NULL);
	if (*options->lines &&
	    !session_read_lines(session, options->lines, &why))
		board_say("%s", why.text);
	if (*options->trace &&
	    !session_open_trace(session, options->trace, true, &why))
		board_say("%s", why.text);
	observer->opened = true;
}

void
observer_attach(struct observer *observer, struct machine *machine,
		const struct board *board)
{
	if (!observer->opened)
		open_files(observer, board);
	session_attach(&observer->session, machine);
}

/*
 * The debugger talks to the terminal, since streams belong to the program; what
 * a script asks for goes to where all messages go.
 */
static void
open_debugger(struct observer *observer, const char *script)
{
	const char *path = *script ? script : "/dev/tty";
	struct diag why = { .text = "" };
	FILE *commands = session_open_file(path, "re", &why);
	FILE *out = *script ? stderr : session_open_file(path, "we", &why);

	if (commands && out) {
		session_open_debugger(&observer->session, commands, out, true);
		observer->debugged = getpid();
		return;
	}
	board_say("no debugger: %s%s", why.text,
		  *script ? "" : "; --debug-script needs no terminal");
	if (commands)
		fclose(commands);
}

void
observer_launch(struct observer *observer, const struct board *board)
{
	struct board_shared *shared = board->shared;
	const uint64_t from = shared->options.debug_launch;

	if (from > 0 && !shared->debugged && shared->totals.launches >= from) {
		shared->debugged = (uint64_t)getpid();
		open_debugger(observer, shared->options.debug_script);
	}
	session_launch(&observer->session, observer->debugged == getpid());
}

void
observer_count(struct observer *observer, const struct board *board)
{
	const struct machine *machine = observer->session.machine;
	struct board_totals *totals = &board->shared->totals;
	struct board_totals *counted = &observer->counted;
	struct board_totals now = {
		.instructions = machine_instructions(machine),
		.clocks = machine_clocks(machine),
		.launch_clocks = machine_launch_clocks(machine),
		.findings = observer->session.hazards
	};

	totals->instructions += now.instructions - counted->instructions;
	totals->clocks += now.clocks - counted->clocks;
	totals->launch_clocks += now.launch_clocks - counted->launch_clocks;
	totals->findings += now.findings - counted->findings;
	for (unsigned i = 0; i < MACHINE_COUNTERS; i++) {
		now.counters[i] = machine_counter(machine, i);
		totals->counters[i] += now.counters[i] - counted->counters[i];
	}
	*counted = now;
}

void
observer_flush(struct observer *observer)
{
	const bool good = session_flush(&observer->session);

	if (!good && !observer->failed)
		board_say("the trace is not whole: %s", strerror(errno));
	observer->failed = observer->failed || !good;
}
