/* SPDX-License-Identifier: MIT */
/*
 * A session beside its commands: launches in slices; the interrupt key; traces of
 * two processes; sources that are long or cannot be read; too little memory.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/debugger/session.h"
#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"

/* A session with programs to launch, and what it shows. */
struct rig {
	struct emu emu;
	struct session session;
	uint32_t base;
	FILE *out;
	char *shown;
	size_t size, seen;
	enum machine_status status;
	struct diag why;
};

/* Counts r0 up from 0 for ever. */
static const char counting[] = "mov r0, 0\n:again\nadd r0, r0, 1\n"
			       "brr -, :again\nnop\nnop\nnop\n";
static const char short_program[] = "nop\nnop" EMU_END;

/* Add a program; its lines come from a source of this name. */
static void
rig_program(struct rig *rig, const char *name, const char *source)
{
	emu_program(&rig->emu,
		    emu_assemble_lines(&rig->emu, name, source,
				       &rig->session.lines),
		    NULL, 0);
}

static struct rig *
rig_open(const struct machine_options *options)
{
	static struct rig rig;

	rig = (struct rig){ .emu = emu_open(options) };
	rig.out = open_memstream(&rig.shown, &rig.size);
	session_init(&rig.session, NULL, NULL);
	session_locate(&rig.session, true, EMU_BASE + EMU_CODE);
	session_attach(&rig.session, rig.emu.machine);
	return &rig;
}

static void
rig_commands(struct rig *rig, const char *commands)
{
	FILE *stream = tmpfile();

	fputs(commands, stream);
	rewind(stream);
	session_open_debugger(&rig->session, stream, rig->out, true);
}

static void
rig_launch(struct rig *rig, unsigned program, bool debugged)
{
	machine_reset(rig->emu.machine);
	machine_launch(rig->emu.machine, &rig->emu.programs[program], 1,
		       &rig->why);
	session_launch(&rig->session, debugged);
}

static enum session_answer
rig_run(struct rig *rig, uint64_t instructions, bool slice)
{
	const struct run_limits limits = {
		.instructions = instructions ?
					machine_instructions(rig->emu.machine) +
						instructions :
					0,
		.slice = slice,
	};

	return session_run(&rig->session, &limits, &rig->status, &rig->why);
}

/* Check what was shown since the last call. */
static bool
rig_shows(struct rig *rig, const char *expected)
{
	const char *shown;

	fflush(rig->out);
	shown = rig->shown + rig->seen;
	rig->seen = rig->size;
	if (strcmp(shown, expected) == 0)
		return true;
	tap_note("shown: %s", shown);
	return false;
}

static void
rig_close(struct rig *rig)
{
	session_free(&rig->session);
	fclose(rig->out);
	free(rig->shown);
	emu_close(&rig->emu);
}

/* Launch the first program, and look for what is shown until its second
 * instruction. */
static void
begin_shows(struct rig *rig, const char *expected, const char *promise)
{
	rig_launch(rig, 0, true);
	rig_run(rig, 1, false);
	fflush(rig->out);
	if (!ok(strstr(rig->shown, expected), "%s", promise))
		tap_note("%s", rig->shown);
}

static const struct machine_options in_turn = { .lockstep = true };

