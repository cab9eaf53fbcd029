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
#include "src/base/text.h"

/* --- Lines from a terminal or from a script: line_input.c ----------------- */

struct line_input {
	FILE *stream, *out;
	bool terminal; /* both are one */
	char *line;
	size_t room;
};

void
line_input_open(struct line_input *input, FILE *stream, FILE *out);

/*
 * The next line without its end, until the next call; null at the end.  The
 * lines of a script are written after the prompt, as if they were typed.  On a
 * terminal the interrupt key begins a new line.
 */
char *
line_input_read(struct line_input *input, const char *prompt);

/* Close the stream unless it is standard input. */
void
line_input_close(struct line_input *input);

/* --- Source files that a line map names, and places in them: source_text.c --- */

/* Files are read when they are first asked for.  One that cannot be read is
 * replaced by what the line map itself has of it. */

/* A file in memory; its lines are strings. */
struct source_file {
	const char *name; /* as in the line map, which owns it */
	bool readable;
	struct text text;
};

struct source_text {
	const struct trace_lines *map;
	struct source_file *files;
	size_t nfiles;
};

/* The text of a line, counted from 1; null where none is known. */
const char *
source_text_line(struct source_text *source, const char *file, unsigned line);

/*
 * A place as users write it: *ADDR, LINE, FILE:LINE or a label.  LINE alone is
 * of `file`.  A line without instructions stands for the next one that has
 * some, and a label for the first instruction after it.
 */
bool
source_text_place(struct source_text *source, const char *text,
		  const char *file, struct place *place, struct diag *why);

/* --- The debugger --------------------------------------------------------- */

enum { DEBUGGER_DISPLAYS = 8 };

struct debugger {
	struct control control;
	struct breakpoints points;
	struct source_text source;
	struct line_input input;
	FILE *out;
	char *displayed[DEBUGGER_DISPLAYS]; /* what print is given at each stop */
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

/*
 * Write a line as this debugger has it in place of gdb's words, such as "info reg"
 * or "x/4x 40000000".  Returns false if these mean nothing here.
 */
enum { DEBUGGER_LINE = 256 };
bool
debugger_from_gdb(const char *typed, char line[DEBUGGER_LINE]);

/*
 * The commands that only show something: show.c.  Each gets what is typed after
 * its name; false means that this makes no sense, and `why` has the reason.
 */

/* A command of the debugger. */
typedef bool
debugger_command(struct debugger *debugger, char *text, struct diag *why);

debugger_command show_disassemble, show_flags, show_list;
debugger_command show_memory, show_print, show_registers, show_setup;
debugger_command show_shared, show_uniforms, show_vpm;
debugger_command show_where;

/* Print the place of a QPU and what it waits for. */
void
show_place(const struct debugger *debugger, unsigned qpu);

/* The next word of a command, ended in place; *text moves past it. */
char *
show_next_word(char **text);

/* Read a decimal number up to `most` from the next word; without a word `number`
 * stays. */
bool
show_next_number(char **text, unsigned most, unsigned *number,
		 struct diag *why);

#endif
