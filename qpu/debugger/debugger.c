/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000000 };

/* If the program of the chosen QPU has ended, choose another QPU that runs. */
static void
choose_running(struct debugger *debugger)
{
	struct machine_view view;

	machine_look(debugger->machine, debugger->qpu, &view);
	for (unsigned i = 0; i < MACHINE_QPUS && !view.running; i++) {
		machine_look(debugger->machine, i, &view);
		if (view.running)
			debugger->qpu = i;
	}
}

/* Print what the user wants to see at each stop. */
static void
tell_displayed(struct debugger *debugger)
{
	struct diag why;
	char text[DEBUGGER_LINE];

	for (unsigned i = 0; i < debugger->ndisplayed; i++) {
		memcpy(text, debugger->displayed[i], sizeof(text));
		if (!show_print(debugger, text, &why))
			fprintf(debugger->out, "%s\n", why.text);
	}
}

static void
tell_stop(struct debugger *debugger)
{
	const struct breakpoint *hit = debugger->hit;
	FILE *out = debugger->out;

	switch (debugger->stop) {
	case STOP_BREAKPOINT:
		assert(hit);
		fprintf(out, "breakpoint %u", hit->number);
		if (hit->watches)
			fprintf(out, ": 0x%08" PRIx32 " became 0x%08" PRIx32,
				hit->before, hit->value);
		putc('\n', out);
		break;
	case STOP_HAZARD: fputs("stopped at a hazard\n", out); break;
	case STOP_KEY: fputs("interrupted\n", out); break;
	case STOP_QPU_ENDED:
		fprintf(out, "the program of QPU %u has ended\n",
			debugger->qpu);
		choose_running(debugger);
		break;
	case STOP_GOAL:
		if (debugger->goal == GOAL_CONDITION &&
		    debugger->by != debugger->qpu)
			fprintf(out,
				"it holds since an instruction of QPU %u\n",
				debugger->by);
		break;
	case STOP_NOT: break;
	}
	show_place(debugger, debugger->qpu);
	tell_displayed(debugger);
}

static void
tell(struct debugger *debugger)
{
	if (!debugger->over) {
		tell_stop(debugger);
	} else if (debugger->status == MACHINE_DONE) {
		fputs("all programs have ended\n", debugger->out);
	} else {
		fprintf(debugger->out, "%s\n", debugger->why.text);
		show_places(debugger);
	}
}

static bool
go(struct debugger *debugger, enum goal goal, struct diag *why)
{
	if (debugger->over && debugger->launches) {
		debugger->left = true;
		return true;
	}
	if (debugger->over)
		return diag_set(why, "the run is over");
	debugger_go(debugger, goal);
	if (!debugger->paused)
		tell(debugger);
	return true;
}

static bool
command_step(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned n = 1;

	if (!show_next_number(&text, MOST_STEPS, &n, why))
		return false;
	debugger->steps = n;
	return !n || go(debugger, GOAL_STEPS, why);
}

static bool
command_next(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text;
	return go(debugger, GOAL_LINE, why);
}

static bool
command_continue(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text;
	return go(debugger, GOAL_NONE, why);
}

static bool
command_finish(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text;
	return go(debugger, GOAL_RETURN, why);
}

static bool
command_until(struct debugger *debugger, char *text, struct diag *why)
{
	return condition_parse(text, &debugger->condition, why) &&
	       go(debugger, GOAL_CONDITION, why);
}

static void
show_breakpoint(const struct debugger *debugger, const struct breakpoint *point)
{
	fprintf(debugger->out, "breakpoint %u at ", point->number);
	if (point->watches) {
		fprintf(debugger->out, "changes of %s\n", point->name);
		return;
	}
	if (point->place.file)
		fprintf(debugger->out, "%s:%u", point->place.file,
			point->place.line);
	else
		fprintf(debugger->out, "%08" PRIx32, point->place.pc);
	fprintf(debugger->out, "%s\n",
		point->conditional ? ", with a condition" : "");
}

/* Find a place as the user writes it; a line alone is of the present file. */
static bool
find_place(struct debugger *debugger, const char *word, struct place *place,
	   struct diag *why)
{
	const struct qpu_linemap *lines = debugger->lines;
	const struct qpu_linemap_row *row;
	struct machine_view view;

