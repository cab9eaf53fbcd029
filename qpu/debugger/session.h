/* SPDX-License-Identifier: MIT */
/*
 * session: what a user sees of the programs that a machine runs: messages with
 * their source lines, a trace, and the debugger.  qpurun has one
 * session; under qpuemu each process that uses the QPUs has one.
 *
 *	session_init
 *	session_read_lines, session_open_trace
 *	session_attach, and again when the machine is another one
 *	session_open_debugger
 *	for each launch:
 *		session_locate, machine_launch, session_launch
 *		session_run until it does not return SESSION_PAUSED
 *		session_tell_places after a deadlock or fault
 *		session_flush
 *	session_close_trace
 *	session_free
 *
 * Every step but the first, session_attach and the last may be left out.  The
 * session hands each message to `say`; it writes the trace itself, and the
 * debugger writes to its own stream.
 */
#ifndef QPU_DEBUGGER_SESSION_H
#define QPU_DEBUGGER_SESSION_H

#include "qpu/debugger/debugger.h"

/* Show a message of one or more lines, without an end of line. */
typedef void
session_say(void *context, const char *text);

struct session {
	struct machine *machine;
	struct qpu_linemap lines;
	uint64_t hazards; /* that were found; warnings are not counted */

	/* The rest is the session's own. */
	session_say *say;
	void *context;
	struct trace trace; /* its stream is null: none is written */
	const char *trace_path;
	struct debugger debugger;
	bool has_debugger;
	bool launched; /* a launch was debugged */
	bool debugged; /* this launch is debugged */
	bool begins;   /* it has not run yet */
};

void
session_init(struct session *session, session_say *say, void *context);

/* Read the line map of what is launched.  On failure, here and below, `why` begins
 * with the file and, where its text is wrong, the line. */
bool
session_read_lines(struct session *session, const char *path, struct diag *why);

/*
 * Write the file, or standard output if its name is "-", from now on; the caller
 * keeps the name.  Several processes append to a file that is shared.
 */
bool
session_open_trace(struct session *session, const char *path, bool shared,
		   struct diag *why);

/* Open a file for another use; "-" is standard input or output, through a new
 * descriptor. Return NULL on failure. */
FILE *
session_open_file(const char *path, const char *mode, struct diag *why);

/* Observe this machine. */
void
session_attach(struct session *session, struct machine *machine);

/*
 * Take commands from a stream, which is closed at the end unless it is standard
 * input.  With `launches` there may be more than one launch: to go on after the
 * end of a launch leaves it, and to quit lets programs run without the
 * debugger.  Else quitting ends the run.
 */
void
session_open_debugger(struct session *session, FILE *commands, FILE *out,
		      bool launches);

/*
 * A program of a launch: the line map is about the code at the lowest address.
 * `first` is true for the first program of the launch.
 */
void
session_locate(struct session *session, bool first, uint32_t code);

/*
 * A launch begins; its programs may still be queued.  The debugger, if it was
 * opened and takes part, stops before the first instruction of the first such
 * launch, and later ones for breakpoints, hazards, faults and deadlocks.
 */
void
session_launch(struct session *session, bool debugged);

enum session_answer {
	SESSION_PAUSED, /* at the limits of a slice */
	SESSION_ENDED,	/* status and why say how */
	SESSION_QUIT,	/* by a user who has only this launch */
};

/* Run the launch, with or without the debugger. */
enum session_answer
session_run(struct session *session, const struct run_limits *limits,
	    enum machine_status *status, struct diag *why);

/* Say where the programs stand; for after a deadlock or fault. */
void
session_tell_places(struct session *session);

/* Write what there is of the trace.  False, with errno, if not everything could
 * be written. */
bool
session_flush(struct session *session);

/* Return true if no such file was open, or everything could be written. */
bool
session_close_trace(struct session *session, struct diag *why);

/* Close what is open, and free everything but the machine. */
void
session_free(struct session *session);

#endif
