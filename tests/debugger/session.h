/* SPDX-License-Identifier: MIT */
/*
 * session: a machine under the debugger, commands given as text, and all that
 * is shown, for the tests of the debugger.
 */
#ifndef TESTS_DEBUGGER_SESSION_H
#define TESTS_DEBUGGER_SESSION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/debugger/debugger.h"
#include "tests/emulator/emu.h"

struct session {
	struct emu emu;
	struct trace_lines lines;
	struct debugger debugger;
	FILE *out;
	char *shown;
	size_t size, seen;
	bool good; /* what debugger_run returned last */
};

static void
session_on_step(void *context, const struct machine_step *step)
{
	struct session *session = context;

	control_observe(&session->debugger.control, step);
}

static void
session_on_finding(void *context, const struct machine_finding *finding)
{
	struct session *session = context;

	control_finding(&session->debugger.control, finding);
}

/* Assemble a source of this name; its lines are those of the map. */
__attribute__((unused)) static uint32_t
session_assemble(struct session *session, const char *name, const char *text)
{
	struct qpu_asm_program program;
	const uint32_t at = session->emu.code_end;

	if (!qpu_asm_text(name, text, strlen(text), NULL, &program)) {
		printf("Bail out! %s\n", program.messages[0].diag.text);
		exit(99);
	}
	session->lines.base = EMU_BASE + EMU_CODE;
	for (size_t i = 0; i < program.nwords; i++) {
		const struct qpu_asm_word *word = &program.words[i];

		qpu_word_store(session->emu.memory + at + 8 * i, word->word);
		qpu_linemap_add(&session->lines.map, at - EMU_CODE + 8 * i,
				word->file, word->line, word->text);
	}
	session->emu.code_end = at + 8 * program.nwords;
	qpu_asm_free(&program);
	return EMU_BASE + at;
}

/* A machine without a program; its memory ends with the data. */
__attribute__((unused)) static void
session_open(struct session *session, const struct machine_options *options)
{
	memset(session, 0, sizeof(*session));
	session->emu = emu_open(options);
	machine_on_step(session->emu.machine, session_on_step, session);
	machine_on_finding(session->emu.machine, session_on_finding, session);
}

/* Launch the programs of the machine, and attach the debugger with commands. */
__attribute__((unused)) static void
session_start(struct session *session, const char *commands, bool launches)
{
	FILE *input = tmpfile();
	const struct debugger_settings settings = {
		.machine = session->emu.machine,
		.lines = &session->lines,
		.commands = input,
		.out = session->out =
			open_memstream(&session->shown, &session->size),
		.launches = launches,
	};

	if (!input || !session->out) {
		printf("Bail out! no stream\n");
		exit(99);
	}
	fputs(commands, input);
	rewind(input);
	debugger_open(&session->debugger, &settings);
	session->debugger.control.most = 100000; /* nothing runs for ever */
}

__attribute__((unused)) static bool
session_launch(struct session *session)
{
	struct emu *emu = &session->emu;

	return machine_launch(emu->machine, emu->programs, emu->nprograms,
			      &emu->why);
}

/* What was shown since the last call; until more is shown. */
__attribute__((unused)) static const char *
session_shown(struct session *session)
{
	const size_t seen = session->seen;

	fflush(session->out);
	session->seen = session->size;
	return session->shown + seen;
}

__attribute__((unused)) static void
session_close(struct session *session)
{
	debugger_close(&session->debugger);
	fclose(session->out);
	free(session->shown);
	qpu_linemap_free(&session->lines.map);
	emu_close(&session->emu);
}

/* The texts are equal; says in which line they are not. */
__attribute__((unused)) static bool
session_same(const char *shown, const char *expected)
{
	unsigned line = 1;
	size_t i = 0, start = 0;

	for (; shown[i] && shown[i] == expected[i]; i++)
		if (shown[i] == '\n') {
			line++;
			start = i + 1;
		}
	if (shown[i] == expected[i])
		return true;
	tap_note("line %u: '%.*s', expected '%.*s'", line,
		 (int)strcspn(shown + start, "\n"), shown + start,
		 (int)strcspn(expected + start, "\n"), expected + start);
	return false;
}

/* One program on so many QPUs, commands, and all that is shown of it. */
__attribute__((unused)) static bool
session_is(const struct machine_options *options, unsigned qpus,
	   const char *program, const char *commands, const char *expected)
{
	static const uint32_t uniforms[] = { 10, EMU_BASE + EMU_DATA, 7 };
	struct session session;
	bool good;

	session_open(&session, options);
	const uint32_t code = session_assemble(&session, "test", program);

	for (unsigned i = 0; i < qpus; i++)
		emu_program(&session.emu, code, uniforms, 3);
	session_start(&session, commands, false);
	good = session_launch(&session);
	debugger_launch(&session.debugger, true);
	session.good = debugger_run(&session.debugger);
	good = good && session_same(session.shown, expected);
	session_close(&session);
	return good;
}

#endif