	machine_look(debugger->machine, debugger->qpu, &view);
	row = qpu_linemap_find(lines, view.pc);
	if (!row && lines->nrows)
		row = lines->rows;
	return source_text_place(&debugger->source, word,
				 row ? row->file : NULL, place, why);
}

/* Read "if A == B", or nothing. */
static bool
parse_condition(char *text, struct breakpoint *point, struct diag *why)
{
	const char *word = show_next_word(&text);

	point->conditional = *word;
	if (!*word)
		return true;
	if (strcmp(word, "if") == 0)
		return condition_parse(text, &point->condition, why);
	return diag_set(why, "'%s' is not if", word);
}

/* Add a point with the next number, and show it. */
static bool
add_point(struct debugger *debugger, const struct breakpoint *wanted,
	  struct diag *why)
{
	struct breakpoint *points = realloc(
		debugger->points, (debugger->npoints + 1) * sizeof(*points));

	if (!points)
		return diag_set(why, "out of memory");
	debugger->points = points;
	points += debugger->npoints++;
	*points = *wanted;
	points->number = ++debugger->last;
	show_breakpoint(debugger, points);
	return true;
}

/* Set a breakpoint; without a place, list the breakpoints. */
static bool
command_break(struct debugger *debugger, char *text, struct diag *why)
{
	const char *word = show_next_word(&text);
	struct breakpoint wanted = { .conditional = false };

	if (*word)
		return find_place(debugger, word, &wanted.place, why) &&
		       parse_condition(text, &wanted, why) &&
		       add_point(debugger, &wanted, why);
	for (size_t i = 0; i < debugger->npoints; i++)
		show_breakpoint(debugger, &debugger->points[i]);
	if (!debugger->npoints)
		fputs("no breakpoints\n", debugger->out);
	return true;
}

/* Set a breakpoint at changes of a word, of the chosen QPU if it is a register. */
static bool
command_watch(struct debugger *debugger, char *text, struct diag *why)
{
	struct breakpoint wanted = { .watches = true, .qpu = debugger->qpu };
	const char *word = show_next_word(&text), *end = word;

	if (!operand_parse(&end, &wanted.watched, why))
		return false;
	if (*end || wanted.watched.kind == OPERAND_NUMBER ||
	    !operand_read(&wanted.watched, debugger->machine, debugger->qpu,
			  &wanted.value))
		return diag_set(why, "'%s' is no register or memory", word);
	snprintf(wanted.name, sizeof(wanted.name), "%s", word);
	return add_point(debugger, &wanted, why);
}

/* Print something now and at each stop; without a text nothing any more. */
static bool
command_display(struct debugger *debugger, char *text, struct diag *why)
{
	const unsigned n = debugger->ndisplayed;

	if (!*text) {
		debugger->ndisplayed = 0;
		return true;
	}
	if (n == DEBUGGER_DISPLAYS)
		return diag_set(why,
				"%u are displayed already: display alone "
				"ends that",
				n);
	snprintf(debugger->displayed[n], DEBUGGER_LINE, "%s", text);
	if (!show_print(debugger, text, why))
		return false;
	debugger->ndisplayed++;
	return true;
}

/* REG, REG[LANE] or [ADDR], =, and a value. */
static bool
command_set(struct debugger *debugger, char *text, struct diag *why)
{
	const char *at = text + (strncmp(text, "var ", 4) == 0 ? 4 : 0);
	struct operand to, from;
	uint32_t value;

	if (!operand_parse(&at, &to, why))
		return false;
	at += strspn(at, " \t");
	if (*at != '=')
		return diag_set(why, "'%s' does not begin with =", at);
	at++;
	if (!operand_parse(&at, &from, why))
		return false;
	if (at[strspn(at, " \t")])
		return diag_set(why, "'%s' follows the value", at);
	if (!operand_read(&from, debugger->machine, debugger->qpu, &value) ||
	    !operand_write(&to, debugger->machine, debugger->qpu, value))
		return diag_set(why, "'%s': no value, or no place for it",
				text);
	return true;
}