static void
test_slices(void)
{
	struct rig *rig = rig_open(&in_turn);
	unsigned slices = 0;

	rig_program(rig, "t", counting);
	rig_commands(rig, "s 9\nuntil r0 == 3\n");
	rig_launch(rig, 0, true);
	while (slices < 8 && rig_run(rig, 4, true) == SESSION_PAUSED)
		slices++;
	ok(slices == 8 &&
		   rig_shows(rig, "QPU 0 at 40001000  mov r0, 0  # t:1\n"
				  "(qpu 0) s 9\n"
				  "QPU 0 at 40001020  nop  # t:6\n"
				  "      branches to 40001008 after 2 more\n"
				  "(qpu 0) until r0 == 3\n"
				  "QPU 0 at 40001010  brr -, -40  # t:4\n"),
	   "a command goes on over pauses with its goal");
	rig_close(rig);
	rig = rig_open(&in_turn);
	rig_program(rig, "t", counting);
	rig_launch(rig, 0, false);
	ok(rig_run(rig, 4, true) == SESSION_PAUSED &&
		   rig_run(rig, 4, true) == SESSION_PAUSED &&
		   machine_instructions(rig->emu.machine) == 8 &&
		   rig_run(rig, 4, false) == SESSION_ENDED &&
		   rig->status == MACHINE_LIMIT,
	   "without the debugger a slice is a pause, and the last one the end");
	ok(session_run(&rig->session,
		       &(struct run_limits){ .instructions = 12 }, &rig->status,
		       &rig->why) == SESSION_ENDED &&
		   machine_instructions(rig->emu.machine) == 12,
	   "at a limit that is reached nothing is executed");
	rig_close(rig);
}

/* The interrupt key is pressed when the trace of an instruction is written. */
static ssize_t
press_key(void *cookie, const char *text, size_t n)
{
	unsigned *written = cookie;

	(void)text;
	if (++*written == 20)
		raise(SIGINT);
	return (ssize_t)n;
}

static unsigned keys;

static void
count_key(int number)
{
	(void)number;
	keys++;
}

static void
test_interrupt(void)
{
	struct sigaction action = { .sa_handler = count_key }, now;
	struct rig *rig = rig_open(&in_turn);
	unsigned written = 0;
	sigset_t mask, blocked;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGINT, &action, NULL);
	rig_program(rig, "t", counting);
	rig->session.trace.stream = fopencookie(
		&written, "w", (cookie_io_functions_t){ .write = press_key });
	setvbuf(rig->session.trace.stream, NULL, _IOLBF, 0);
	rig_commands(rig, "c\ns\nq\n");
	rig_launch(rig, 0, true);
	rig_run(rig, 1000, false);
	ok(rig_shows(rig, "QPU 0 at 40001000  mov r0, 0  # t:1\n"
			  "(qpu 0) c\n"
			  "interrupted\n"
			  "QPU 0 at 40001028  nop  # t:7\n"
			  "      branches to 40001008 after 1 more\n"
			  "(qpu 0) s\n"
			  "QPU 0 at 40001008  add r0, r0, 1  # t:3\n"
			  "(qpu 0) q\n"),
	   "the interrupt key stops the run, also where it is blocked");
	sigaction(SIGINT, NULL, &now);
	sigprocmask(SIG_UNBLOCK, NULL, &blocked);
	ok(now.sa_handler == count_key && sigismember(&blocked, SIGINT) &&
		   !keys,
	   "after a run the signal does what it did before");
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	rig_close(rig);
}

static size_t
size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (size_t)status.st_size;
}

/* Two processes, one after the other here, write to the same file. */
static void
test_shared_file(void)
{
	static const struct machine_options timed = { .timed = true };
	struct diag why;
	size_t once = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_open(&timed);

		ok(session_open_trace(&rig->session, "trace", true, &why),
		   "a process opens the shared trace");
		session_attach(&rig->session, rig->emu.machine);
		rig_program(rig, "t", short_program);
		rig_launch(rig, 0, false);
		rig_run(rig, 0, false);
		if (i == 0)
			ok(session_flush(&rig->session) &&
				   (once = size_of("trace")) > 0,
			   "flushing writes the trace");
		session_close_trace(&rig->session, &why);
		rig_close(rig);
	}
	ok(once && size_of("trace") == 2 * once,
	   "traces of two processes are appended");
}

static void
leave_file_open(void)
{
	static const struct machine_options timed = { .timed = true };
	struct rig *rig = rig_open(&timed);
	struct diag why;

	if (!session_open_trace(&rig->session, "trace", false, &why))
		exit(99);
	session_attach(&rig->session, rig->emu.machine);
	rig_close(rig);
}

