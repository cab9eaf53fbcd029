/* SPDX-License-Identifier: MIT */
/*
 * debugger: commands, from a terminal or a script, that run a machine step by
 * step and show its state.  The manual, qpurun(1), describes them.
 *
 * A launch runs until the event that the last command waits for (its goal), a
 * breakpoint, a hazard, the interrupt key, the end of all programs, or the
 * limits.  Then the commands have the floor, until one of them goes on.  In
 * slices a run that reaches the limits is paused instead: the next call goes on
 * with the same goal and no word to the user.  So there are three states:
 *
 *	paused		the limits of a slice were reached, debugger_run goes on
 *	over		the programs have ended, or cannot go on
 *	neither		the user is asked for a command
 *
 * The session (session.h) hands each step and each message of the machine to
 * debugger_observe and debugger_find; these stop the machine.
 */
#ifndef QPU_DEBUGGER_DEBUGGER_H
#define QPU_DEBUGGER_DEBUGGER_H

#include <signal.h>

#include "qpu/debugger/operand.h"
#include "qpu/debugger/trace.h"

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

/* The interrupt key, caught by this thread until it is given back.  The virtual
 * board blocks all signals; this one is not blocked meanwhile. */
struct interrupt_key {
	struct sigaction action;
	sigset_t mask;
};

void
interrupt_key_catch(struct interrupt_key *before);
bool
interrupt_key_pressed(void);
void
interrupt_key_give_back(const struct interrupt_key *before);

/* --- Source files that a line map names, and places in them: source_text.c --- */

/* Files are read when they are first asked for.  One that cannot be read is
 * replaced by what the line map itself has of it. */

struct source_file {
	const char *name; /* as in the line map, which owns it */
	bool readable;
	char **lines;
	size_t nlines, room;
};

struct source_text {
	const struct qpu_linemap *map;
	struct source_file *files;
	size_t nfiles, room;
};

/* A place in the code: a source line, or an address. */
struct place {
	uint32_t pc;	  /* of an address alone */
	const char *file; /* null for an address; owned by the line map */
	unsigned line;
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

void
source_text_free(struct source_text *source);

/* --- Runs, and what stops them: stop.c ------------------------------------- */

/*
 * Totals of a machine at which its run ends, or 0 for no limit.  In slices the
 * run is paused there, and can continue.
 */
struct run_limits {
	uint64_t instructions, clocks;
	bool slice;
};

/* Run a machine up to its limits; if it has reached one, it stays as it is. */
enum machine_status
run_limited(struct machine *machine, const struct run_limits *limits,
	    struct diag *why);

/*
 * A breakpoint is at one code address or, where there is a line map, at a
 * source line: each address at which a run of the line's instructions begins.
 */
struct breakpoint {
	unsigned number;
	struct place place;
	bool conditional; /* it stops a QPU only if the condition holds */
	struct condition condition;
	bool watches; /* no place: it stops where a value changes, which */
	struct operand watched;
	char name[16];
	unsigned qpu;	/* this QPU has if it is of a register, */
	uint32_t value; /* from this one */
	uint32_t before;
};

/* The event that a run waits for. */
enum goal {
	GOAL_NONE,
	GOAL_STEPS,	/* instructions of the chosen QPU */
	GOAL_LINE,	/* the chosen QPU reaches another line */
	GOAL_RETURN,	/* its subroutine has returned */
	GOAL_CONDITION, /* for the chosen QPU */
};

enum stop {
	STOP_NOT, /* it runs, or ended by itself */
	STOP_GOAL,
	STOP_BREAKPOINT,
	STOP_HAZARD,
	STOP_KEY, /* the interrupt key */
	STOP_QPU_ENDED,
};

enum { DEBUGGER_DISPLAYS = 8, DEBUGGER_LINE = 128 };

struct debugger {
	struct machine *machine;
	const struct qpu_linemap *lines;
	struct run_limits limits;
	unsigned qpu; /* that the user has chosen */

	/* Reasons to stop a run. */
	struct breakpoint *points;
	size_t npoints;
	unsigned last; /* the number that was given last */
	enum goal goal;
	uint64_t steps;
	const struct qpu_linemap_row *line;
	unsigned calls; /* that were made since and have not returned */
	bool returns;	/* the branch back is taken, its slots are not done */
	struct condition condition;

	/* How it was stopped, or ended. */
	enum stop stop;
	const struct breakpoint *hit;
	unsigned by; /* the QPU that made the condition hold */
	bool over;
	bool paused;
	enum machine_status status;
	struct diag why;

	/* The user's side. */
	struct source_text source;
	struct line_input input;
	FILE *out;
	/* The arguments of print at each stop. */
	char displayed[DEBUGGER_DISPLAYS][DEBUGGER_LINE];
	unsigned ndisplayed;
	bool launches; /* there may be more: going on at the end leaves one */
	bool attended; /* the user gave a command during this launch */
	bool left;     /* the user is done with this launch */
	bool quit;     /* the user is done with all launches */
};

/* Run until the goal; `stop`, or `over`, `status` and `why`, say what came of it. */
void
debugger_go(struct debugger *debugger, enum goal goal);

/* Go on after a pause, with limits that were raised. */
void
debugger_resume(struct debugger *debugger);

/* --- Commands: debugger.c --------------------------------------------------- */

/* The input is closed at the end unless it is stdin; out is for what the
 * debugger says. */
void
debugger_open(struct debugger *debugger, struct machine *machine,
	      const struct qpu_linemap *lines, FILE *input, FILE *out);

/*
 * A launch begins: stop it before the first instruction, or let it run to a
 * breakpoint, a hazard, a fault or a deadlock.
 */
void
debugger_launch(struct debugger *debugger, bool stop);

/*
 * Read and obey commands until the end of the input or `quit`; where there are
 * several launches, until the user leaves this one; in slices also until the
 * run is paused: the next call then continues.
 */
void
debugger_run(struct debugger *debugger);

/* Call these for each step and for each message of the machine. */
void
debugger_observe(struct debugger *debugger, const struct machine_step *step);
void
debugger_find(struct debugger *debugger, const struct qpu_message *message);

void
debugger_close(struct debugger *debugger);

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
/* Do so for each QPU that has a program; return whether there are any. */
bool
show_places(const struct debugger *debugger);

/* The next word of a command, ended in place; *text moves past it. */
char *
show_next_word(char **text);

/* Read a decimal number up to `most` from the next word; without a word `number`
 * stays. */
bool
show_next_number(char **text, unsigned most, unsigned *number,
		 struct diag *why);

#endif