static bool
command_delete(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned number = 0;
	size_t kept = 0;

	if (!show_next_number(&text, UINT32_MAX, &number, why))
		return false;
	for (size_t i = 0; i < debugger->npoints; i++)
		if (number && debugger->points[i].number != number)
			debugger->points[kept++] = debugger->points[i];
	if (kept == debugger->npoints)
		return number ? diag_set(why, "no breakpoint %u", number) :
				diag_set(why, "no breakpoints");
	debugger->npoints = kept;
	return true;
}

/* A user can inspect what a program that has ended left behind, but not a QPU that
 * never had a program. */
static bool
command_qpu(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine_view view;
	unsigned qpu = debugger->qpu;

	if (!show_next_number(&text, MACHINE_QPUS - 1, &qpu, why))
		return false;
	machine_look(debugger->machine, qpu, &view);
	if (view.running || view.pc != 0 || view.uniforms != 0)
		debugger->qpu = qpu;
	show_place(debugger, qpu);
	return true;
}

static bool
command_quit(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text, (void)why;
	debugger->quit = true;
	return true;
}

static debugger_command command_help;

/* The commands, and after them words of gdb that mean the same.  They can be
 * abbreviated; the first match wins. */
/* clang-format off */
static const struct command {
	const char *name, *arguments, *help;
	debugger_command *obey;
} commands[] = {
	{ "break", "[FILE:]LINE | LABEL | *ADDR [if A == B]",
	  "stop there; alone: list the breakpoints", command_break },
	{ "continue", "", "run on", command_continue },
	{ "delete", "[N]", "remove a breakpoint, or all", command_delete },
	{ "disassemble", "[ADDR|pc [N]]", "N instructions",
	  show_disassemble },
	{ "display", "[what print takes]",
	  "print it at each stop; alone: nothing any more",
	  command_display },
	{ "finish", "", "run until the subroutine has returned",
	  command_finish },
	{ "flags", "", "flags of each lane", show_flags },
	{ "help", "[COMMAND]", "this list, or a row of it", command_help },
	{ "list", "[N]", "N source lines before and after", show_list },
	{ "memory", "ADDR [N] [hex|int|float]", "N words of memory",
	  show_memory },
	{ "next", "", "run to another source line", command_next },
	{ "print", "REG | REG[LANE] | [ADDR] [hex|int|float]",
	  "a register or a word", show_print },
	{ "quit", "", "end the run", command_quit },
	{ "qpu", "[N]", "choose a QPU", command_qpu },
	{ "registers", "[acc|a|b] [hex|int|float]",
	  "accumulators, or registers of a file that are not 0",
	  show_registers },
	{ "step", "[N]", "execute N instructions of the chosen QPU",
	  command_step },
	{ "set", "REG|REG[LANE]|[ADDR] = VALUE", "change it", command_set },
	{ "setup", "[vr|vw WORD|REG]",
	  "what a set-up word means; alone: the set-ups of the QPU",
	  show_setup },
	{ "shared", "", "semaphores and mutex", show_shared },
	{ "until", "A ==|!=|<|<=|>|>= B", "run until it holds",
	  command_until },
	{ "uniforms", "", "where the QPU reads uniforms", show_uniforms },
	{ "vpm", "[ROW [N]] [hex|int|float]", "rows of the VPM", show_vpm },
	{ "watch", "REG | REG[LANE] | [ADDR]",
	  "stop when the word, or lane 0, changes", command_watch },
	{ "where", "", "where each QPU is, and what it waits for",
	  show_where },
	{ .name = "backtrace", .obey = show_where },
	{ .name = "bt", .obey = show_where },
	{ .name = "info breakpoints", .obey = command_break },
	{ .name = "info registers", .obey = show_registers },
	{ .name = "info threads", .obey = show_where },
	{ .name = "nexti", .obey = command_step },
	{ .name = "stepi", .obey = command_step },
	{ .name = "thread", .obey = command_qpu },
	{ .name = "x", .obey = show_memory },
};
/* clang-format on */

