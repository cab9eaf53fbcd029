/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000000 };

/* If the program of the chosen QPU has ended, choose another QPU that runs. */
static void
choose_running(struct control *control)
{
	struct machine_view view;

	machine_look(control->machine, control->qpu, &view);
	for (unsigned i = 0; i < MACHINE_QPUS && !view.running; i++) {
		machine_look(control->machine, i, &view);
		if (view.running)
			control->qpu = i;
	}
}

static void
tell_breakpoint(const struct debugger *debugger)
{
	const struct control *control = &debugger->control;

	fprintf(debugger->out, "breakpoint %u", control->number);
	for (size_t i = 0; i < debugger->points.n; i++) {
		const struct breakpoint *point = &debugger->points.all[i];

		if (point->number == control->number && point->watches)
			fprintf(debugger->out,
				": 0x%08" PRIx32 " became 0x%08" PRIx32,
				point->before, point->value);
	}
	putc('\n', debugger->out);
}

/* Print what the user wants to see at each stop. */
static void
tell_displayed(struct debugger *debugger)
{
	struct diag why;
	char text[128];

	for (unsigned i = 0; i < DEBUGGER_DISPLAYS; i++) {
		if (!debugger->displayed[i])
			continue;
		snprintf(text, sizeof(text), "%s", debugger->displayed[i]);
		if (!show_print(debugger, text, &why))
			fprintf(debugger->out, "%s\n", why.text);
	}
}

static void
tell_stop(struct debugger *debugger)
{
	struct control *control = &debugger->control;

	switch (control->stopped) {
	case CONTROL_BREAKPOINT: tell_breakpoint(debugger); break;
	case CONTROL_HAZARD:
		fputs("stopped at a hazard\n", debugger->out);
		break;
	case CONTROL_SIGNAL: fputs("interrupted\n", debugger->out); break;
	case CONTROL_QPU_ENDED:
		fprintf(debugger->out, "the program of QPU %u has ended\n",
			control->qpu);
		choose_running(control);
		break;
	case CONTROL_GOAL:
		if (control->goal == CONTROL_CONDITION &&
		    control->by != control->qpu)
			fprintf(debugger->out,
				"it holds since an instruction of QPU %u\n",
				control->by);
		break;
	case CONTROL_NOT_STOPPED: break;
	}
	show_place(debugger, control->qpu);
	tell_displayed(debugger);
}

static void
tell_end(struct debugger *debugger)
{
	struct control *control = &debugger->control;

	if (control->status == MACHINE_DONE) {
		fputs("all programs have ended\n", debugger->out);
		return;
	}
	fprintf(debugger->out, "%s\n", control->why.text);
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		struct machine_view view;

		machine_look(control->machine, i, &view);
		if (view.running)
			show_place(debugger, i);
	}
}

static void
tell(struct debugger *debugger)
{
	if (debugger->control.over)
		tell_end(debugger);
	else
		tell_stop(debugger);
}

static bool
go(struct debugger *debugger, enum control_goal goal, struct diag *why)
{
	struct control *control = &debugger->control;

	if (control->over && debugger->launches) {
		debugger->left = true;
		return true;
	}
	if (control->over)
		return diag_set(why, "the run is over");
	control->goal = goal;
	control_run(control);
	if (!control->paused)
		tell(debugger);
	return true;
}

static bool
command_step(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned n = 1;

	if (!show_next_number(&text, MOST_STEPS, &n, why))
		return false;
	debugger->control.steps = n;
	return !n || go(debugger, CONTROL_STEPS, why);
}

static bool
command_next(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text;
	return go(debugger, CONTROL_LINE, why);
}

static bool
command_continue(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text;
	return go(debugger, CONTROL_FREELY, why);
}