/* Check what a command such as `list 1` shows at the first line of a source. */
static void
list_is(const char *commands, const char *expected, const char *promise)
{
	struct rig *rig = rig_open(&in_turn);

	rig_program(rig, "source", "nop" EMU_END);
	rig_commands(rig, commands);
	begin_shows(rig, expected, promise);
	rig_close(rig);
}

static void
test_sources(void)
{
	enum { MOST = 16 << 20 };

	scratch_text("source", "");
	list_is("list 1\nq\n", "(qpu 0) list 1\n(qpu 0) q\n",
		"an empty source has no lines");
	scratch_remove("source");
	scratch_folder("source");
	list_is("list 0\nq\n", "\n->     1  nop\n",
		"a directory is no source: the line map has the text");
	scratch_remove("source");
	scratch_text("source", "one\ntwo\nlast");
	list_is("list 2\nq\n",
		"\n->     1  one\n       2  two\n       3  last\n(qpu",
		"a source may end without a newline");
	truncate("source", MOST - 1);
	list_is("list 0\nq\n", "\n->     1  one\n",
		"a source of 16 MiB less a byte is read");
	truncate("source", MOST);
	list_is("list 0\nq\n", "\n->     1  nop\n",
		"a source of 16 MiB is not read: the line map has the text");
}

/* A name that is longer than a file's is not compared with bytes before the
 * file's name in memory. */
static void
test_file_names(void)
{
	static const char before[] = "/dir/source";
	static struct qpu_linemap_row row = { 0, 1, before + 5, "nop" };
	struct rig *rig = rig_open(&in_turn);

	rig->session.lines = (struct qpu_linemap){ &row, 1, 1, 0 };
	rig_commands(rig, "break dir/source:1\nbreak source:1\nq\n");
	begin_shows(
		rig,
		"\nno instruction at or after line 'dir/source:1'\n"
		"(qpu 0) break source:1\nbreakpoint 1 at source:1\n",
		"a file is named by the end of its path, and by no more than "
		"that");
	rig->session.lines = (struct qpu_linemap){ .nrows = 0 };
	rig_close(rig);
}

/* Two commands; memory is short at the second one. */
struct short_commands {
	const char *lines[3];
	unsigned given;
	enum fault_call call;
	unsigned nth;
};

static ssize_t
give_command(void *cookie, char *to, size_t size)
{
	struct short_commands *commands = cookie;
	const char *line =
		commands->given < 3 ? commands->lines[commands->given] : "";

	if (commands->given++ == 1)
		fault_at(commands->call, commands->nth, ENOMEM);
	return snprintf(to, size, "%s", line);
}

static void
test_no_memory(void)
{
	static const struct {
		struct short_commands commands;
		const char *shown, *promise;
	} rows[] = {
		{ { { "where\n", "break *40001008\n", "b\n" },
		    0,
		    FAULT_realloc,
		    1 },
		  "(qpu 0) break *40001008\nout of memory\n(qpu 0) b\n"
		  "no breakpoints\n",
		  "a breakpoint for which there is no memory is refused" },
		{ { { "where\n", "list 0\n", "q\n" }, 0, FAULT_reallocarray, 1 },
		  "\n->     1  nop\n",
		  "without memory for a source the line map has the text" },
		{ { { "where\n", "list 0\n", "q\n" }, 0, FAULT_reallocarray, 2 },
		  "\n->     1  nop\n",
		  "without memory for a source's bytes the line map has the "
		  "text" },
	};

	scratch_text("source", "one\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct short_commands commands = rows[i].commands;
		struct rig *rig = rig_open(&in_turn);
		FILE *stream = fopencookie(
			&commands, "r",
			(cookie_io_functions_t){ .read = give_command });

		rig_program(rig, "source", "nop" EMU_END);
		session_open_debugger(&rig->session, stream, rig->out, true);
		begin_shows(rig, rows[i].shown, rows[i].promise);
		fault_clear();
		rig_close(rig);
	}
}

int
main(void)
{
	scratch_enter();
	test_slices();
	test_interrupt();
	test_shared_file();
	balance_test(leave_file_open, "a session with a file");
	test_sources();
	test_file_names();
	test_no_memory();
	return tap_done();
}
