/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/debugger/operand.h"
#include "qpu/debugger/show.h"

enum { VPM_ROWS = 64, LIST_LINES = 5, CODE_LINES = 8, MOST = 1 << 20 };

char *
inspect_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end = word + strcspn(word, " \t");

	*text = end + (*end != '\0');
	*end = '\0';
	return word;
}

bool
inspect_number(char **text, unsigned most, unsigned *number, struct diag *why)
{
	const char *word = inspect_word(text);
	char *end;
	unsigned long long value;

	if (!*word)
		return true;
	value = strtoull(word, &end, 10);
	if (*word >= '0' && *word <= '9' && !*end && value <= most) {
		*number = value;
		return true;
	}
	diag_set(why, "'%s' is not a number from 0 to %u", word, most);
	return false;
}

static bool
parse_form(char **text, enum show_form *form, struct diag *why)
{
	static const char *const names[] = { "hex", "int", "float" };
	const char *word = inspect_word(text);

	*form = SHOW_HEX;
	if (!*word)
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(word, names[i]) == 0) {
			*form = i;
			return true;
		}
	diag_set(why, "'%s' is not hex, int or float", word);
	return false;
}

bool
inspect_print(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->control.machine;
	const unsigned qpu = debugger->control.qpu;
	const char *name = inspect_word(&text), *end = name;
	struct operand operand;
	enum show_form form;
	uint32_t word;

	if (!operand_parse(&end, &operand, why) ||
	    !parse_form(&text, &form, why))
		return false;
	if (*end) {
		diag_set(why, "'%s' is no register, [ADDR] or number", name);
		return false;
	}
	if (operand.kind == OPERAND_REGISTER && !operand.has_lane)
		show_vector(debugger->out, name,
			    machine_register(machine, qpu, operand.file,
					     operand.number),
			    form);
	else if (operand_read(&operand, machine, qpu, &word))
		show_word(debugger->out, name, word);
	else
		diag_set(why, "no memory at %s", name);
	return !*why->text;
}

bool
inspect_registers(struct debugger *debugger, char *text, struct diag *why)
{
	const char *file = inspect_word(&text);
	const bool a = strcmp(file, "a") == 0, b = strcmp(file, "b") == 0;
	enum show_form form;

	if (*file && !a && !b && strcmp(file, "acc")) {
		diag_set(why, "'%s' is not acc, a or b", file);
		return false;
	}
	if (!parse_form(&text, &form, why))
		return false;
	show_registers(debugger->out, debugger->control.machine,
		       debugger->control.qpu,
		       a ? 0 :
		       b ? 1 :
			   2,
		       form);
	return true;
}

static bool
parse_address(char **text, uint32_t *addr, struct diag *why)
{
	const char *word = inspect_word(text), *end;

	if (bus_address_parse(word, &end, addr) && !*end)
		return true;
	diag_set(why, "'%s' is not a hexadecimal bus address", word);
	return false;
}

bool
inspect_memory(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned n = 16;
	enum show_form form;
	uint32_t addr;

	if (!parse_address(&text, &addr, why) ||
	    !inspect_number(&text, MOST, &n, why) ||
	    !parse_form(&text, &form, why))
		return false;
	show_memory(debugger->out, debugger->control.machine, addr, n, form);
	return true;
}

bool
inspect_vpm(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned first = 0, n = 1;
	enum show_form form;
	char name[16];

	if (!inspect_number(&text, VPM_ROWS - 1, &first, why) ||
	    !inspect_number(&text, VPM_ROWS, &n, why) ||
	    !parse_form(&text, &form, why))
		return false;
	for (unsigned row = first; row < first + n && row < VPM_ROWS; row++) {
		snprintf(name, sizeof(name), "%u", row);
		show_vector(debugger->out, name,
			    machine_vpm(debugger->control.machine, row), form);
	}
	return true;
}

bool
inspect_flags(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text, (void)why;
	show_flags(debugger->out, debugger->control.machine,
		   debugger->control.qpu);
	return true;
}

bool
inspect_uniforms(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text, (void)why;
	show_uniforms(debugger->out, debugger->control.machine,
		      debugger->control.qpu);
	return true;
}

bool
inspect_shared(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text, (void)why;
	show_shared(debugger->out, debugger->control.machine);
	return true;
}

/* Show what a word means, or without one the set-ups that the QPU has now. */
bool
inspect_setup(struct debugger *debugger, char *text, struct diag *why)
{
	const char *port = inspect_word(&text), *name, *end;
	const bool store = strncmp(port, "vw", 2) == 0;
	struct operand operand;
	uint32_t word;

	if (!*port) {
		show_setups(debugger->out, debugger->control.machine,
			    debugger->control.qpu);
		return true;
	}
	if (!store && strncmp(port, "vr", 2)) {
		diag_set(why, "'%s' is not vr or vw", port);
		return false;
	}
	name = end = inspect_word(&text);
	if (!operand_parse(&end, &operand, why))
		return false;
	if (*end || !operand_read(&operand, debugger->control.machine,
				  debugger->control.qpu, &word)) {
		diag_set(why, "'%s' has no value", name);
		return false;
	}
	fprintf(debugger->out, "0x%08" PRIx32 "  ", word);
	show_setup_word(debugger->out, store, word);
	return true;
}

bool
inspect_where(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->control.machine;
	struct machine_place places[MACHINE_QPUS];
	struct machine_view view;
	bool any = false;

	(void)text, (void)why;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine_look(machine, i, &view);
		if (view.running)
			show_place(debugger->out, machine,
				   debugger->control.lines, i);
		any = any || view.running;
	}
	if (!any && !machine_places(machine, places))
		fputs("no program runs\n", debugger->out);
	return true;
}

static void
list_lines(struct debugger *debugger, const struct qpu_linemap_row *row,
	   unsigned around)
{
	const unsigned first = row->line > around ? row->line - around : 1;

	for (unsigned line = first; line <= row->line + around; line++) {
		const char *text =
			source_text_line(&debugger->source, row->file, line);

		if (text)
			fprintf(debugger->out, "%s %5u  %s\n",
				line == row->line ? "->" : "  ", line, text);
	}
}

bool
inspect_list(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine_view view;
	const struct qpu_linemap_row *row;
	unsigned around = LIST_LINES;

	if (!inspect_number(&text, MOST, &around, why))
		return false;
	machine_look(debugger->control.machine, debugger->control.qpu, &view);
	row = trace_find_line(debugger->control.lines, view.pc);
	if (row)
		list_lines(debugger, row, around);
	else
		diag_set(why, "no source line is known for %08" PRIx32,
			 view.pc);
	return row;
}

bool
inspect_disassemble(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->control.machine;
	const unsigned qpu = debugger->control.qpu;
	struct machine_view view;
	unsigned n = CODE_LINES;

	machine_look(machine, qpu, &view);
	text += strspn(text, " \t");
	if (*text && !parse_address(&text, &view.pc, why))
		return false;
	if (!inspect_number(&text, MOST, &n, why))
		return false;
	show_code(debugger->out, machine, debugger->control.lines, qpu, view.pc,
		  n);
	return true;
}
