/* SPDX-License-Identifier: MIT */
/*
 * transcripts.golden: sessions of the debugger, as a user sees them.  The lines
 * of a transcript that begin with a prompt are the commands; to add a session
 * write these lines and run the test with UPDATE_GOLDEN=1.  For short answers
 * the section is `answers`: each line is a command, " -> " and the first line of
 * its answer, whose further lines follow.
 *
 * The input is the program: its lines stand on one line with " | " between
 * them, `end` is the usual end of a program, and its source has no
 * file.  Instead there may be the section @source, which is the file
 * test.qasm, and may include the section @include as part.inc.  @nolines leaves
 * out the line map.
 *
 * @machine may change what is given to the machine: `qpus` programs, `timed`
 * or `check`, the address of the `uniforms`, the limits of `instructions` and
 * `clocks`.  The uniforms are 10, the address of data, and 7.
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

/* Assemble the program of a case and fill the line map. */
static uint32_t
load(const struct golden_case *c, struct emu *emu, struct qpu_linemap *lines)
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
		emu_expand(c->input.text, text);
	return emu_assemble_lines(emu, name, source ? source : text,
				  golden_section(c, "@nolines") ? NULL : lines);
}

/* The commands of a transcript, which follow its prompts, or of answers. */
static FILE *
commands_of(const struct golden_case *c)
{
	const char *line = golden_section(c, "transcript");
	const char *answer = golden_section(c, "answers");
	FILE *stream = tmpfile();

	if (!stream) {
		printf("Bail out! no temporary file\n");
		exit(99);
	}
	for (; line && *line; line = strchr(line, '\n') + 1) {
		const char *at = strchr(line, ')');

		if (strncmp(line, "(qpu ", 5) == 0)
			fwrite(at + 2, 1, strcspn(at + 2, "\n") + 1, stream);
	}
	for (; answer && *answer; answer = strchr(answer, '\n') + 1) {
		const char *arrow = strstr(answer, " -> ");

		if (arrow && arrow < strchr(answer, '\n'))
			fprintf(stream, "%.*s\n", (int)(arrow - answer),
				answer);
	}
	rewind(stream);
	return stream;
}

/* Put what is shown from the first prompt on, as commands with their answers. */
static void
write_answers(struct golden_output *out, const char *shown)
{
	shown = strstr(shown, "(qpu ");
	for (; shown && *shown; shown = strchr(shown, '\n') + 1) {
		const bool command = strncmp(shown, "(qpu ", 5) == 0;
		const char *at = command ? strchr(shown, ')') + 2 : shown;

		golden_printf(out, "answers", "%.*s%s", (int)strcspn(at, "\n"),
			      at, command ? " -> " : "\n");
	}
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

static void
debug_case(const struct golden_case *c, struct golden_output *out)
{
	static const uint32_t uniforms[] = { 10, EMU_BASE + EMU_DATA, 7 };
	const bool timed = setting(c, "timed ", 0);
	const bool check = setting(c, "check ", 0);
	const struct machine_options options = { .timed = timed,
						 .check = check,
						 .lockstep = !timed && !check };
	struct emu emu = emu_open(&options);
	struct session session;
	char *shown = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);

	session_init(&session, say, out);
	session_locate(&session, true, load(c, &emu, &session.lines));
	for (unsigned i = 0; i < setting(c, "qpus ", 1); i++) {
		emu_program(&emu, session.lines.base, uniforms, 3);
		emu.programs[i].uniforms =
			setting(c, "uniforms ", emu.programs[i].uniforms);
	}
	session_attach(&session, emu.machine);
	session_open_debugger(&session, commands_of(c), stream, false);
	run(c, out, &emu, &session);
	session_free(&session);
	fclose(stream);
	if (golden_section(c, "answers"))
		write_answers(out, shown);
	else
		golden_write(out, "transcript", shown, size);
	free(shown);
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