/* Of gdb's words only those after info can be abbreviated. */
static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		const struct command *row = &commands[i];

		if (row->help || strncmp(name, "info ", 5) == 0 ?
			    strncmp(row->name, name, strlen(name)) == 0 :
			    strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

static bool
command_help(struct debugger *debugger, char *text, struct diag *why)
{
	const char *name = show_next_word(&text);
	const struct command *only = find_command(name);

	if (!only || !only->help)
		return diag_set(why, "no command '%s'", name);
	for (const struct command *row = *name ? only : commands; row->help;
	     row++) {
		fprintf(debugger->out, "%s%s%s\n\t%s\n", row->name,
			*row->arguments ? " " : "", row->arguments, row->help);
		if (*name)
			break;
	}
	return true;
}

/* Turn the format of "p/f" or "x/4x" into the words that follow the arguments. */
static bool
take_format(const char *format, char words[32])
{
	const size_t digits = strspn(format, "0123456789");
	const char *const form = strchr("xduf", format[digits]);
	int n = 0;

	if (digits > 9 || (format[digits] && (!form || format[digits + 1])))
		return false;
	if (digits)
		n = snprintf(words, 32, " %.*s", (int)digits, format);
	if (format[digits])
		snprintf(words + n, 32 - n, " %s",
			 *form == 'x' ? "hex" :
			 *form == 'f' ? "float" :
					"int");
	return true;
}

/* Obey NAME ARGUMENT..., also in gdb's way: info NAME, or NAME/FORMAT ARGUMENT... */
static void
obey(struct debugger *debugger, char *line)
{
	const struct command *command;
	struct diag why = { .text = "" };
	char *name = show_next_word(&line), *format = strchr(name, '/');
	char text[2 * DEBUGGER_LINE], words[32] = "", info[32];

	if (!*name || *name == '#')
		return;
	if (strcmp(name, "info") == 0 && *line) {
		snprintf(info, sizeof(info), "info %s", show_next_word(&line));
		name = info;
	}
	if (format && strlen(line) < DEBUGGER_LINE &&
	    take_format(format + 1, words)) {
		snprintf(text, sizeof(text), "%s%s", line, words);
		line = text;
		*format = '\0';
	}
	command = find_command(name);
	if (!command)
		fprintf(debugger->out, "no command '%s'; help lists them\n",
			name);
	else if (!command->obey(debugger, line, &why))
		fprintf(debugger->out, "%s\n", why.text);
}

void
debugger_open(struct debugger *debugger, struct machine *machine,
	      const struct qpu_linemap *lines, FILE *input, FILE *out)
{
	*debugger = (struct debugger){
		.machine = machine,
		.lines = lines,
		.source = { .map = lines },
		.out = out,
	};
	line_input_open(&debugger->input, input, out);
}

void
debugger_launch(struct debugger *debugger, bool stop)
{
	debugger->over = debugger->left = false;
	debugger->attended = stop;
	debugger->goal = GOAL_NONE;
	debugger->stop = stop ? STOP_GOAL : STOP_NOT;
	debugger->paused = !stop;
	if (!stop)
		return;
	/* Give the programs to their QPUs, and execute nothing. */
	machine_stop(debugger->machine);
	debugger_resume(debugger);
	choose_running(debugger);
	tell(debugger);
}

/* Continue a launch.  If it ends well and the user gave no command during it,
 * nothing is printed. */
static void
resume(struct debugger *debugger)
{
	debugger_resume(debugger);
	if (debugger->paused)
		return;
	if (debugger->over && debugger->status == MACHINE_DONE &&
	    !debugger->attended)
		debugger->left = true;
	else
		tell(debugger);
}

void
debugger_run(struct debugger *debugger)
{
	char prompt[32], *line;

	if (debugger->paused)
		resume(debugger);
	while (!debugger->quit && !debugger->left && !debugger->paused) {
		snprintf(prompt, sizeof(prompt), "(qpu %u) ", debugger->qpu);
		line = line_input_read(&debugger->input, prompt);
		debugger->attended = true;
		if (line)
			obey(debugger, line);
		else
			debugger->quit = true;
	}
	assert(debugger->quit || debugger->left || debugger->paused);
	fflush(debugger->out);
}

void
debugger_close(struct debugger *debugger)
{
	line_input_close(&debugger->input);
	free(debugger->points);
	source_text_free(&debugger->source);
}
