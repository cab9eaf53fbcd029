/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/session.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/outfile.h"
#include "src/base/quote.h"

void
session_init(struct session *session, session_say *say, void *context)
{
	*session = (struct session){
		.say = say,
		.context = context,
	};
	session->trace.lines = &session->lines;
}

/* Set "FILE: REASON", or "FILE:LINE: REASON"; return false.  The name is quoted if a
 * shell would need that. */
static bool
refuse(struct diag *why, const char *path, unsigned line, const char *reason)
{
	struct text name = { 0 };
	char at[16] = "";

	if (line)
		snprintf(at, sizeof(at), ":%u", line);
	diag_set(why, "%s%s: %s", quote_name(&name, path), at, reason);
	text_free(&name);
	return false;
}

/* "-": a stream of its own for standard input or output. */
static FILE *
open_standard(const char *mode)
{
	const int fd = dup(*mode == 'r' ? STDIN_FILENO : STDOUT_FILENO);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, *mode == 'r' ? "r" : "w");

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

FILE *
session_open_file(const char *path, const char *mode, struct diag *why)
{
	FILE *stream = strcmp(path, "-") == 0 ? open_standard(mode) :
						fopen(path, mode);

	if (!stream)
		refuse(why, path, 0, strerror(errno));
	return stream;
}

bool
session_read_lines(struct session *session, const char *path, struct diag *why)
{
	FILE *stream = session_open_file(path, "re", why);
	struct diag at;
	bool good;

	if (!stream)
		return false;
	good = qpu_linemap_read(&session->lines, stream, &at);
	fclose(stream);
	return good || refuse(why, path, at.line, at.text);
}

bool
session_open_trace(struct session *session, const char *path, bool shared,
		   struct diag *why)
{
	session->trace_path = path;
	session->trace.stream =
		session_open_file(path, shared ? "ae" : "we", why);
	return session->trace.stream;
}

static void
on_message(void *context, const struct qpu_message *message)
{
	struct session *session = context;
	char text[MESSAGE_TEXT_SIZE];

	session->hazards += message->severity == QPU_SEVERITY_ERROR;
	message_text(message, text);
	session->say(session->context, text);
	if (session->debugged)
		debugger_find(&session->debugger, message);
}

static void
on_step(void *context, const struct machine_step *step)
{
	struct session *session = context;

	if (session->trace.stream)
		trace_step(&session->trace, step);
	if (session->debugged)
		debugger_observe(&session->debugger, step);
}

/* Observe each instruction, which is slow, only if something needs it. */
static void
observe_steps(struct session *session)
{
	const bool wanted = session->debugged || session->trace.stream;

	machine_on_step(session->machine, wanted ? on_step : NULL, session);
}

void
session_attach(struct session *session, struct machine *machine)
{
	session->machine = machine;
	session->trace.machine = machine;
	memset(session->trace.stalled, 0, sizeof(session->trace.stalled));
	machine_on_message(machine, on_message, session);
	machine_set_lines(machine, &session->lines);
	observe_steps(session);
}

void
session_open_debugger(struct session *session, FILE *commands, FILE *out,
		      bool launches)
{
	assert(session->machine && !session->has_debugger);
	debugger_open(&session->debugger, session->machine, &session->lines,
		      commands, out);
	session->debugger.launches = launches;
	session->has_debugger = true;
}

void
session_locate(struct session *session, bool first, uint32_t code)
{
	if (first || code < session->lines.base)
		session->lines.base = code;
}

void
session_launch(struct session *session, bool debugged)
{
	assert(session->machine);
	session->debugged = debugged && session->has_debugger &&
			    !session->debugger.quit;
	session->begins = session->debugged;
	observe_steps(session);
}

/* Run under the debugger as far as the user wants it. */
static enum session_answer
run_debugger(struct session *session, const struct run_limits *limits,
	     enum machine_status *status, struct diag *why)
{
	struct debugger *debugger = &session->debugger;

	debugger->limits = *limits;
	if (session->begins)
		debugger_launch(debugger, !session->launched);
	session->begins = false;
	session->launched = true;
	debugger_run(debugger);
	if (debugger->paused)
		return SESSION_PAUSED;
	session->debugged = false;
	observe_steps(session);
	if (!debugger->over)
		return SESSION_QUIT;
	*status = debugger->status;
	*why = debugger->why;
	return SESSION_ENDED;
}

enum session_answer
session_run(struct session *session, const struct run_limits *limits,
	    enum machine_status *status, struct diag *why)
{
	enum session_answer answer;

	*status = MACHINE_LIMIT;
	if (session->debugged) {
		answer = run_debugger(session, limits, status, why);
		if (answer != SESSION_QUIT || !session->debugger.launches)
			return answer;
	}
	*status = run_limited(session->machine, limits, why);
	return *status == MACHINE_LIMIT && limits->slice ? SESSION_PAUSED :
							   SESSION_ENDED;
}

void
session_tell_places(struct session *session)
{
	char what[MACHINE_WAIT_SIZE + 32], text[MESSAGE_TEXT_SIZE];
	const struct qpu_linemap_row *row;
	struct machine_view view;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine_look(session->machine, i, &view);
		row = qpu_linemap_find(&session->lines, view.pc);
		if (!view.stuck || !row)
			continue;
		snprintf(what, sizeof(what), "QPU %u %s%s", i,
			 view.faulty ? "is here" : "waits for ",
			 view.faulty ? "" : view.wait);
		message_text(
			&(struct qpu_message){
				.rule = "",
				.text = what,
				.file = row->file,
				.line = row->line,
				.source = *row->text ? row->text : NULL,
				.qpu = -1 },
			text);
		session->say(session->context, text);
	}
}

bool
session_flush(struct session *session)
{
	return !session->trace.stream || outfile_flush(session->trace.stream);
}

bool
session_close_trace(struct session *session, struct diag *why)
{
	FILE *stream = session->trace.stream;

	session->trace.stream = NULL;
	return !stream || outfile_close(stream) ||
	       refuse(why, session->trace_path, 0, strerror(errno));
}

void
session_free(struct session *session)
{
	session_close_trace(session, NULL);
	if (session->has_debugger)
		debugger_close(&session->debugger);
	qpu_linemap_free(&session->lines);
}