static bool
command_until(struct debugger *debugger, char *text, struct diag *why)
{
	return condition_parse(text, &debugger->control.condition, why) &&
	       go(debugger, CONTROL_CONDITION, why);
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
	const struct trace_lines *lines = debugger->control.lines;
	const struct qpu_linemap_row *row;
	struct machine_view view;

	machine_look(debugger->control.machine, debugger->control.qpu, &view);
	row = trace_find_line(lines, view.pc);
	if (!row && lines->map.nrows)
		row = lines->map.rows;
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

/* Set a breakpoint; without a place, list the breakpoints. */
static bool
command_break(struct debugger *debugger, char *text, struct diag *why)
{
	const char *word = show_next_word(&text);
	struct breakpoint wanted = { .conditional = false };
	const struct breakpoint *point;

	if (!*word) {
		for (size_t i = 0; i < debugger->points.n; i++)
			show_breakpoint(debugger, &debugger->points.all[i]);
		if (!debugger->points.n)
			fputs("no breakpoints\n", debugger->out);
		return true;
	}
	if (!find_place(debugger, word, &wanted.place, why) ||
	    !parse_condition(text, &wanted, why))
		return false;
	point = breakpoints_add(&debugger->points, &wanted);
	if (!point)
		return diag_set(why, "out of memory");
	show_breakpoint(debugger, point);
	return true;
}

/* Set a breakpoint at changes of a word, of the chosen QPU if it is a register. */
static bool
command_watch(struct debugger *debugger, char *text, struct diag *why)
{
	struct control *control = &debugger->control;
	struct breakpoint wanted = { .watches = true, .qpu = control->qpu };
	const char *word = show_next_word(&text), *end = word;
	const struct breakpoint *point;

	if (!operand_parse(&end, &wanted.watched, why))
		return false;
	if (*end || wanted.watched.kind == OPERAND_NUMBER ||
	    !operand_read(&wanted.watched, control->machine, control->qpu,
			  &wanted.value))
		return diag_set(why, "'%s' is no register or memory", word);
	snprintf(wanted.name, sizeof(wanted.name), "%s", word);
	point = breakpoints_add(&debugger->points, &wanted);
	if (!point)
		return diag_set(why, "out of memory");
	show_breakpoint(debugger, point);
	return true;
}

/* Print something now and at each stop; without a text nothing any more. */
static bool
command_display(struct debugger *debugger, char *text, struct diag *why)
{
	char *copy = strdup(text);
	unsigned i = 0;

	if (!copy)
		return diag_set(why, "out of memory");
	while (i < DEBUGGER_DISPLAYS && debugger->displayed[i])
		i++;
	if (*text && i == DEBUGGER_DISPLAYS) {
		free(copy);
		return diag_set(why,
				"%u are displayed already: display alone "
				"ends that",
				i);
	}
	if (*text && show_print(debugger, text, why)) {
		debugger->displayed[i] = copy;
		return true;
	}
	free(copy);
	if (*text)
		return false;
	for (i = 0; i < DEBUGGER_DISPLAYS; i++) {
		free(debugger->displayed[i]);
		debugger->displayed[i] = NULL;
	}
	return true;
}

/* REG, REG[LANE] or [ADDR], =, and a value. */
static bool
command_set(struct debugger *debugger, char *text, struct diag *why)
{
	struct control *control = &debugger->control;
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
	if (!operand_read(&from, control->machine, control->qpu, &value) ||
	    !operand_write(&to, control->machine, control->qpu, value))
		return diag_set(why, "'%s': no value, or no place for it",
				text);
	return true;
}

static bool
command_delete(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned number = 0;

	if (!show_next_number(&text, UINT32_MAX, &number, why))
		return false;
	return breakpoints_delete(&debugger->points, number) ||
	       (number ? diag_set(why, "no breakpoint %u", number) :
			 diag_set(why, "no breakpoints"));
}

/* A user can inspect what a program that has ended left behind, but not a QPU that
 * never had a program. */
static bool
command_qpu(struct debugger *debugger, char *text, struct diag *why)
{
	struct control *control = &debugger->control;
	struct machine_view view;
	unsigned qpu = control->qpu;

	if (!show_next_number(&text, MACHINE_QPUS - 1, &qpu, why))
		return false;
	machine_look(control->machine, qpu, &view);
	if (view.running || view.pc != 0 || view.uniforms != 0)
		control->qpu = qpu;
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

/* The commands. They can be abbreviated; the first match wins. */
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
};
/* clang-format on */

static bool
command_help(struct debugger *debugger, char *text, struct diag *why)
{
	const char *name = show_next_word(&text);
	bool any = false;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (*name &&
		    (any || strncmp(commands[i].name, name, strlen(name))))
			continue;
		fprintf(debugger->out, "%s%s%s\n\t%s\n", commands[i].name,
			*commands[i].arguments ? " " : "",
			commands[i].arguments, commands[i].help);
		any = true;
	}
	return any || diag_set(why, "no command '%s'", name);
}

