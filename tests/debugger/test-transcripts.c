/* SPDX-License-Identifier: MIT */
/*
 * transcripts.golden: sessions of the debugger, as a user sees them from the first
 * prompt on.  In the section `answers` each line is a command, " -> " and the first
 * line of its answer, whose further lines follow; to add a session write "COMMAND ->"
 * and run the test with UPDATE_GOLDEN=1.
 *
 * The input is the program: its lines stand on one line with " | " between
 * them, `end` is the usual end of a program, and its source has no
 * file.  Instead there may be the section @source, which is the file
 * test.qasm, and may include the section @include as part.inc.  @nolines leaves
 * out the line map.  Each further line of the input is a later launch, of another
 * program, or `again` of the same.
 *
 * @machine may change what is given to the machine: `qpus` programs, `timed`
 * or `check`, the address of the `uniforms`, the limits of `instructions` and
 * `clocks`.  The uniforms are 10, the address of data, and 7.  The sections
 * `trace` and `profile` are what is written beside the debugger.
 */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "qpu/debugger/session.h"
#include "tests/emulator/emu.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"

/* The number after a word of the section @machine, or `otherwise`. */
static unsigned
setting(const struct golden_case *c, const char *word, unsigned otherwise)
{
	const char *text = golden_section(c, "@machine");
	const char *at = text ? strstr(text, word) : NULL;

	return at ? (unsigned)strtoul(at + strlen(word), NULL, 0) : otherwise;
}

/* Assemble a program of a case, and add it to the line map. */
static uint32_t
load(const struct golden_case *c, const char *line, struct emu *emu,
     struct qpu_linemap *lines)
{
	const char *source = golden_section(c, "@source");
	const char *include = golden_section(c, "@include");
	const char *name = source ? "test.qasm" : "test";
	char text[EMU_SOURCE];

	if (include)
		scratch_text("part.inc", include);
	if (source)
		scratch_text(name, source);
	else
		emu_expand(line, text);
	return emu_assemble_lines(emu, name, source ? source : text,
				  golden_section(c, "@nolines") ? NULL : lines);
}

/* The commands are what stands before the arrows. */
static FILE *
commands_of(const struct golden_case *c)
{
	const char *line = golden_section(c, "answers");
	FILE *stream = tmpfile();

	if (!stream) {
		printf("Bail out! no temporary file\n");
		exit(99);
	}
	for (; line && *line; line = strchr(line, '\n') + 1) {
		const char *arrow = strstr(line, " ->");

		if (arrow && arrow < strchr(line, '\n'))
			fprintf(stream, "%.*s\n", (int)(arrow - line), line);
	}
	rewind(stream);
	return stream;
}

/* Put what is shown from the first prompt on, as commands with their answers. */
static void
write_answers(struct golden_output *out, const char *shown)
{
	bool answered = true;

	shown = strstr(shown, "(qpu ");
	for (; shown && *shown; shown = strchr(shown, '\n') + 1) {
		const bool command = strncmp(shown, "(qpu ", 5) == 0;
		const char *at = command ? strchr(shown, ')') + 2 : shown;
		const int len = (int)strcspn(at, "\n");

		if (command)
			golden_printf(out, "answers", "%s%.*s ->",
				      answered ? "" : "\n", len, at);
		else
			golden_printf(out, "answers", "%s%.*s\n",
				      answered ? "" : " ", len, at);
		answered = !command;
	}
	if (!answered)
		golden_printf(out, "answers", "\n");
}

static void
say(void *out, const char *text)
{
	golden_printf(out, "messages", "%s\n", text);
}

static void
run(const struct golden_case *c, struct golden_output *out, struct emu *emu,
    struct session *session)
{
	const struct run_limits limits = {
		.instructions = setting(c, "instructions ", 100000),
		.clocks = setting(c, "clocks ", 0),
	};
	enum machine_status status;
	struct diag why;

	if (!machine_launch(emu->machine, emu->programs, emu->nprograms, &why))
		golden_printf(out, "end", "%s\n", why.text);
	session_launch(session, true);
	if (session_run(session, &limits, &status, &why) == SESSION_ENDED &&
	    status != MACHINE_DONE)
		golden_printf(out, "end", "%s\n", why.text);
}

/* Run a launch for each line of the input. */
static void
run_launches(const struct golden_case *c, struct golden_output *out,
	     struct emu *emu, struct session *session)
{
	static const uint32_t uniforms[] = { 10, EMU_BASE + EMU_DATA, 7 };
	const char *line = c->input.text;
	uint32_t code = 0;

	do {
		if (strncmp(line, "again\n", 6) != 0)
			code = load(c, line, emu, &session->lines);
		if (line == c->input.text)
			session_locate(session, true, code);
		else
			machine_reset(emu->machine);
		emu->nprograms = 0;
		for (unsigned i = 0; i < setting(c, "qpus ", 1); i++) {
			emu_program(emu, code, uniforms, 3);
			emu->programs[i].uniforms = setting(
				c, "uniforms ", emu->programs[i].uniforms);
		}
		run(c, out, emu, session);
		line += strcspn(line, "\n");
		line += *line != '\0';
	} while (*line);
}

/* Print what the instructions cost. */
static void
write_profile(FILE *stream, const struct emu *emu, bool timed,
	      const struct session *session)
{
	struct cost_table table = { .stream = stream,
				    .lines = &session->lines,
				    .timed = timed };

	cost_table_begin(&table);
	for (uint32_t at = EMU_CODE; qpu_word_load(emu->memory + at); at += 8)
		cost_table_add(&table, EMU_BASE + at,
			       qpu_word_load(emu->memory + at),
			       machine_cost_of(emu->machine, EMU_BASE + at));
	cost_table_end(&table);
	cost_print_qpus(stream, emu->machine, timed);
}

static void
debug_case(const struct golden_case *c, struct golden_output *out)
{
	const bool timed = setting(c, "timed ", 0);
	const bool check = setting(c, "check ", 0);
	const struct machine_options options = { .timed = timed,
						 .check = check,
						 .profile = golden_section(
							 c, "profile"),
						 .lockstep = !timed && !check };
	struct emu emu = emu_open(&options);
	struct session session;
	char *shown = NULL, *trace = NULL, *profile = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);
	FILE *costs = open_memstream(&profile, &size);

	session_init(&session, say, out);
	if (golden_section(c, "trace"))
		session.trace.stream = open_memstream(&trace, &size);
	session_attach(&session, emu.machine);
	session_open_debugger(&session, commands_of(c), stream,
			      strchr(c->input.text, '\n') !=
				      strrchr(c->input.text, '\n'));
	run_launches(c, out, &emu, &session);
	if (options.profile)
		write_profile(costs, &emu, timed, &session);
	session_free(&session);
	fclose(stream);
	fclose(costs);
	write_answers(out, shown);
	golden_printf(out, "trace", "%s", trace ? trace : "");
	golden_printf(out, "profile", "%s", profile);
	free(shown);
	free(trace);
	free(profile);
	emu_close(&emu);
}

/* The files of a case are relative to a directory of its own. */
static void
debug_in_scratch(const struct golden_case *c, struct golden_output *out)
{
	const int top = open(".", O_RDONLY | O_DIRECTORY);

	scratch_enter();
	scratch_empty();
	debug_case(c, out);
	if (top < 0 || fchdir(top) != 0)
		exit(99);
	close(top);
}

int
main(void)
{
	golden_run("tests/debugger/transcripts.golden", debug_in_scratch);
	return tap_done();
}