static void
obey(struct debugger *debugger, char *typed)
{
	char own[DEBUGGER_LINE], *line = typed + strspn(typed, " \t");
	const bool known = debugger_from_gdb(line, own);
	const char *name;
	struct diag why = { .text = "" };

	/* A long line is none of gdb's. */
	if (known && strlen(line) < sizeof(own) / 2)
		line = own;
	name = show_next_word(&line);
	if (!*name || *name == '#')
		return;
	for (size_t i = 0; known && i < sizeof(commands) / sizeof(*commands);
	     i++) {
		if (strncmp(commands[i].name, name, strlen(name)))
			continue;
		if (!commands[i].obey(debugger, line, &why))
			fprintf(debugger->out, "%s\n", why.text);
		return;
	}
	fprintf(debugger->out, "no command '%s'; help lists them\n", name);
}

void
debugger_open(struct debugger *debugger, struct machine *machine,
	      const struct trace_lines *lines, FILE *input, FILE *out)
{
	*debugger = (struct debugger){
		.control = {
			.machine = machine,
			.lines = lines,
			.points = &debugger->points,
		},
		.source = { .map = lines },
		.out = out,
	};
	line_input_open(&debugger->input, input, out);
}

void
debugger_launch(struct debugger *debugger, bool stop)
{
	struct control *control = &debugger->control;

	control->over = debugger->left = false;
	debugger->attended = stop;
	control->goal = CONTROL_FREELY;
	if (!stop) {
		control->stopped = CONTROL_NOT_STOPPED;
		control->paused = true;
		return;
	}
	control_begin(control);
	choose_running(control);
	tell(debugger);
}

/* Continue a launch.  If it ends well and the user gave no command during it,
 * nothing is printed. */
static void
resume(struct debugger *debugger)
{
	struct control *control = &debugger->control;

	control_resume(control);
	if (control->paused)
		return;
	if (control->over && control->status == MACHINE_DONE &&
	    !debugger->attended)
		debugger->left = true;
	else
		tell(debugger);
}

bool
debugger_run(struct debugger *debugger)
{
	struct control *control = &debugger->control;
	char prompt[32], *line;

	if (control->paused)
		resume(debugger);
	while (!debugger->quit && !debugger->left && !control->paused) {
		snprintf(prompt, sizeof(prompt), "(qpu %u) ", control->qpu);
		line = line_input_read(&debugger->input, prompt);
		debugger->attended = true;
		if (line)
			obey(debugger, line);
		else
			debugger->quit = true;
	}
	fflush(debugger->out);
	return !control->over || control->status == MACHINE_DONE;
}

void
debugger_close(struct debugger *debugger)
{
	line_input_close(&debugger->input);
	free(debugger->points.all);
	for (unsigned i = 0; i < DEBUGGER_DISPLAYS; i++)
		free(debugger->displayed[i]);
	for (size_t i = 0; i < debugger->source.nfiles; i++)
		text_free(&debugger->source.files[i].text);
	free(debugger->source.files);
}
